/* SPDX-License-Identifier: MIT */
/* Numbers and pointers as text (C++17). */
#pragma once

#include <cstddef>
#include <cstdint>
#include <iomanip>
#include <ios>
#include <sstream>
#include <string>
#include <type_traits>

namespace rocprofiler
{
namespace sdk
{
namespace utility
{

/* 0x and at least `digits` digits. */
template <typename Value> std::string as_hex(Value value, size_t digits = 0)
{
	std::ostringstream text;
	uintptr_t number;

	if constexpr (std::is_pointer_v<Value>)
		number = reinterpret_cast<uintptr_t>(value);
	else
		number = static_cast<uintptr_t>(value);
	text << "0x" << std::hex << std::setfill('0') << std::setw(static_cast<int>(digits))
	     << number;
	return text.str();
}

} // namespace utility
} // namespace sdk
} // namespace rocprofiler
