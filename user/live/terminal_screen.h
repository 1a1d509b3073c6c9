/* SPDX-License-Identifier: MIT */
/*
 * A full-screen table on a terminal, and the keys that are pressed before it. By ncurses.
 */
#ifndef RTRACE_LIVE_TERMINAL_SCREEN_H
#define RTRACE_LIVE_TERMINAL_SCREEN_H

#include "user/live/table_view.h"

/*
 * Takes the terminal of stdin and stdout over, and messages with it: the last one is shown at the
 * bottom. 0 or -errno.
 */
int terminal_screen__open(void);

/* Gives the terminal back as it was, and writes the messages to stderr. */
void terminal_screen__close(void);

/* The line at the top, the head of the table and as many rows as there is room for. */
void terminal_screen__draw(const char *line, const struct view *v, const struct view_rows *rows);

enum screen_wish {
	SCREEN_NOTHING,
	SCREEN_REDRAW, /* the view has changed, or the window */
	SCREEN_PAUSE,  /* or go on */
	SCREEN_QUIT,
};

/* Reads the keys that were pressed, which may change the view. Does not wait. */
enum screen_wish terminal_screen__keys(struct view *v);

#endif
