/* SPDX-License-Identifier: MIT */
/* std::hash of handles (C++17). */
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include <rocprofiler-sdk/cxx/details/handles.hpp>

namespace rocprofiler
{
namespace sdk
{
namespace hash
{

template <typename Handle> struct handle_hasher {
	static_assert(sizeof(Handle) == sizeof(uint64_t), "a handle and nothing else");

	size_t operator()(Handle value) const
	{
		return value.handle;
	}
};

} // namespace hash
} // namespace sdk
} // namespace rocprofiler

namespace std
{

#define ROCPROFILER_CXX_HASH(type)                                                    \
	template <> struct hash<type> : rocprofiler::sdk::hash::handle_hasher<type> { \
	};

ROCPROFILER_CXX_HANDLES(ROCPROFILER_CXX_HASH)

#undef ROCPROFILER_CXX_HASH

} // namespace std
