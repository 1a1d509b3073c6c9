// SPDX-License-Identifier: MIT
#include "tests/rocprofiler/thrower.h"

#include <exception>
#include <stdexcept>

void throw_something()
{
	throw std::runtime_error("something");
}

int catches(void (*fn)(void *arg), void *arg)
{
	try {
		fn(arg);
	} catch (const std::runtime_error &) {
		return 1;
	}
	return 0;
}

int uncaught()
{
	return std::uncaught_exceptions();
}
