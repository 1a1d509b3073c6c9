// SPDX-License-Identifier: MIT
/*
 * The page of counters, asked for over HTTP, and the addresses that it may have.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "user/live/metrics_server.h"
#include "user/output/sink.h"

static char page[65536];

static struct sockaddr_in loopback(uint16_t port)
{
	return (struct sockaddr_in){.sin_family = AF_INET,
				    .sin_port = htons(port),
				    .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static uint16_t free_port(void)
{
	struct sockaddr_in address = loopback(0);
	socklen_t len = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	assert_int_equal(bind(fd, (struct sockaddr *)&address, len), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &len), 0);
	close(fd);
	return ntohs(address.sin_port);
}

static void fetch(uint16_t port)
{
	static const char request[] = "GET /metrics HTTP/1.0\r\n\r\n";
	struct sockaddr_in address = loopback(port);
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	size_t len = 0;
	ssize_t n;

	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(write(fd, request, strlen(request)), strlen(request));
	while ((n = read(fd, page + len, sizeof(page) - 1 - len)) > 0)
		len += (size_t)n;
	page[len] = '\0';
	close(fd);
}

static void has(const char *line)
{
	if (!strstr(page, line))
		fail_msg("no '%s' in:\n%s", line, page);
}

static void lacks(const char *text)
{
	if (strstr(page, text))
		fail_msg("'%s' in:\n%s", text, page);
}

static void test_page(void **state)
{
	const struct process_info info = {.pid = 10,
					  .comm = "job",
					  .cmdline = "",
					  .cgroup = "/a\"b\\c\n\x01\xff",
					  .libraries = ""};
	const struct event call = {.kind = EV_SPAN, .domain = DOMAIN_HIP, .pid = 10, .name = "f"};
	const struct event kernel = {.kind = EV_DISPATCH,
				     .domain = DOMAIN_GPU,
				     .pid = 10,
				     .begin = 1000,
				     .end = 3500000000,
				     .name = "k"};
	const struct trace_stats stats = {.lost_spans = 7, .lost_gpu = 3, .gaps = 2};
	struct sink_settings settings = {};
	const struct sink_target to = {.out = stdout, .settings = &settings};
	const struct trace_origin origin = {};
	uint16_t port = free_port();
	struct sink *sink;
	char address[16];

	snprintf(address, sizeof(address), "%u", port);
	settings.metrics = address;
	sink = sink_metrics.open(&to, &origin);
	assert_non_null(sink);
	fetch(port);
	has("\r\n\r\n# TYPE rtrace info\n");
	has("rtrace_lost_total{what=\"calls\"} 0\n");
	sink_metrics.process(sink, &info);
	sink_metrics.event(sink, &call);
	sink_metrics.event(sink, &call);
	sink_metrics.flush(sink, &stats);
	fetch(port);
	/* Nothing is known of GPUs: no series, which would say 0. */
	has(",domain=\"hip\"} 2\n");
	has("rtrace_events_lost_total{");
	lacks("rtrace_launches_total{");
	lacks("rtrace_copies_total{");
	lacks("rtrace_copied_bytes_total{");
	lacks("rtrace_gpu_busy_seconds_total{");
	sink_metrics.event(sink, &kernel);
	sink_metrics.flush(sink, &stats);
	fetch(port);
#define LABEL "container=\"/a\\\"b\\\\c??\xef\xbf\xbd\""
	has("rtrace_calls_total{" LABEL ",domain=\"hip\"} 2\n");
	has("rtrace_launches_total{" LABEL "} 1\n");
	has("rtrace_gpu_busy_seconds_total{" LABEL "} 3.499999000\n");
	has("rtrace_device_busy_seconds_total{gpu=\"gpu 0 of process 10\",model=\"\"} "
	    "3.499999000\n");
	has("rtrace_lost_total{what=\"calls\"} 7\n");
	has("rtrace_lost_total{what=\"gpu\"} 3\n");
	has("rtrace_gaps_total 2\n# EOF\n");
	/* Two at one port. */
	assert_null(sink_metrics.open(&to, &origin));
	assert_int_equal(sink_metrics.close(sink, &stats), 0);
	sink = sink_metrics.open(&to, &origin);
	assert_non_null(sink);
	assert_int_equal(sink_metrics.close(sink, &stats), 0);
}

static void test_addresses(void **state)
{
	static const char *const wrong[] = {"",	       "x",	     ":",	  ":1",
					    "1.2.3.4", "1.2.3.4:",   "1.2.3.4:x", "::1",
					    "[::1]",   "-1",	     "65536",	  "1.2.3.4.5:1",
					    "host:1",  "::1:1",	     "[]:1",	  "[1.2:1",
					    "+80",     "99999999999"};
	struct sockaddr_storage address;
	const struct sockaddr_in *v4 = (const struct sockaddr_in *)&address;
	socklen_t len;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		if (metrics__parse_address(wrong[i], &address, &len))
			fail_msg("'%s' was taken", wrong[i]);
	assert_true(metrics__parse_address("9464", &address, &len));
	assert_int_equal(v4->sin_family, AF_INET);
	assert_int_equal(ntohl(v4->sin_addr.s_addr), INADDR_LOOPBACK);
	assert_int_equal(ntohs(v4->sin_port), 9464);
	assert_true(metrics__parse_address("0.0.0.0:80", &address, &len));
	assert_int_equal(v4->sin_addr.s_addr, 0);
	assert_true(metrics__parse_address("[::1]:80", &address, &len));
	assert_int_equal(address.ss_family, AF_INET6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_page),
		cmocka_unit_test(test_addresses),
	};

	return cmocka_run_group_tests_name("metrics", tests, NULL, NULL);
}
