// SPDX-License-Identifier: MIT
/*
 * The HTTP server, by libmicrohttpd: one page, which is replaced as a whole.
 */
#include "user/live/metrics_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define CONTENT_TYPE "application/openmetrics-text; version=1.0.0; charset=utf-8"
#define CONNECTIONS  64 /* at a time: one more, and the oldest is closed */
#define TIMEOUT_S    10 /* of one that sends nothing */

/* A connection, in the order in which they were made. */
struct connection {
	int fd;
	struct connection *older, *newer;
};

struct metrics_server {
	struct MHD_Daemon *daemon;
	struct connection *oldest, *newest; /* the daemon's thread alone has these */
	unsigned int connections;
	pthread_mutex_t lock; /* of the text */
	char *text;
	size_t len;
};

/* ---- addresses ---- */

/* The port follows the last colon; brackets around an address of IPv6. */
static bool split(const char *text, char *host, size_t size, const char **port)
{
	const char *colon = strrchr(text, ':');
	size_t len = colon ? (size_t)(colon - text) : 0;

	*port = colon ? colon + 1 : text;
	if (len >= 2 && text[0] == '[' && text[len - 1] == ']') {
		text++;
		len -= 2;
	} else if (memchr(text, ':', len)) {
		return false;
	}
	if (len >= size || (colon && !len))
		return false;
	snprintf(host, size, "%.*s", (int)len, len ? text : "");
	return **port && strspn(*port, "0123456789") == strlen(*port) && atol(*port) <= 65535 &&
	       strlen(*port) <= 5;
}

bool metrics__parse_address(const char *text, struct sockaddr_storage *address, socklen_t *len)
{
	struct sockaddr_in *v4 = (struct sockaddr_in *)address;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)address;
	const char *port;
	char host[64];

	memset(address, 0, sizeof(*address));
	if (!split(text, host, sizeof(host), &port))
		return false;
	if (inet_pton(AF_INET, host[0] ? host : "127.0.0.1", &v4->sin_addr) == 1) {
		v4->sin_family = AF_INET;
		v4->sin_port = htons((uint16_t)atoi(port));
		*len = sizeof(*v4);
		return true;
	}
	v6->sin6_family = AF_INET6;
	v6->sin6_port = htons((uint16_t)atoi(port));
	*len = sizeof(*v6);
	return inet_pton(AF_INET6, host, &v6->sin6_addr) == 1;
}

/* ---- serving ---- */

static enum MHD_Result answer(struct MHD_Connection *c, unsigned int status, const char *text,
			      size_t len, const char *type)
{
	struct MHD_Response *response =
		MHD_create_response_from_buffer(len, (void *)text, MHD_RESPMEM_MUST_COPY);
	enum MHD_Result result = MHD_NO;

	if (response && MHD_add_response_header(response, "Content-Type", type) == MHD_YES)
		result = MHD_queue_response(c, status, response);
	if (response)
		MHD_destroy_response(response);
	return result;
}

static enum MHD_Result answer_line(struct MHD_Connection *c, unsigned int status, const char *line)
{
	return answer(c, status, line, strlen(line), "text/plain; charset=utf-8");
}

static enum MHD_Result on_request(void *arg, struct MHD_Connection *c, const char *url,
				  const char *method, const char *version, const char *data,
				  size_t *data_size, void **state)
{
	struct metrics_server *server = arg;
	enum MHD_Result result;

	if (strcmp(method, "GET") && strcmp(method, "HEAD"))
		return answer_line(c, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET\n");
	if (!strcmp(url, "/"))
		return answer_line(c, MHD_HTTP_OK, "rtrace-bpf: see /metrics\n");
	if (strcmp(url, "/metrics"))
		return answer_line(c, MHD_HTTP_NOT_FOUND, "see /metrics\n");
	pthread_mutex_lock(&server->lock);
	result = answer(c, MHD_HTTP_OK, server->text, server->len, CONTENT_TYPE);
	pthread_mutex_unlock(&server->lock);
	return result;
}

static void add_connection(struct metrics_server *server, struct connection *c)
{
	c->older = server->newest;
	*(c->older ? &c->older->newer : &server->oldest) = c;
	server->newest = c;
	/* A client that takes its time is not to keep the others out. */
	if (++server->connections > CONNECTIONS)
		shutdown(server->oldest->fd, SHUT_RDWR);
}

static void remove_connection(struct metrics_server *server, struct connection *c)
{
	*(c->older ? &c->older->newer : &server->oldest) = c->newer;
	*(c->newer ? &c->newer->older : &server->newest) = c->older;
	server->connections--;
	free(c);
}

static void on_connection(void *arg, struct MHD_Connection *connection, void **context,
			  enum MHD_ConnectionNotificationCode what)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct connection *c;

	if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
		if (*context)
			remove_connection(arg, *context);
		return;
	}
	c = info ? calloc(1, sizeof(*c)) : NULL;
	if (!c)
		return;
	c->fd = info->connect_fd;
	*context = c;
	add_connection(arg, c);
}

/* Its threads are not to get the signals that are meant for the tracer's loop. */
static struct MHD_Daemon *start_daemon(struct metrics_server *server,
				       const struct sockaddr_storage *address)
{
	unsigned int flags = MHD_USE_AUTO | MHD_USE_INTERNAL_POLLING_THREAD;
	struct MHD_Daemon *daemon;
	sigset_t all, old;

	if (address->ss_family == AF_INET6)
		flags |= MHD_USE_IPv6;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	daemon = MHD_start_daemon(
		flags, 0, NULL, NULL, on_request, server, MHD_OPTION_SOCK_ADDR, address,
		MHD_OPTION_CONNECTION_LIMIT, 2 * CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT,
		TIMEOUT_S, MHD_OPTION_NOTIFY_CONNECTION, on_connection, server, MHD_OPTION_END);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return daemon;
}

struct metrics_server *metrics_server__new(const char *text)
{
	struct metrics_server *server = calloc(1, sizeof(*server));
	struct sockaddr_storage address;
	socklen_t len;

	if (!server)
		return NULL;
	pthread_mutex_init(&server->lock, NULL);
	errno = 0;
	if (!metrics__parse_address(text, &address, &len))
		errno = EINVAL;
	else
		server->daemon = start_daemon(server, &address);
	if (server->daemon)
		return server;
	errno = errno ? errno : EADDRINUSE;
	len = errno;
	metrics_server__free(server);
	errno = (int)len;
	return NULL;
}

void metrics_server__set(struct metrics_server *server, char *text, size_t len)
{
	char *old;

	pthread_mutex_lock(&server->lock);
	old = server->text;
	server->text = text;
	server->len = len;
	pthread_mutex_unlock(&server->lock);
	free(old);
}

void metrics_server__free(struct metrics_server *server)
{
	if (!server)
		return;
	if (server->daemon)
		MHD_stop_daemon(server->daemon);
	pthread_mutex_destroy(&server->lock);
	free(server->text);
	free(server);
}
