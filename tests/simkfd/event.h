/* SPDX-License-Identifier: MIT */
/* Events of the driver interface: threads of the runtime sleep on them, the GPU wakes them. */
#ifndef SIMKFD_EVENT_H
#define SIMKFD_EVENT_H

#include <stdint.h>

struct kfd_ioctl_create_event_args;
struct kfd_ioctl_wait_events_args;

void event__start(void);

/* The lock of the events alone; inside the simulator's lock where both are taken. */
void event__lock(void);
void event__unlock(void);

/* 0 or -errno */
int event__create(struct kfd_ioctl_create_event_args *args);
int event__destroy(uint32_t id);
int event__reset(uint32_t id);
int event__wait(struct kfd_ioctl_wait_events_args *args);

/*
 * Wakes the threads that wait for that event; unknown ones are ignored, as interrupts of dead
 * events are.
 */
void event__signal(uint32_t id);

/* Reports a GPU's access to an unmapped address to the runtime. */
void event__memory_fault(int gpu, uint64_t address);

/* Starts without events again, in the child of a fork. */
void event__forget(void);

#endif
