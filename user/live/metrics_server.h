/* SPDX-License-Identifier: MIT */
/*
 * --metrics: counters for Prometheus and what else reads OpenMetrics, served over HTTP.
 */
#ifndef RTRACE_LIVE_METRICS_SERVER_H
#define RTRACE_LIVE_METRICS_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

/*
 * "9464", "127.0.0.1:9464", "[::1]:9464": where to listen; without an address on the loopback one.
 * false: it is none of these.
 */
bool metrics__parse_address(const char *text, struct sockaddr_storage *address, socklen_t *len);

struct metrics_server;

/*
 * Serves from a thread of its own. `address` as above. NULL with errno. What it answers is empty
 * until there is a text.
 */
struct metrics_server *metrics_server__new(const char *address);

/* What is served from now on; taken over, and freed. */
void metrics_server__set(struct metrics_server *server, char *text, size_t len);

/* Returns when no request is in flight any more. NULL is fine. */
void metrics_server__free(struct metrics_server *server);

#endif
