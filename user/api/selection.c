// SPDX-License-Identifier: MIT
/*
 * Decides which functions are captured, and which are shown.
 */
#include "user/api/selection.h"

#include <fnmatch.h>
#include <string.h>

#include "user/api/functions.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define BIT(domain)  (1u << (domain))
#define ALL_DOMAINS  (BIT(DOMAIN_COUNT) - 1)

/* Called at very high rates, and of no use in a trace. */
static const char *const hot_functions[] = {
	"hsa_signal_load_*",	 "hsa_signal_store_*", "hsa_signal_silent_store_*",
	"hsa_signal_exchange_*", "hsa_signal_cas_*",   "hsa_signal_add_*",
	"hsa_signal_subtract_*", "hsa_signal_and_*",   "hsa_signal_or_*",
	"hsa_signal_xor_*",	 "hsa_queue_load_*",   "hsa_queue_store_*",
	"hsa_queue_cas_*",	 "hsa_queue_add_*",
};

/* They switch tracing on and off, or push and pop external correlation IDs: always captured. */
static const char *const control_functions[] = {
	"roctracer_start",
	"roctracer_stop",
	"roctxProfilerPause",
	"roctxProfilerResume",
	"roctracer_activity_push_external_correlation_id",
	"roctracer_activity_pop_external_correlation_id",
	"rocprofiler_push_external_correlation_id",
	"rocprofiler_pop_external_correlation_id",
};

/* Their arguments hold the names of kernels, which launches of the domain are shown with. */
static const char *const naming_functions[] = {
	"__hipRegisterFunction",
	"hipModuleGetFunction",
};

/* What there is of DOMAIN_GPU. */
enum {
	KERNELS = 1,
	COPIES = 2,
	MEMORY = 4,
	SCRATCH = 8,
	SETUP = 16,
	ALL_GPU = 31,
};

static const struct {
	const char *word;
	unsigned int domains;
	unsigned int gpu;
} words[] = {
	{"hip", BIT(DOMAIN_HIP), 0},
	{"hsa", BIT(DOMAIN_HSA), 0},
	{"kfd", BIT(DOMAIN_KFD), 0},
	{"roctx", BIT(DOMAIN_ROCTX), 0},
	{"marker", BIT(DOMAIN_ROCTX), 0},
	{"roctracer", BIT(DOMAIN_ROCTRACER), 0},
	{"kernel", BIT(DOMAIN_GPU), KERNELS},
	{"memory-copy", BIT(DOMAIN_GPU), COPIES},
	{"memory", BIT(DOMAIN_GPU), MEMORY},
	{"scratch", BIT(DOMAIN_GPU), SCRATCH},
	{"setup", BIT(DOMAIN_GPU), SETUP},
	{"gpu", BIT(DOMAIN_GPU), ALL_GPU},
	{"runtime", BIT(DOMAIN_HIP) | BIT(DOMAIN_ROCTX) | BIT(DOMAIN_GPU), ALL_GPU},
	{"all", ALL_DOMAINS, ALL_GPU},
};

static void add_gpu(struct selection *s, unsigned int gpu)
{
	s->kernels |= !!(gpu & KERNELS);
	s->copies |= !!(gpu & COPIES);
	s->memory |= !!(gpu & MEMORY);
	s->scratch |= !!(gpu & SCRATCH);
	s->setup |= !!(gpu & SETUP);
}

void selection__all(struct selection *s)
{
	*s = (struct selection){.domains = ALL_DOMAINS};
	add_gpu(s, ALL_GPU);
}

void selection__none(struct selection *s)
{
	s->domains = 0;
	s->kernels = s->copies = s->memory = s->scratch = s->setup = false;
}

const char *selection__domain_words(void)
{
	return "hip, hsa, kfd, roctx (marker), roctracer, kernel, memory-copy, memory, scratch, "
	       "setup, gpu (these five), runtime (hip, roctx, gpu), all";
}

bool selection__add_domain(struct selection *s, const char *word)
{
	for (size_t i = 0; i < COUNT(words); i++) {
		if (strcmp(words[i].word, word))
			continue;
		s->domains |= words[i].domains;
		add_gpu(s, words[i].gpu);
		return true;
	}
	return false;
}

bool globs__add(struct globs *g, const char *pattern)
{
	if (g->count == SELECT_GLOBS)
		return false;
	g->pattern[g->count++] = pattern;
	return true;
}

bool globs__match(const struct globs *g, const char *name)
{
	for (size_t i = 0; i < g->count; i++)
		if (!fnmatch(g->pattern[i], name, 0))
			return true;
	return false;
}

bool selection__add_function(struct selection *s, const char *glob)
{
	return glob[0] == '!' ? globs__add(&s->except, glob + 1) : globs__add(&s->only, glob);
}

static bool is_one_of(const char *name, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

static bool is_hot(const char *name)
{
	for (size_t i = 0; i < COUNT(hot_functions); i++)
		if (!fnmatch(hot_functions[i], name, 0))
			return true;
	return false;
}

static bool is_shown(const struct selection *s, const char *name, enum ev_domain domain)
{
	if (!(s->domains & BIT(domain)) || globs__match(&s->except, name))
		return false;
	if (s->only.count)
		return globs__match(&s->only, name);
	return s->hot || !is_hot(name);
}

/* Ranges and marks are made of these. */
static bool is_range_call(const char *name)
{
	return !strncmp(name, "roctxRange", 10) || !strncmp(name, "roctxMark", 9) ||
	       !strncmp(name, "roctxName", 9);
}

enum selected selection__of(const struct selection *s, const char *name)
{
	enum ev_domain domain;

	if (!function__is_api(name, &domain))
		return SELECT_NO;
	if (is_shown(s, name, domain))
		return SELECT_SHOW;
	if (is_one_of(name, control_functions, COUNT(control_functions)))
		return SELECT_QUIET;
	if (s->domains & BIT(DOMAIN_HIP) &&
	    is_one_of(name, naming_functions, COUNT(naming_functions)))
		return SELECT_QUIET;
	if (s->domains & BIT(DOMAIN_ROCTX) && is_range_call(name))
		return SELECT_QUIET;
	return SELECT_NO;
}

#define CAUSES (BIT(DOMAIN_HIP) | BIT(DOMAIN_HSA))

bool selection__has_causes(const struct selection *s)
{
	return s->domains & CAUSES;
}

bool selection__has_all_causes(const struct selection *s)
{
	return (s->domains & CAUSES) == CAUSES && !s->only.count && !s->except.count;
}
