// SPDX-License-Identifier: MIT
/*
 * Columns are as wide as what is in them; the last one gets what is left of a line.
 */
#include "user/live/terminal_screen.h"

#include <curses.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "user/base/log.h"

#define MESSAGES 16
#define KEY_ESC	 27

static const char keys_help[] = "q quit  p processes  c containers  g GPUs  s sort by the next "
				"column  / filter  SPACE pause";

static struct {
	SCREEN *screen;
	char messages[MESSAGES][256]; /* a ring */
	size_t message_count;
	bool typing; /* the filter */
	char typed[sizeof(((struct view *)0)->filter)];
} s;

static void keep_message(const char *line)
{
	snprintf(s.messages[s.message_count++ % MESSAGES], sizeof(s.messages[0]), "%s", line);
}

int terminal_screen__open(void)
{
	s.screen = newterm(NULL, stdout, stdin);
	if (!s.screen)
		return -ENOTTY;
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	curs_set(0);
	set_escdelay(25);
	if (isatty(STDERR_FILENO))
		log_divert = keep_message;
	return 0;
}

void terminal_screen__close(void)
{
	size_t first = s.message_count > MESSAGES ? s.message_count - MESSAGES : 0;

	endwin();
	delscreen(s.screen);
	s.screen = NULL;
	log_divert = NULL;
	for (size_t i = first; i < s.message_count; i++)
		fprintf(stderr, "%s\n", s.messages[i % MESSAGES]);
	s.message_count = 0;
}

/* ---- drawing ---- */

static int width_of(const struct view *v, const struct view_rows *rows, enum view_column column)
{
	size_t width = strlen(table_view__column_name(v->by, column));

	for (size_t i = 0; i < rows->count; i++) {
		size_t len = strlen(rows->rows[i].cells[column]);

		width = len > width ? len : width;
	}
	return (int)(width > 32 ? 32 : width);
}

static enum view_column last_column(const struct view *v)
{
	return table_view__column_name(v->by, COL_ABOUT) ? COL_ABOUT : COL_NAME;
}

/* A line of the table; row: NULL: its head. */
static void draw_row(int y, const struct view *v, const struct view_row *row,
		     const int widths[VIEW_COLUMNS])
{
	int x = 0, room;

	for (enum view_column column = 0; column < VIEW_COLUMNS; column++) {
		const char *name = table_view__column_name(v->by, column);
		const char *text = row ? row->cells[column] : name;

		room = COLS - x;
		if (!name || room <= 0)
			continue;
		room = column != last_column(v) && widths[column] < room ? widths[column] : room;
		if (!row && column == v->sort)
			attron(A_BOLD);
		if (table_view__is_number(column))
			mvprintw(y, x, "%*.*s", room, room, text);
		else
			mvprintw(y, x, "%-*.*s", room, room, text);
		if (!row && column == v->sort)
			attroff(A_BOLD);
		x += room + 1;
	}
}

static void draw_bottom(const struct view *v)
{
	if (s.typing)
		mvprintw(LINES - 1, 0, "filter: %.*s_", COLS - 10, s.typed);
	else if (v->filter[0])
		mvprintw(LINES - 1, 0, "%.*s", COLS - 1, keys_help);
	else if (s.message_count)
		mvprintw(LINES - 1, 0, "%.*s", COLS - 1,
			 s.messages[(s.message_count - 1) % MESSAGES]);
	else
		mvprintw(LINES - 1, 0, "%.*s", COLS - 1, keys_help);
}

void terminal_screen__draw(const char *line, const struct view *v, const struct view_rows *rows)
{
	int widths[VIEW_COLUMNS] = {};

	for (enum view_column column = 0; column < VIEW_COLUMNS; column++)
		if (table_view__column_name(v->by, column))
			widths[column] = width_of(v, rows, column);
	erase();
	mvprintw(0, 0, "%.*s", COLS - 1, line);
	attron(A_REVERSE);
	mvhline(2, 0, ' ', COLS);
	draw_row(2, v, NULL, widths);
	attroff(A_REVERSE);
	for (size_t i = 0; i < rows->count && (int)i + 3 < LINES - 1; i++)
		draw_row((int)i + 3, v, &rows->rows[i], widths);
	draw_bottom(v);
	refresh();
}

/* ---- keys ---- */

static void type(struct view *v, int key)
{
	size_t len = strlen(s.typed);

	if (key == '\r' || key == '\n' || key == KEY_ENTER) {
		memcpy(v->filter, s.typed, sizeof(v->filter));
		s.typing = false;
	} else if (key == KEY_ESC) {
		s.typing = false;
	} else if ((key == KEY_BACKSPACE || key == 127 || key == '\b') && len) {
		s.typed[len - 1] = '\0';
	} else if (key >= ' ' && key < 127 && len + 1 < sizeof(s.typed)) {
		s.typed[len] = (char)key;
		s.typed[len + 1] = '\0';
	}
}

/* Another table has nothing in common with this one, whatever letters are where they were. */
static void look_at(struct view *v, enum live_kind by)
{
	clearok(stdscr, TRUE);
	v->by = by;
	if (!table_view__column_name(by, v->sort))
		v->sort = COL_BUSY;
}

static enum screen_wish press(struct view *v, int key)
{
	switch (key) {
	case 'q':
		return SCREEN_QUIT;
	case ' ':
		return SCREEN_PAUSE;
	case 'p':
		look_at(v, LIVE_PROCESS);
		break;
	case 'c':
		look_at(v, LIVE_CONTAINER);
		break;
	case 'g':
		look_at(v, LIVE_GPU);
		break;
	case 's':
		table_view__sort_by_next(v);
		break;
	case '/':
		s.typing = true;
		s.typed[0] = '\0';
		break;
	case KEY_RESIZE:
		break;
	default:
		return SCREEN_NOTHING;
	}
	return SCREEN_REDRAW;
}

enum screen_wish terminal_screen__keys(struct view *v)
{
	enum screen_wish wish = SCREEN_NOTHING, next;
	int key;

	while ((key = getch()) != ERR) {
		next = SCREEN_REDRAW;
		if (s.typing)
			type(v, key);
		else
			next = press(v, key);
		wish = next > wish ? next : wish;
	}
	return wish;
}
