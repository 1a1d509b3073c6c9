/* SPDX-License-Identifier: MIT */
/*
 * ACTIVITY_DOMAIN_KFD_API: calls of libhsakmt, the thunk between the HSA runtime and the driver.
 *
 * What callbacks receive, kfd_api_data_t, and the functions' numbers are in kfd_prof_str.h.
 *
 * Which calls	Those of objects that are linked against libhsakmt.so.1, as some HSA runtimes are
 *		(Debian's). Others have the thunk inside of them: then, and while there is no
 *		libhsakmt in the process, enabling is no error, and nothing is reported. One
 *		that is loaded later is found when something is enabled then, or when the HSA
 *		runtime loads this library as a tool: that is in hsa_init, which has opened the
 *		driver by then. Not reported are calls that the thunk makes of its own functions,
 *		and calls by an address that came from dlsym().
 * Callbacks	may call HSA: of the thunk's calls that the same thread makes meanwhile there are
 *		records, but no callbacks.
 * Numbers	KFD_API_ID_... of a function is the same in all releases of this library, whatever
 *		libhsakmt's header it was built with: that of ROCm 4.3's header of this name, the
 *		last one; functions that came later have numbers after those. Those that the header
 *		did not declare have a number and a name, no member in `args`, and are not reported.
 *
 * ROCm's library 4.1 has the number of the domain, but not the domain:
 * ROCTRACER_STATUS_ERROR_INVALID_DOMAIN_ID is what it says of it, and its functions for all domains
 * end there. This library's go on.
 */
#ifndef ROCTRACER_KFD_H_
#define ROCTRACER_KFD_H_

#include "roctracer.h"

#include "kfd_prof_str.h"

#endif
