/* SPDX-License-Identifier: MIT */
/*
 * Functions that no library has: what the real ones' prototypes leave out of the calling
 * convention.
 */
#ifndef TESTS_API_PLACES_H
#define TESTS_API_PLACES_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct places_tiny {
	int8_t a, b, c;
};
struct places_three {
	uint32_t x, y, z;
};
struct places_pair {
	float x, y;
};
struct places_mixed {
	double d;
	int64_t l;
};
struct places_mixed_late {
	int32_t i;
	float f;
	double d;
};
struct places_big {
	int64_t a;
	int16_t b;
	double c;
};
struct places_aligned {
	int64_t a, b;
} __attribute__((aligned(16)));
struct places_aligned_big {
	int64_t a, b, c, d;
} __attribute__((aligned(16)));

int16_t rtrace_test_widths(signed char a, unsigned char b, short c, unsigned short d, int e,
			   unsigned int f, long g, unsigned long h, long long i, bool j, char k,
			   int8_t l);
int8_t rtrace_test_structs_in_registers(struct places_tiny a, struct places_three b,
					struct places_aligned c, int32_t d);
/* One register is left where two are needed; the next argument takes it. */
int64_t rtrace_test_struct_at_the_border(int a, int b, int c, int d, int e, struct places_three f,
					 int g, struct places_tiny h);
bool rtrace_test_floats(float a, double b, int c, float d, double e, float f, double g, float h,
			double i, float j, double k, int l, float m);
uint8_t rtrace_test_mixed(struct places_mixed a, int b, struct places_pair c,
			  struct places_mixed_late d, double e);
uint16_t rtrace_test_big(int a, struct places_big b, int c, struct places_big d);
uint32_t rtrace_test_aligned(int a, int b, int c, int d, int e, int f, int g,
			     struct places_aligned h, int i, struct places_aligned_big j);
struct places_big rtrace_test_returns_big(int a, int b, int c, int d, int e, int f);
struct places_three rtrace_test_returns_three(int a);
void rtrace_test_out(int8_t *a, uint16_t *b, bool *c, double *d, const struct places_mixed *e,
		     struct places_tiny *f, const int64_t *g);
void rtrace_test_more_reads_than_a_plan_has(int *a, int *b, int *c, int *d, int *e, int *f, int *g,
					    int *h, int *i, int *j);

#ifdef __cplusplus
}
#endif

#endif
