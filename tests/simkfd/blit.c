/* SPDX-License-Identifier: MIT */
/*
 * The runtimes' own copy and fill kernels, carried out natively.
 *
 * They must be, or the bytes are wrong: copies inside a device, memset, the upload of code objects,
 * and on ROCm 6.4 small copies from and to the host too are kernels, not work for a copy engine.
 *
 * HIP's are ordinary kernels named __amd_rocclr_*; the argument lists of HIP 5 and 6 differ. ROCr's
 * are bare machine code without an ELF image and so without a name: they are known by their
 * argument blocks, in which the pieces of a copy must follow one another and the number of
 * work-items must be that of the packet.
 */
#include "tests/simkfd/blit.h"

#include <string.h>

#include "tests/simkfd/memory.h"
#include "tests/simkfd/simkfd.h"

/* ---- HIP: __amd_rocclr_copyBuffer ---- */

struct copy_buffer_5 {
	uint64_t src, dst, src_offset, dst_offset;
	uint64_t dwords_plus_one; /* 0: none */
	uint32_t bytes_after;
};

struct copy_buffer_6 {
	uint64_t src, dst, size;
	uint32_t remainder, aligned_size;
	uint64_t end;
};

static uint64_t copy_buffer(const void *args)
{
	const struct copy_buffer_5 *v5 = args;
	const struct copy_buffer_6 *v6 = args;
	uint64_t size;

	if (v6->end >= v6->dst && v6->end - v6->dst <= v6->size) {
		memory__copy(v6->dst, v6->src, v6->size);
		return v6->size;
	}
	size = v5->bytes_after;
	if (v5->dwords_plus_one)
		size += (v5->dwords_plus_one - 1) * 4;
	memory__copy(v5->dst + v5->dst_offset, v5->src + v5->src_offset, size);
	return size;
}

/* ---- HIP: __amd_rocclr_copyBufferAligned ---- */

struct copy_buffer_aligned {
	uint64_t src, dst, src_offset, dst_offset, size; /* in units */
	uint32_t unit;					 /* bytes; 0: 4 */
};

static uint64_t copy_buffer_aligned(const void *args)
{
	const struct copy_buffer_aligned *a = args;
	uint64_t unit = a->unit ? a->unit : 4;

	memory__copy(a->dst + a->dst_offset * unit, a->src + a->src_offset * unit, a->size * unit);
	return a->size * unit;
}

/* ---- HIP: __amd_rocclr_copyBufferRect, __amd_rocclr_copyBufferRectAligned ---- */

struct rect {
	uint64_t row_pitch, slice_pitch, offset, _unused;
};

struct copy_buffer_rect {
	uint64_t src, dst, _pad[2];
	struct rect src_rect, dst_rect;
	uint64_t width, height, depth;
	uint64_t unit; /* bytes; of the aligned kernel only */
};

static uint64_t copy_rect(const struct copy_buffer_rect *a, uint64_t unit)
{
	uint64_t to, from, y, z;

	for (z = 0; z < a->depth; z++) {
		for (y = 0; y < a->height; y++) {
			from = a->src_rect.offset + y * a->src_rect.row_pitch +
			       z * a->src_rect.slice_pitch;
			to = a->dst_rect.offset + y * a->dst_rect.row_pitch +
			     z * a->dst_rect.slice_pitch;
			memory__copy(a->dst + to * unit, a->src + from * unit, a->width * unit);
		}
	}
	return a->width * a->height * a->depth * unit;
}

static uint64_t copy_buffer_rect(const void *args)
{
	return copy_rect(args, 1);
}

static uint64_t copy_buffer_rect_aligned(const void *args)
{
	const struct copy_buffer_rect *a = args;

	return copy_rect(a, a->unit == 16 ? 16 : 4);
}

/* ---- HIP: __amd_rocclr_fillBufferAligned, __amd_rocclr_fillBufferAligned2D ---- */

/* Of the four pointers exactly one is set: to elements of 1, 2, 4 or 8 bytes. */
struct fill_buffer_5 {
	uint64_t dst[4];
	uint64_t pattern;
	uint32_t pattern_size; /* elements */
	uint64_t offset;       /* elements */
	uint64_t count;	       /* times the pattern; 2D: a row of them */
	uint64_t rows, pitch;  /* 2D only; pitch in elements */
};

struct fill_buffer_6 {
	uint64_t dst, pattern;
	uint32_t elements, element_size; /* of the pattern */
	uint64_t end;
};

static int element_shift(const struct fill_buffer_5 *a)
{
	int shift = 0;

	while (shift < 3 && !a->dst[shift])
		shift++;
	return shift;
}

static bool is_version_5(const struct fill_buffer_5 *a)
{
	return !!a->dst[0] + !!a->dst[1] + !!a->dst[2] + !!a->dst[3] == 1;
}

static uint64_t fill_buffer(const void *args)
{
	const struct fill_buffer_5 *v5 = args;
	const struct fill_buffer_6 *v6 = args;
	uint64_t dst, size, pattern, pattern_size;

	if (is_version_5(v5)) {
		dst = v5->dst[element_shift(v5)] + (v5->offset << element_shift(v5));
		pattern = v5->pattern;
		pattern_size = (uint64_t)v5->pattern_size << element_shift(v5);
		size = v5->count * pattern_size;
	} else {
		dst = v6->dst;
		pattern = v6->pattern;
		pattern_size = (uint64_t)v6->elements * v6->element_size;
		size = v6->end - v6->dst;
	}
	memory__fill(dst, size, memory__host(pattern), pattern_size);
	return size;
}

static uint64_t fill_buffer_2d(const void *args)
{
	const struct fill_buffer_5 *a = args;
	int shift = element_shift(a);
	uint64_t pattern_size = (uint64_t)a->pattern_size << shift;
	uint64_t row_size = a->count * pattern_size, row, start;

	for (row = 0; row < a->rows; row++) {
		start = a->dst[shift] + ((a->offset + row * a->pitch) << shift);
		memory__fill(start, row_size, memory__host(a->pattern), pattern_size);
	}
	return row_size * a->rows;
}

blit_fn *blit__by_name(const char *name)
{
	static const char prefix[] = "__amd_rocclr_";
	static const struct {
		const char *name;
		blit_fn *run;
	} table[] = {
		{"copyBuffer", copy_buffer},
		{"copyBufferAligned", copy_buffer_aligned},
		{"copyBufferRect", copy_buffer_rect},
		{"copyBufferRectAligned", copy_buffer_rect_aligned},
		{"fillBufferAligned", fill_buffer},
		{"fillBufferAligned2D", fill_buffer_2d},
	};
	size_t i;

	if (strncmp(name, prefix, sizeof(prefix) - 1))
		return NULL;
	name += sizeof(prefix) - 1;
	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (!strcmp(name, table[i].name))
			return table[i].run;
	sim__log(1, "HIP's kernel %s%s is not simulated", prefix, name);
	return NULL;
}

/* ---- ROCr ---- */

/* Two addresses that advance together through the phases of a copy. */
struct place {
	uint64_t src, dst;
};

struct copy_aligned {
	struct place phase[5]; /* the last one is the end */
	uint32_t work_items;
};

struct copy_misaligned {
	struct place phase[3];
	uint32_t work_items;
};

struct fill {
	uint64_t dst, second_phase, end;
	uint32_t value, work_items;
};

/* Whether each place follows the one before it, by as much in the source as in the destination. */
static bool places_follow(const struct place *p, int count)
{
	int i;

	for (i = 1; i < count; i++)
		if (p[i].src < p[i - 1].src || p[i].src - p[i - 1].src != p[i].dst - p[i - 1].dst)
			return false;
	return true;
}

static uint64_t copy_places(const struct place *begin, const struct place *end)
{
	memory__copy(begin->dst, begin->src, end->src - begin->src);
	return end->src - begin->src;
}

bool blit__nameless(const void *args, uint32_t work_items, uint64_t *bytes)
{
	const struct copy_aligned *aligned = args;
	const struct copy_misaligned *misaligned = args;
	const struct fill *fill = args;

	if (aligned->work_items == work_items && places_follow(aligned->phase, 5)) {
		*bytes = copy_places(&aligned->phase[0], &aligned->phase[4]);
	} else if (misaligned->work_items == work_items && places_follow(misaligned->phase, 3)) {
		*bytes = copy_places(&misaligned->phase[0], &misaligned->phase[2]);
	} else if (fill->work_items == work_items && fill->dst <= fill->second_phase &&
		   fill->second_phase <= fill->end) {
		*bytes = fill->end - fill->dst;
		memory__fill(fill->dst, *bytes, &fill->value, sizeof(fill->value));
	} else {
		return false;
	}
	return true;
}
