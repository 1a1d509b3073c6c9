/* SPDX-License-Identifier: MIT */
/*
 * ==, !=, <, >, <= and >= of handles, agents (by their ids), dimensions (by their volume first) and
 * versions (C++17). Types that describe counters are not compared: this library reports no
 * counters.
 */
#pragma once

#include <cstdint>
#include <tuple>

#include <rocprofiler-sdk/agent.h>
#include <rocprofiler-sdk/cxx/details/handles.hpp>

namespace rocprofiler
{
namespace sdk
{
namespace operators
{

/* What is compared of a value. */

template <typename Handle> constexpr uint64_t key(const Handle &value)
{
	static_assert(sizeof(Handle) == sizeof(uint64_t), "a handle and nothing else");
	return value.handle;
}

constexpr uint64_t key(const rocprofiler_agent_v0_t &agent)
{
	return agent.id.handle;
}

constexpr auto key(const rocprofiler_dim3_t &d)
{
	return std::make_tuple(uint64_t{d.x} * d.y * d.z, d.x, d.y, d.z);
}

constexpr auto key(const rocprofiler_version_triplet_t &v)
{
	return std::make_tuple(v.major, v.minor, v.patch);
}

template <typename Value> constexpr bool equal(const Value &a, const Value &b)
{
	return key(a) == key(b);
}

template <typename Value> constexpr bool less(const Value &a, const Value &b)
{
	return key(a) < key(b);
}

} // namespace operators
} // namespace sdk
} // namespace rocprofiler

/* They are found where the types are. */
#define ROCPROFILER_CXX_COMPARE(type)                            \
	constexpr bool operator==(const type &a, const type &b)  \
	{                                                        \
		return rocprofiler::sdk::operators::equal(a, b); \
	}                                                        \
	constexpr bool operator!=(const type &a, const type &b)  \
	{                                                        \
		return !(a == b);                                \
	}                                                        \
	constexpr bool operator<(const type &a, const type &b)   \
	{                                                        \
		return rocprofiler::sdk::operators::less(a, b);  \
	}                                                        \
	constexpr bool operator>(const type &a, const type &b)   \
	{                                                        \
		return b < a;                                    \
	}                                                        \
	constexpr bool operator<=(const type &a, const type &b)  \
	{                                                        \
		return !(b < a);                                 \
	}                                                        \
	constexpr bool operator>=(const type &a, const type &b)  \
	{                                                        \
		return !(a < b);                                 \
	}

ROCPROFILER_CXX_HANDLES(ROCPROFILER_CXX_COMPARE)
ROCPROFILER_CXX_COMPARE(rocprofiler_agent_v0_t)
ROCPROFILER_CXX_COMPARE(rocprofiler_dim3_t)
ROCPROFILER_CXX_COMPARE(rocprofiler_version_triplet_t)

#undef ROCPROFILER_CXX_COMPARE
