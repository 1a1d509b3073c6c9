/* SPDX-License-Identifier: MIT */
/* Samples the clock of a simulated GPU while it follows a schedule, and checks the samples. */
#ifndef SIMKFD_TEST_CLOCK_H
#define SIMKFD_TEST_CLOCK_H

/* For SIMKFD_CLOCK: every kind of change. The samples of one process reach beyond its end. */
#define CLOCK_SCHEDULE \
	"20:ppm=500,60:step=3000000,100:khz=50000,150:stop=40000000,250:step=-1000000"
#define CLOCK_SAMPLES 150

/* Prints what the schedule's times count from, and the samples. Returns the exit status. */
int clock_samples__print(int gpu);

/*
 * Reads what one process has printed after the other, and fails the test if a sample is not as the
 * schedule says. Closes `fd`; returns how many there were.
 */
int clock_samples__check(int fd, int gpu, double drift_ppm);

#endif
