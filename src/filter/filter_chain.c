/* SPDX-License-Identifier: Apache-2.0 */
#include "filter/filter_chain.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest_name.h"

struct line_parser {
    struct weft_arena *arena;
    struct weft_err *err;
    const char *rest; /* of the line, behind the verb */
    struct weft_filter_line *out;
};

bool weft_filter_fail(struct weft_err *err, uint32_t number, const char *fmt, ...)
{
    char message[400];
    va_list arguments;
    va_start(arguments, fmt);
    vsnprintf(message, sizeof message, fmt, arguments);
    va_end(arguments);
    return weft_fail(err, WEFT_ERR_USAGE, "filters, line %u: %s", number, message);
}

/* ---- Words ---- */

static const char *skip_spaces(const char *at)
{
    return at + strspn(at, " \t\r");
}

/* Returns a copy of SIZE bytes without the spaces at its end. */
static char *trimmed(struct weft_arena *arena, const char *text, size_t size)
{
    while (size && isspace((unsigned char)text[size - 1]))
        size--;
    return weft_arena_printf(arena, "%.*s", (int)size, text);
}

/* Returns the text in the quotes at *AT, which moves behind them; NULL: none ends it. */
static const char *quoted_text(const char **at, struct weft_arena *arena)
{
    char *text = weft_arena_alloc(arena, strlen(*at) + 1), *to = text;
    const char *from = *at + 1;
    while (*from && *from != '"') {
        from += from[0] == '\\' && (from[1] == '"' || from[1] == '\\');
        *to++ = *from++;
    }
    *to = '\0';
    if (!*from)
        return NULL;
    *at = from + 1;
    return text;
}

const char *weft_filter_next_name(const char **at, bool *quoted, struct weft_arena *arena)
{
    *at += strspn(*at, " \t\r,");
    *quoted = **at == '"';
    if (!**at)
        return NULL;
    if (*quoted) {
        const char *text = quoted_text(at, arena);
        if (text)
            return text;
        *quoted = false;
    }
    const char *from = *at;
    *at += strcspn(from, ",");
    return trimmed(arena, from, (size_t)(*at - from));
}

/* Takes WORD, a whole one, from the begin of *AT; false: it does not stand there. */
static bool take_word(const char **at, const char *word)
{
    size_t n = strlen(word);
    if (strncmp(*at, word, n) != 0 || ((*at)[n] && !isspace((unsigned char)(*at)[n])))
        return false;
    *at = skip_spaces(*at + n);
    return true;
}

static bool fail(const struct line_parser *line, const char *right)
{
    return weft_filter_fail(line->err, line->out->number, "right: %s", right);
}

/* Takes "NAME = " from the line, NAME quoted or not; false if there is none. */
static bool take_name(struct line_parser *line)
{
    const char *at = line->rest;
    if (*at == '"') {
        if (!(line->out->name = quoted_text(&at, line->arena)))
            return false;
        at = skip_spaces(at);
    } else {
        size_t n = strcspn(at, "=");
        line->out->name = trimmed(line->arena, at, n);
        at += n;
    }
    if (*at != '=' || !line->out->name[0])
        return false;
    line->rest = skip_spaces(at + 1);
    return *line->rest;
}

static bool take_number(const char **at, uint64_t *number)
{
    char *end;
    if (!isdigit((unsigned char)**at))
        return false;
    errno = 0;
    *number = strtoull(*at, &end, 10);
    *at = end;
    return !errno;
}

/* ---- Verbs ---- */

static bool parse_hide(struct line_parser *line)
{
    const char *rest = line->rest;
    line->out->verb = WEFT_FILTER_HIDE;
    if (take_word(&rest, "variable"))
        line->out->verb = WEFT_FILTER_HIDE_VARIABLE;
    else if (take_word(&rest, "rows") && take_word(&rest, "of"))
        line->out->verb = WEFT_FILTER_HIDE_ROWS;
    else
        rest = line->rest;
    line->out->text = rest;
    return *rest || fail(line, "hide SELECTION, hide variable NAME, hide rows of TYPE");
}

static bool parse_dim(struct line_parser *line)
{
    line->out->verb = WEFT_FILTER_DIM;
    line->out->text = line->rest;
    return *line->rest || fail(line, "dim SELECTION");
}

/* Takes a number from LOW to HIGH, the rest of TEXT, as line->out->by. */
static bool take_last_number(struct line_parser *line, const char *text, uint64_t low,
                             uint64_t high)
{
    return take_number(&text, &line->out->by) && !*skip_spaces(text) && line->out->by >= low
           && line->out->by <= high;
}

/* "worker 0-63 by 4" or "worker 0-63:4" */
static bool parse_numbers(struct line_parser *line)
{
    const char *text = line->rest, *at = text + strlen(text);
    struct weft_filter_line *out = line->out;
    while (at > text && strchr("0123456789-: \tby", at[-1]))
        at--;
    /* A name may end with b or y: "copy 0-9:2". */
    while (*at && !isdigit((unsigned char)*at))
        at++;
    out->name = trimmed(line->arena, text, (size_t)(at - text));
    if (!take_number(&at, &out->low) || *at++ != '-' || !take_number(&at, &out->high))
        return false;
    at = skip_spaces(at);
    if (*at == ':')
        at++;
    else if (!take_word(&at, "by"))
        return false;
    at = skip_spaces(at);
    return take_number(&at, &out->by) && !*skip_spaces(at) && out->name[0] && out->by
           && out->low <= out->high;
}

static bool parse_group(struct line_parser *line)
{
    static const char depth[] = "group by depth N: 1 to 1000, 1 below the whole trace";
    const char *rest = line->rest;
    if (take_word(&rest, "by")) {
        if (take_word(&rest, "depth")) {
            line->out->verb = WEFT_FILTER_GROUP_DEPTH;
            return take_last_number(line, rest, 1, WEFT_FILTERS_DEPTH) || fail(line, depth);
        }
        line->out->verb = take_word(&rest, "type")       ? WEFT_FILTER_GROUP_TYPES
                          : take_word(&rest, "host")     ? WEFT_FILTER_GROUP_HOSTS
                          : take_word(&rest, "function") ? WEFT_FILTER_GROUP_FUNCTIONS
                                                         : WEFT_FILTER_GROUP;
        return (line->out->verb != WEFT_FILTER_GROUP && !*rest)
               || fail(line, "group by type, host, function or depth N");
    }
    line->out->verb = WEFT_FILTER_GROUP;
    if (strchr(line->rest, '=') && take_name(line)) {
        line->out->text = line->rest;
        return true;
    }
    line->out->verb = WEFT_FILTER_GROUP_NUMBERS;
    return parse_numbers(line)
           || fail(
               line,
               "group NAME = ROW, ROW; group worker 0-63 by 4; group by type, host, function or depth N");
}

/* Returns the last place in TEXT, outside of quotes, of WORD between spaces; or NULL. */
static const char *last_word(const char *text, const char *word)
{
    size_t n = strlen(word);
    bool quoted = false;
    const char *found = NULL;
    for (const char *at = text; *at; at++) {
        quoted ^= *at == '"';
        bool begins = at > text && isspace((unsigned char)at[-1]);
        if (!quoted && begins && strncmp(at, word, n) == 0
            && (!at[n] || isspace((unsigned char)at[n])))
            found = at;
    }
    return found;
}

/* Cuts line->rest before AT, a word behind it. */
static void cut_rest(struct line_parser *line, const char *at)
{
    line->rest = trimmed(line->arena, line->rest, (size_t)(at - line->rest));
}

/* "ROW, ROW as shades of running with sums" */
static bool parse_reduce(struct line_parser *line)
{
    static const char right[] =
        "reduce ROW, ROW; reduce groups; reduce depth N; then maybe "
        "as bars, as shades, as shades of STATE; with sums";
    struct weft_filter_line *out = line->out;
    const char *with = last_word(line->rest, "with"), *as, *rest;
    if (with && strcmp(trimmed(line->arena, with, strlen(with)), "with sums") == 0) {
        out->sums = true;
        cut_rest(line, with);
    }
    if ((as = last_word(line->rest, "as"))) {
        rest = as;
        take_word(&rest, "as");
        out->shades = take_word(&rest, "shades");
        if (!out->shades && !take_word(&rest, "bars"))
            return fail(line, right);
        if (out->shades && take_word(&rest, "of"))
            out->name = *rest ? rest : NULL;
        if (*rest && !out->name)
            return fail(line, right);
        cut_rest(line, as);
    }
    rest = line->rest;
    out->verb = WEFT_FILTER_REDUCE;
    out->text = line->rest;
    if (take_word(&rest, "groups") && !*rest)
        out->verb = WEFT_FILTER_REDUCE_GROUPS;
    rest = line->rest;
    if (take_word(&rest, "depth") && isdigit((unsigned char)*rest)) {
        out->verb = WEFT_FILTER_REDUCE_DEPTH;
        return take_last_number(line, rest, 1, WEFT_FILTERS_DEPTH) || fail(line, right);
    }
    return *line->rest || fail(line, right);
}

static bool parse_move(struct line_parser *line)
{
    const char *under = NULL;
    for (const char *at = line->rest; (at = strstr(at, " under ")); at++)
        under = at;
    line->out->verb = WEFT_FILTER_MOVE;
    if (!under || under == line->rest)
        return fail(line, "move ROW, ROW under ROW");
    line->out->text = trimmed(line->arena, line->rest, (size_t)(under - line->rest));
    bool quoted;
    under += strlen(" under ");
    line->out->name = weft_filter_next_name(&under, &quoted, line->arena);
    return line->out->name || fail(line, "move ROW, ROW under ROW");
}

static bool parse_order(struct line_parser *line)
{
    line->out->verb = WEFT_FILTER_ORDER;
    line->out->text = line->rest;
    return *line->rest || fail(line, "order ROW, ROW");
}

static bool parse_sort(struct line_parser *line)
{
    static const char *const keys[] = {
        [WEFT_FILTER_BY_NAME] = "name",
        [WEFT_FILTER_BY_BEGIN] = "begin",
        [WEFT_FILTER_BY_END] = "end",
        [WEFT_FILTER_BY_LENGTH] = "length",
        [WEFT_FILTER_BY_COUNT] = "count",
        [WEFT_FILTER_BY_SHARE] = "share",
        [WEFT_FILTER_BY_SIMILARITY] = "similarity",
    };
    bool quoted;
    line->out->verb = WEFT_FILTER_SORT;
    bool by = take_word(&line->rest, "by");
    for (size_t k = 0; by && k < sizeof keys / sizeof *keys; k++) {
        if (!take_word(&line->rest, keys[k]))
            continue;
        line->out->key = (enum weft_filter_key)k;
        line->out->name = weft_filter_next_name(&line->rest, &quoted, line->arena);
        if (!line->out->name != (k == WEFT_FILTER_BY_SHARE) && !*line->rest)
            return true;
    }
    return fail(line, "sort by name, begin, end, length, count, similarity or share VALUE");
}

static bool parse_reuse(struct line_parser *line)
{
    line->out->verb = WEFT_FILTER_REUSE;
    return !*line->rest || fail(line, "reuse");
}

static bool parse_color(struct line_parser *line)
{
    char *end;
    line->out->verb = WEFT_FILTER_COLOR;
    if (!take_name(line) || line->rest[0] != '#'
        || strspn(line->rest + 1, "0123456789abcdefABCDEF") != 6 || line->rest[7])
        return fail(line, "color VALUE = #rrggbb");
    line->out->color = 0xff000000 | (uint32_t)strtoul(line->rest + 1, &end, 16);
    return true;
}

static bool parse_name(struct line_parser *line)
{
    bool quoted;
    line->out->verb = WEFT_FILTER_NAME;
    if (!take_name(line) || (*line->rest == '"' && !strchr(line->rest + 1, '"')))
        return fail(line, "name VALUE = \"text\"");
    line->out->text = weft_filter_next_name(&line->rest, &quoted, line->arena);
    return (line->out->text && !*skip_spaces(line->rest))
           || fail(line, "name VALUE = \"text\"");
}

static bool parse_shape(struct line_parser *line)
{
    static const char *const shapes[] = {
        [WEFT_SHAPE_USUAL] = "",        [WEFT_SHAPE_DIAMOND] = "diamond",
        [WEFT_SHAPE_CIRCLE] = "circle", [WEFT_SHAPE_TRIANGLE] = "triangle",
        [WEFT_SHAPE_SQUARE] = "square", [WEFT_SHAPE_CROSS] = "cross",
        [WEFT_SHAPE_LINE] = "line",
    };
    line->out->verb = WEFT_FILTER_SHAPE;
    if (take_name(line))
        for (size_t i = 1; i < sizeof shapes / sizeof *shapes; i++)
            if (strcmp(line->rest, shapes[i]) == 0) {
                line->out->shape = (enum weft_shape)i;
                return true;
            }
    return fail(line, "shape VALUE = diamond, circle, triangle, square, cross or line");
}

/* "ROW, ROW = 40": a name may have a sign of its own, so the last one counts. */
static bool parse_height(struct line_parser *line)
{
    const char *at = strrchr(line->rest, '=');
    line->out->verb = WEFT_FILTER_HEIGHT;
    if (!at || at == line->rest
        || !take_last_number(line, skip_spaces(at + 1), WEFT_FILTERS_LEAST_HEIGHT,
                             WEFT_FILTERS_MOST_HEIGHT))
        return fail(line, "height ROW, ROW = N: 4 to 400 pixels");
    cut_rest(line, at);
    line->out->text = line->rest;
    return *line->rest || fail(line, "height ROW, ROW = N: 4 to 400 pixels");
}

static const struct {
    const char *name;
    bool (*parse)(struct line_parser *line);
} verbs[] = {
    { "hide", parse_hide },     { "dim", parse_dim },     { "group", parse_group },
    { "reduce", parse_reduce }, { "move", parse_move },   { "order", parse_order },
    { "sort", parse_sort },     { "reuse", parse_reuse }, { "color", parse_color },
    { "colour", parse_color },  { "name", parse_name },   { "shape", parse_shape },
    { "height", parse_height },
};

static const char *verb_name(size_t i, void *user)
{
    (void)user;
    return verbs[i].name;
}

static bool parse_line(struct line_parser *line, const char *text)
{
    enum { N = sizeof verbs / sizeof *verbs };
    for (size_t v = 0; v < N; v++) {
        line->rest = text;
        if (take_word(&line->rest, verbs[v].name))
            return verbs[v].parse(line);
    }
    const char *word = trimmed(line->arena, text, strcspn(text, " \t"));
    const char *near = weft_nearest(word, N, verb_name, NULL);
    return weft_filter_fail(line->err, line->out->number, "'%.60s' is no filter%s%s%s",
                            word, near ? " (did you mean " : " (doc/filters.md lists them)",
                            near ? near : "", near ? "?)" : "");
}

bool weft_filter_chain_parse(struct weft_filter_chain *chain, const char *text,
                             struct weft_arena *arena, struct weft_err *err)
{
    uint32_t number = 0;
    *chain = (struct weft_filter_chain){ 0 };
    if (strlen(text) > WEFT_FILTERS_BYTES)
        return weft_fail(err, WEFT_ERR_USAGE, "filters have at most %d bytes",
                         WEFT_FILTERS_BYTES);
    chain->lines = weft_arena_zalloc(arena, WEFT_FILTERS_LINES, sizeof *chain->lines);
    while (*text) {
        size_t size = strcspn(text, "\n");
        const char *line = skip_spaces(trimmed(arena, text, size));
        text += size + (text[size] == '\n');
        number++;
        const char *rest = line;
        if (!*line || *line == '#' || take_word(&rest, "off"))
            continue;
        if (chain->n == WEFT_FILTERS_LINES)
            return weft_filter_fail(err, number, "there are at most %d filters",
                                    WEFT_FILTERS_LINES);
        struct line_parser parser = { arena, err, line, &chain->lines[chain->n++] };
        parser.out->number = number;
        if (!parse_line(&parser, line))
            return false;
    }
    return true;
}
