/* SPDX-License-Identifier: MIT */
/*
 * Completion signals of packets in flight: finds the times that the GPU has written into them,
 * before they are used again.
 */
#ifndef RTRACE_DOORBELL_COMPLETION_SIGNALS_H
#define RTRACE_DOORBELL_COMPLETION_SIGNALS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "user/event/event.h"

struct completions;

/* The contents of a signal: its value, and the times of the packet that it completed last. */
struct signal_words {
	int64_t value;
	uint64_t start_ticks, end_ticks;
};

/*
 * The packet of that user has ended, between these ticks of its GPU's clock. Called once for each
 * user, or in its place unknown_fn: it has or will have ended at times that nobody knows.
 */
typedef void ended_fn(void *user, uint64_t start_ticks, uint64_t end_ticks, void *arg);
typedef void unknown_fn(void *user, enum ev_why why, void *arg);

/*
 * May times that begin at `start_ticks` belong not to the user, but to a packet of its process
 * with no record yet? Then the times are kept until that record was received.
 */
typedef bool unsure_fn(pid_t pid, void *user, uint64_t start_ticks, void *arg);

struct completions *completion_signals__new(ended_fn *ended, unknown_fn *unknown, unsure_fn *unsure,
					    void *arg);

/* `drop` is called for the users that are left. */
void completion_signals__free(struct completions *c, void (*drop)(void *user));

/*
 * A packet with that signal is about to be submitted, and `words` are the signal's contents: the
 * call ends the previous user. `user`: of the new packet, NULL if its times are not needed. false:
 * there is no room, and no function will be called for the user.
 *
 * If the previous user has not ended, several packets share the signal: which of them a time
 * belongs to is unknown until the signal is armed again.
 */
bool completion_signals__use(struct completions *c, pid_t pid, uint64_t signal,
			     const struct signal_words *words, void *user);

/*
 * A packet with that signal, which `unsure` still knows as missing, has been taken by the GPU
 * before the signal was read: ends the user before if its times are surely known.
 */
void completion_signals__settle(struct completions *c, pid_t pid, uint64_t signal,
				const struct signal_words *words);

/*
 * A packet with that signal was submitted, and had been taken by the GPU before the signal was
 * read: if it has been completed since, the times may be of either, so a user before that has not
 * been settled has none. false: the new one will have none either, and no function will be called
 * for it.
 */
bool completion_signals__use_late(struct completions *c, pid_t pid, uint64_t signal,
				  const struct signal_words *words, void *user);

/* The signal is about to be destroyed. */
void completion_signals__end(struct completions *c, pid_t pid, uint64_t signal,
			     const struct signal_words *words);

/*
 * Reads signals from outside. Times read there may belong to a packet that was submitted just
 * before, with a record that has not arrived yet. So they are accepted only when all uses up to the
 * time of reading have been passed in. All uses up to `heard` have been.
 */
void completion_signals__look(struct completions *c, uint64_t heard);

/* The same, without reading any more signals. */
void completion_signals__believe(struct completions *c, uint64_t heard);

/*
 * The process has ended or runs another program, and all its records were passed in: no more times
 * of its users follow.
 */
void completion_signals__forget(struct completions *c, pid_t pid);

/* The same for all. */
void completion_signals__give_up(struct completions *c);

#endif
