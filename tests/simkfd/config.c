/* SPDX-License-Identifier: MIT */
/* The configuration, read once from the environment, and the log. */
#include "tests/simkfd/simkfd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct config config;

static int log_fd = STDERR_FILENO;

static const struct gpu_model models[] = {
	{"gfx906", "vega20", "Simulated AMD Instinct MI50", 90006, 0x66a1, 60, 4, 10},
	{"gfx908", "arcturus", "Simulated AMD Instinct MI100", 90008, 0x738c, 104, 8, 8},
	{"gfx90a", "aldebaran", "Simulated AMD Instinct MI210", 90010, 0x740f, 104, 8, 8},
};

static const char *env_text(const char *name)
{
	const char *text = getenv(name);

	return text && *text ? text : NULL;
}

static uint64_t env_number(const char *name, uint64_t otherwise)
{
	const char *text = env_text(name);

	return text ? strtoull(text, NULL, 0) : otherwise;
}

static uint64_t env_range(const char *name, uint64_t otherwise, uint64_t low, uint64_t high)
{
	uint64_t number = env_number(name, otherwise);

	if (number < low)
		return low;
	return number > high ? high : number;
}

static double env_real(const char *name, double otherwise)
{
	const char *text = env_text(name);

	return text ? strtod(text, NULL) : otherwise;
}

static const struct gpu_model *env_model(const char *name)
{
	const char *gfx = env_text(name);
	size_t i;

	for (i = 0; gfx && i < sizeof(models) / sizeof(models[0]); i++)
		if (!strcmp(gfx, models[i].gfx))
			return &models[i];
	return &models[0];
}

static void open_log(const char *path)
{
	int fd;

	if (!path)
		return;
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	if (fd >= 0)
		log_fd = fd;
	else
		sim__log(0, "log file, %s: %s", path, strerror(errno));
}

void config__read(void)
{
	if (config.gpus)
		return;
	config.gpus = env_range("SIMKFD_GPUS", 2, 1, MAX_GPUS);
	config.model = env_model("SIMKFD_GFX");
	config.vram = env_number("SIMKFD_VRAM_MB", 4096) << 20;
	config.large_bar = env_number("SIMKFD_LARGE_BAR", 1);
	config.svm = env_number("SIMKFD_SVM", 1);
	config.minor = env_number("SIMKFD_MINOR", 14);
	config.kernel_ns = env_number("SIMKFD_KERNEL_NS", 20000);
	config.kernels = env_text("SIMKFD_KERNELS");
	config.kernel_lib = env_text("SIMKFD_KERNEL_LIB");
	config.gap_ns = env_number("SIMKFD_GAP_NS", 1000);
	config.unrung_ns = env_range("SIMKFD_UNRUNG_US", 1000000, 0, 1000000000) * 1000;
	config.overlap = env_range("SIMKFD_OVERLAP", 4, 1, 64);
	config.copy_gbps = env_real("SIMKFD_COPY_GBPS", 16);
	config.gpu_khz = env_number("SIMKFD_GPU_KHZ", 100000);
	config.drift_ppm = env_real("SIMKFD_DRIFT_PPM", 0);
	config.poll_ns = env_range("SIMKFD_POLL_US", 50, 1, 100000) * 1000;
	config.fault = env_text("SIMKFD_FAULT");
	config.queue_gate = env_text("SIMKFD_QUEUE_GATE");
	config.syscalls = env_number("SIMKFD_SYSCALLS", 0);
	config.truth = env_text("SIMKFD_TRUTH");
	config.clock = env_text("SIMKFD_CLOCK");
	config.log = env_number("SIMKFD_LOG", 0);
	open_log(env_text("SIMKFD_LOGFILE"));
}

/* No stdio stream: a line may come from any thread, also in the child of a fork. */
void sim__log(int level, const char *format, ...)
{
	char line[512];
	va_list args;
	int len, more;

	if (config.log < level)
		return;
	len = snprintf(line, sizeof(line), "simkfd[%d]: ", (int)getpid());
	va_start(args, format);
	more = vsnprintf(line + len, sizeof(line) - len - 1, format, args);
	va_end(args);
	if (more < 0)
		return;
	len += more;
	if (len > (int)sizeof(line) - 2)
		len = sizeof(line) - 2;
	line[len++] = '\n';
	if (write(log_fd, line, len) < 0)
		return; /* there is nowhere to report it */
}
