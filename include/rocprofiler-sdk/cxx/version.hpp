/* SPDX-License-Identifier: MIT */
/* Parts of a version that is one number (C++17). */
#pragma once

#include <cstdint>

#include <rocprofiler-sdk/fwd.h>

namespace rocprofiler
{
namespace sdk
{
namespace version
{

/* Each part has the room of `Factor` values: 1.2.3 is 10203, or 1002003 with 1000. */
template <uint64_t Factor = 100>
constexpr rocprofiler_version_triplet_t compute_version_triplet(uint64_t version)
{
	return {static_cast<uint32_t>(version / (Factor * Factor)),
		static_cast<uint32_t>(version / Factor % Factor),
		static_cast<uint32_t>(version % Factor)};
}

} // namespace version
} // namespace sdk
} // namespace rocprofiler
