/* SPDX-License-Identifier: MIT */
/*
 * A process that outlives the tracer by a moment, to undo what the kernel does not.
 *
 * Under `rtrace-bpf -- CMD` processes are stopped while the libraries that they open are probed. A
 * tracer that is killed just then could not let them go on. The guard does: it waits for the end of
 * the tracer, and if that comes without a good-bye it sends SIGCONT to all that were traced.
 */
#ifndef RTRACE_RECORD_RELEASE_ON_DEATH_H
#define RTRACE_RECORD_RELEASE_ON_DEATH_H

/*
 * Starts the guard. `pids_map`: the BPF map that has the traced processes as keys. Returns a
 * descriptor to be given to release_on_death__dismiss, or -errno.
 */
int release_on_death__start(int pids_map);

/* All is well: the guard ends. Negative descriptors are fine. */
void release_on_death__dismiss(int guard);

#endif
