/* SPDX-License-Identifier: MIT */
/*
 * Completion signals of packets that are under way: finds the times that the GPU has written into
 * them, before they are used again.
 */
#ifndef RTRACE_COMPLETIONS_H
#define RTRACE_COMPLETIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct completions;

/* What a signal says: its value, and the times of the packet that it completed last. */
struct signal_words {
	int64_t value;
	uint64_t start_ticks, end_ticks;
};

/*
 * The packet of that user has ended, between these ticks of its GPU's clock; both 0: it has or will
 * have ended at times that nobody knows. Called once for each user.
 */
typedef void ended_fn(void *user, uint64_t start_ticks, uint64_t end_ticks, void *arg);

/*
 * May times that begin so be not the user's, but those of a packet of its process that was not
 * heard of? Then they wait until it was.
 */
typedef bool unsure_fn(pid_t pid, void *user, uint64_t start_ticks, void *arg);

struct completions *completions__new(ended_fn *fn, unsure_fn *unsure, void *arg);

/* `drop` is called for the users that are left. */
void completions__free(struct completions *c, void (*drop)(void *user));

/*
 * A packet with that signal is about to be submitted, and this is what the signal says: it ends the
 * user before. `user`: of the new packet, NULL if nobody wants to know. false: there is no room,
 * and `fn` will not be called for the user.
 *
 * When the user before has not ended, several packets share the signal: which of them a time is of
 * cannot be told, until it is armed again.
 */
bool completions__use(struct completions *c, pid_t pid, uint64_t signal,
		      const struct signal_words *words, void *user);

/*
 * A packet with that signal, which `unsure` still knows as missing, has been taken by the GPU
 * before the signal was read: ends the user before if its times are surely known.
 */
void completions__settle(struct completions *c, pid_t pid, uint64_t signal,
			 const struct signal_words *words);

/*
 * A packet with that signal was submitted, and had been taken by the GPU before the signal was
 * read: if it has been completed since, the times may be of either, so a user before that has not
 * been settled has none. false: the new one will have none either, and `fn` will not be called for
 * it.
 */
bool completions__use_late(struct completions *c, pid_t pid, uint64_t signal,
			   const struct signal_words *words, void *user);

/* The signal is about to be destroyed. */
void completions__end(struct completions *c, pid_t pid, uint64_t signal,
		      const struct signal_words *words);

/*
 * Reads signals from outside. What is seen there may be of a packet that was submitted just before
 * and is not heard of yet: it is believed when all uses up to that time have been handed in, which
 * they have been up to `heard`.
 */
void completions__look(struct completions *c, uint64_t heard);

/* The same, without reading any more. */
void completions__believe(struct completions *c, uint64_t heard);

/* The process is gone, and all that it did was handed in: nothing more is known of its users. */
void completions__forget(struct completions *c, pid_t pid);

/* The same for all. */
void completions__give_up(struct completions *c);

#endif
