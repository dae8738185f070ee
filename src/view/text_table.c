/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables as aligned text, for people: times in ms, groups of three digits, and few columns.
 * The rows are kept until the table's end, when widths and units are known.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "view/table.h"
#include "view/text.h"

enum {
    TEXT_WIDTH = 79, /* columns of the screen that a cell takes at most */
    NUMBER_TEXT = 96 /* bytes: the longest number with its separators, with room to spare */
};

/* A cell that is kept: its text, shortened, or NULL for a number. */
struct kept_cell {
    char *text;
    struct weft_cell number;
};

struct column {
    char *name;    /* the heading */
    bool numeric;  /* a row has a number in it */
    bool any;      /* a row has a text, or a number other than 0, in it */
    bool times;    /* its numbers are ns, shown in ms */
    bool grouped;  /* its integers are amounts, not names of things */
    bool seldom;   /* it is left out before others */
    bool left_out; /* there are too many columns */
    double most;   /* largest number, without its sign */
    double sum;    /* of all numbers, without their signs */
    size_t width;  /* on the screen */
};

struct text_table {
    struct weft_table table;
    FILE *stream;
    struct weft_text_columns wanted;
    struct column *columns;
    size_t n_columns;
    struct kept_cell *cells; /* row by row */
    size_t n_cells, capacity;
};

/* ---- Keeping rows ---- */

static bool ends_in(const char *text, const char *end)
{
    size_t length = strlen(text), of_end = strlen(end);
    return length >= of_end && strcmp(text + length - of_end, end) == 0;
}

static bool is_seldom(const struct text_table *text, const char *name)
{
    for (size_t i = 0; i < text->wanted.n_seldom; i++)
        if (strcmp(text->wanted.seldom[i], name) == 0)
            return true;
    return false;
}

static void begin(struct weft_table *table, const char *const *names, size_t n)
{
    struct text_table *text = (struct text_table *)table;
    text->columns = weft_zalloc(n, sizeof *text->columns);
    text->n_columns = n;
    for (size_t i = 0; i < n; i++) {
        struct column *column = &text->columns[i];
        const char *name = names[i];
        column->times = ends_in(name, "_ns");
        column->seldom = is_seldom(text, name);
        column->grouped = !ends_in(name, "id") && !ends_in(name, "line");
        column->name = column->times
                           ? weft_asprintf("%.*s_ms", (int)(strlen(name) - 3), name)
                           : weft_strdup(name);
    }
}

/* Returns the columns on the screen: UTF-8 continuation bytes take none. */
static size_t screen_width(const char *text)
{
    size_t width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

/* Returns the byte at which the N-th character begins, or the end. */
static size_t character(const char *text, size_t n)
{
    size_t at = 0;
    for (; text[at]; at++)
        if (((unsigned char)text[at] & 0xc0) != 0x80 && n-- == 0)
            break;
    return at;
}

/*
 * Shortens a long text in the middle: generated names often differ in numbers at the end.
 */
static char *shorten(const char *text)
{
    size_t width = screen_width(text), half = (TEXT_WIDTH - 1) / 2;
    if (width <= TEXT_WIDTH)
        return weft_strdup(text);
    return weft_asprintf("%.*s…%s", (int)character(text, half), text,
                         text + character(text, width - half));
}

static bool is_number(const struct weft_cell *cell)
{
    return cell->kind == WEFT_CELL_INTEGER
           || (cell->kind == WEFT_CELL_REAL && isfinite(cell->real));
}

static double size_of(const struct weft_cell *cell)
{
    return fabs(cell->kind == WEFT_CELL_INTEGER ? (double)cell->integer : cell->real);
}

static bool row(struct weft_table *table, const struct weft_cell *cells)
{
    struct text_table *text = (struct text_table *)table;
    struct weft_arena arena = { 0 };
    text->cells = weft_grow(text->cells, &text->capacity, text->n_cells + text->n_columns,
                            sizeof *text->cells);
    for (size_t i = 0; i < text->n_columns; i++) {
        struct column *column = &text->columns[i];
        struct kept_cell kept = { .number = cells[i] };
        if (is_number(&cells[i])) {
            double size = size_of(&cells[i]);
            column->numeric = true;
            column->any |= size > 0;
            column->sum += size;
            column->most = size > column->most ? size : column->most;
        } else { /* control characters could reach a terminal */
            bool is_text = cells[i].kind == WEFT_CELL_TEXT;
            kept.text = shorten(is_text ? weft_text_clean(&arena, cells[i].text) : "");
            column->any |= kept.text[0] != 0;
        }
        text->cells[text->n_cells++] = kept;
    }
    weft_arena_free(&arena);
    return true;
}

/* ---- Choosing columns ---- */

/* Returns the column that is left out next: the last of the first kind that there is. */
static struct column *next_left_out(const struct text_table *text)
{
    struct column *empty = NULL, *seldom = NULL, *least = NULL, *last = NULL;
    for (size_t i = 1; i < text->n_columns; i++) {
        struct column *column = &text->columns[i];
        if (column->left_out)
            continue;
        last = column;
        if (!column->any)
            empty = column;
        if (column->seldom)
            seldom = column;
        if (column->times && (!least || column->sum <= least->sum))
            least = column;
    }
    return empty ? empty : seldom ? seldom : least ? least : last;
}

/*
 * Leaves columns out until wanted.most are left: first those that have nothing but zeros,
 * then those that are seldom asked for, then times that are least in all, then any.  The
 * first column stays.
 */
static void choose(struct text_table *text)
{
    for (size_t left = text->n_columns; text->wanted.most && left > text->wanted.most;
         left--)
        next_left_out(text)->left_out = true;
}

/* ---- Writing ---- */

/* Puts a comma between groups of three digits before the point of the number TEXT. */
static void group_digits(char text[NUMBER_TEXT])
{
    size_t first = text[0] == '-', n = strspn(text + first, "0123456789");
    for (size_t digits = n; digits > 3; digits -= 3) {
        char *at = text + first + digits - 3;
        memmove(at + 1, at, strlen(at) + 1);
        *at = ',';
    }
}

/*
 * Formats a number for people.  Times: ms to the microsecond, or to the nanosecond if all
 * of the column are shorter than a millisecond.  Reals: four digits, but all of those
 * before the point, up to the precision of a double.
 */
static const char *number_text(const struct column *column, const struct weft_cell *cell,
                               char text[NUMBER_TEXT])
{
    double value = cell->kind == WEFT_CELL_INTEGER ? (double)cell->integer : cell->real;
    if (column->times)
        snprintf(text, NUMBER_TEXT, "%.*f", column->most < 1e6 ? 6 : 3, value / 1e6);
    else if (cell->kind == WEFT_CELL_INTEGER)
        snprintf(text, NUMBER_TEXT, "%" PRId64, cell->integer);
    else if (cell->decimals >= 0)
        snprintf(text, NUMBER_TEXT, "%.*f", cell->decimals, value);
    else
        snprintf(text, NUMBER_TEXT,
                 fabs(value) >= 1e3 && fabs(value) < 1e15 ? "%.0f" : "%.4g", value);
    if (column->grouped && !strchr(text, 'e'))
        group_digits(text);
    return text;
}

/* Gives each number its text, and each column its width. */
static void lay_out(struct text_table *text)
{
    char number[NUMBER_TEXT];
    for (size_t i = 0; i < text->n_columns; i++)
        text->columns[i].width = screen_width(text->columns[i].name);
    for (size_t i = 0; i < text->n_cells; i++) {
        struct column *column = &text->columns[i % text->n_columns];
        struct kept_cell *cell = &text->cells[i];
        if (!cell->text)
            cell->text = weft_strdup(number_text(column, &cell->number, number));
        size_t width = screen_width(cell->text);
        column->width = width > column->width ? width : column->width;
    }
}

static void put_cell(struct text_table *text, size_t i, const char *cell, bool last)
{
    const struct column *column = &text->columns[i];
    int pad = (int)(column->width - screen_width(cell));
    if (i)
        fputs("  ", text->stream);
    if (column->numeric)
        fprintf(text->stream, "%*s%s", pad, "", cell);
    else
        fprintf(text->stream, "%s%*s", cell, last ? 0 : pad, "");
}

/* Writes a line: the headings if CELLS is NULL. */
static void put_line(struct text_table *text, const struct kept_cell *cells)
{
    size_t last = text->n_columns - 1;
    while (text->columns[last].left_out)
        last--;
    for (size_t i = 0; i <= last; i++)
        if (!text->columns[i].left_out)
            put_cell(text, i, cells ? cells[i].text : text->columns[i].name, i == last);
    fputc('\n', text->stream);
}

static void put_left_out(struct text_table *text)
{
    size_t n = 0;
    for (size_t i = 0; i < text->n_columns; i++)
        n += text->columns[i].left_out;
    if (!n)
        return;
    fprintf(text->stream, "(--all-columns: also");
    for (size_t i = 0; i < text->n_columns; i++)
        if (text->columns[i].left_out)
            fprintf(text->stream, " %s%s", text->columns[i].name, --n ? "," : ")\n");
}

static void end(struct weft_table *table)
{
    struct text_table *text = (struct text_table *)table;
    if (!text->n_columns)
        return;
    choose(text);
    lay_out(text);
    put_line(text, NULL);
    for (size_t i = 0; i < text->n_cells; i += text->n_columns)
        put_line(text, text->cells + i);
    put_left_out(text);
}

static void free_table(struct weft_table *table)
{
    struct text_table *text = (struct text_table *)table;
    for (size_t i = 0; i < text->n_columns; i++)
        free(text->columns[i].name);
    for (size_t i = 0; i < text->n_cells; i++)
        free(text->cells[i].text);
    free(text->columns);
    free(text->cells);
    free(text);
}

struct weft_table *weft_table_text(FILE *stream, struct weft_text_columns columns)
{
    struct text_table *text = weft_zalloc(1, sizeof *text);
    text->table = (struct weft_table){ begin, row, end, free_table };
    text->stream = stream;
    text->wanted = columns;
    return &text->table;
}
