/* SPDX-License-Identifier: MIT */
/* Two code objects that are alike but for the name of their kernel. */
#include <hip/hip_runtime.h>

#ifdef SECOND
#define NAME reloadSecond
#else
#define NAME reloadFirst_
#endif

extern "C" __global__ void NAME(int *p)
{
	*p = 1;
}
