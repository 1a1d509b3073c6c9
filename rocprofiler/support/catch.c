// SPDX-License-Identifier: MIT
/*
 * Catching what C++ throws, in C: a frame with a personality of its own, which says that it handles
 * everything.
 */
#include "rocprofiler/support/catch.h"

#ifdef __x86_64__

#include <dlfcn.h>
#include <stdint.h>
#include <unwind.h>

#define GNU_CXX 0x474e5543432b2b00ULL /* "GNUCC++\0" */

__attribute__((visibility("hidden"))) extern const char catch__landing[];

_Unwind_Reason_Code catch__personality(int version, _Unwind_Action actions,
				       _Unwind_Exception_Class class,
				       struct _Unwind_Exception *exception,
				       struct _Unwind_Context *context);
void catch__caught(struct _Unwind_Exception *exception);

__attribute__((visibility("hidden"))) _Unwind_Reason_Code
catch__personality(int version, _Unwind_Action actions, _Unwind_Exception_Class class,
		   struct _Unwind_Exception *exception, struct _Unwind_Context *context)
{
	if (actions & _UA_FORCE_UNWIND)
		return _URC_CONTINUE_UNWIND;
	if (actions & _UA_SEARCH_PHASE)
		return _URC_HANDLER_FOUND;
	if (!(actions & _UA_HANDLER_FRAME))
		return _URC_CONTINUE_UNWIND;
	_Unwind_SetGR(context, __builtin_eh_return_data_regno(0), (uintptr_t)exception);
	_Unwind_SetIP(context, (uintptr_t)catch__landing);
	return _URC_INSTALL_CONTEXT;
}

/* C++ counts exceptions in flight. If its runtime is loaded, have it count this one as caught. */
__attribute__((visibility("hidden"))) void catch__caught(struct _Unwind_Exception *exception)
{
	void *(*begin)(void *) = (void *(*)(void *))dlsym(RTLD_DEFAULT, "__cxa_begin_catch");
	void (*end)(void) = (void (*)(void))dlsym(RTLD_DEFAULT, "__cxa_end_catch");

	if ((exception->exception_class & ~0xffULL) == GNU_CXX && begin && end) {
		begin(exception);
		end();
	} else {
		_Unwind_DeleteException(exception);
	}
}

/* 0x1b: the personality is given by its distance, as 32 bits. */
__asm__(".text\n"
	".globl catch__call\n"
	".hidden catch__call, catch__landing\n"
	".type catch__call, @function\n"
	"catch__call:\n"
	"	.cfi_startproc\n"
	"	.cfi_personality 0x1b, catch__personality\n"
	"	subq $8, %rsp\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	movq %rdi, %rax\n"
	"	movq %rsi, %rdi\n"
	"	call *%rax\n"
	"	xorl %eax, %eax\n"
	"	jmp 1f\n"
	".globl catch__landing\n"
	"catch__landing:\n"
	"	movq %rax, %rdi\n"
	"	call catch__caught\n"
	"	movl $1, %eax\n"
	"1:	addq $8, %rsp\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size catch__call, . - catch__call\n");

#else

bool catch__call(void (*fn)(void *arg), void *arg)
{
	fn(arg);
	return false;
}

#endif
