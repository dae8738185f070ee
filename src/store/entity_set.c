/* SPDX-License-Identifier: Apache-2.0 */
#include "store/entity_set.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/binary_search.h"
#include "base/compare.h"
#include "base/memory.h"
#include "store/schema.h"

static const uint64_t most_ordinal = (UINT64_C(1) << 40) - 1;
/* Bit in the ordinal of a container's id: it includes the subtree. */
static const uint64_t with_all = UINT64_C(1) << 32;

static bool is_range(struct weft_entity_range range)
{
    uint32_t track = weft_entity_track(range.first);
    if (range.first > range.last || track != weft_entity_track(range.last)
        || range.last == WEFT_NO_ID)
        return false;
    return track != WEFT_CONTAINER_TRACK
           || ((range.first ^ range.last) < with_all && (uint32_t)range.last != WEFT_NONE
               && weft_entity_ordinal(range.last) < 2 * with_all);
}

/* Returns true if B is the id after A on the same track. */
static bool follows(uint64_t a, uint64_t b)
{
    return a + 1 == b && weft_entity_track(a) == weft_entity_track(b);
}

void weft_entity_set_free(struct weft_entity_set *set)
{
    free(set->ranges);
    *set = (struct weft_entity_set){ 0 };
}

size_t weft_entity_set_seek(const struct weft_entity_set *set, uint64_t id)
{
    return WEFT_FIRST(i, 0, set->n_ranges, set->ranges[i].last >= id);
}

bool weft_entity_set_contains(const struct weft_entity_set *set, uint64_t id)
{
    size_t i = weft_entity_set_seek(set, id);
    return i < set->n_ranges && set->ranges[i].first <= id;
}

uint64_t weft_entity_set_count(const struct weft_entity_set *set)
{
    uint64_t count = 0;
    for (size_t i = 0; i < set->n_ranges; i++)
        count += set->ranges[i].last - set->ranges[i].first + 1;
    return count;
}

static bool too_many(struct weft_err *err)
{
    return weft_fail(err, WEFT_ERR_LIMIT, "a set has more than %d ranges",
                     WEFT_ENTITY_SET_MAX);
}

/* Replaces the ranges from BEGIN to before END by N of RANGES. */
static bool splice(struct weft_entity_set *set, size_t begin, size_t end,
                   const struct weft_entity_range *ranges, size_t n, struct weft_err *err)
{
    size_t left = set->n_ranges - (end - begin);
    if (left + n > WEFT_ENTITY_SET_MAX)
        return too_many(err);
    if (left + n > set->capacity)
        set->ranges = weft_grow(set->ranges, &set->capacity, left + n, sizeof *set->ranges);
    if (end < set->n_ranges)
        memmove(set->ranges + begin + n, set->ranges + end,
                (set->n_ranges - end) * sizeof *set->ranges);
    for (size_t i = 0; i < n; i++)
        set->ranges[begin + i] = ranges[i];
    set->n_ranges = left + n;
    return true;
}

/* Returns the index after the last range from BEGIN on that begins at LAST or before. */
static size_t end_of(const struct weft_entity_set *set, size_t begin, uint64_t last)
{
    size_t end = weft_entity_set_seek(set, last);
    end += end < set->n_ranges && set->ranges[end].first <= last;
    return end > begin ? end : begin;
}

bool weft_entity_set_add(struct weft_entity_set *set, struct weft_entity_range range,
                         struct weft_err *err)
{
    WEFT_REQUIRE(is_range(range), "no range of ids");
    size_t begin = weft_entity_set_seek(set, range.first);
    begin -= begin && follows(set->ranges[begin - 1].last, range.first);
    size_t end = end_of(set, begin, range.last);
    end += end < set->n_ranges && follows(range.last, set->ranges[end].first);
    if (begin < end) {
        uint64_t first = set->ranges[begin].first, last = set->ranges[end - 1].last;
        range.first = first < range.first ? first : range.first;
        range.last = last > range.last ? last : range.last;
    }
    return splice(set, begin, end, &range, 1, err);
}

bool weft_entity_set_remove(struct weft_entity_set *set, struct weft_entity_range range,
                            struct weft_err *err)
{
    WEFT_REQUIRE(is_range(range), "no range of ids");
    struct weft_entity_range kept[2];
    size_t n = 0, begin = weft_entity_set_seek(set, range.first);
    size_t end = end_of(set, begin, range.last);
    if (begin < end) {
        uint64_t first = set->ranges[begin].first, last = set->ranges[end - 1].last;
        if (first < range.first)
            kept[n++] = (struct weft_entity_range){ first, range.first - 1 };
        if (last > range.last)
            kept[n++] = (struct weft_entity_range){ range.last + 1, last };
    }
    return splice(set, begin, end, kept, n, err);
}

bool weft_entity_set_toggle(struct weft_entity_set *set, uint64_t id, struct weft_err *err)
{
    struct weft_entity_range range = { id, id };
    return weft_entity_set_contains(set, id) ? weft_entity_set_remove(set, range, err)
                                             : weft_entity_set_add(set, range, err);
}

static int by_first(const void *a, const void *b)
{
    const struct weft_entity_range *x = a, *y = b;
    return WEFT_COMPARE(x->first, y->first);
}

/* Sorts and merges ranges in any order, which may overlap. */
static void put_in_order(struct weft_entity_set *set)
{
    size_t n = 0;
    if (set->n_ranges)
        qsort(set->ranges, set->n_ranges, sizeof *set->ranges, by_first);
    for (size_t i = 0; i < set->n_ranges; i++) {
        struct weft_entity_range *last = n ? &set->ranges[n - 1] : NULL;
        struct weft_entity_range next = set->ranges[i];
        if (!last || (next.first > last->last && !follows(last->last, next.first)))
            set->ranges[n++] = next;
        else if (next.last > last->last)
            last->last = next.last;
    }
    set->n_ranges = n;
}

bool weft_entity_set_unite(struct weft_entity_set *set, const struct weft_entity_set *other,
                           struct weft_err *err)
{
    struct weft_entity_set both = { 0 };
    size_t n = set->n_ranges + other->n_ranges;
    both.ranges = weft_grow(NULL, &both.capacity, n + 1, sizeof *both.ranges);
    for (size_t i = 0; i < n; i++)
        both.ranges[i] =
            i < set->n_ranges ? set->ranges[i] : other->ranges[i - set->n_ranges];
    both.n_ranges = n;
    put_in_order(&both);
    if (both.n_ranges > WEFT_ENTITY_SET_MAX) {
        weft_entity_set_free(&both);
        return too_many(err);
    }
    weft_entity_set_free(set);
    *set = both;
    return true;
}

/* ---- As text ---- */

/* Writes one range, with its track if it is the track's first; returns the bytes needed. */
static int put_range(char *out, size_t size, struct weft_entity_range range, bool first,
                     bool opens)
{
    uint64_t low = weft_entity_ordinal(range.first), high = weft_entity_ordinal(range.last);
    bool containers = weft_is_container_id(range.first), all = containers && low & with_all;
    char track[16] = "", rest[32] = "";
    if (containers) {
        low &= with_all - 1;
        high &= with_all - 1;
        strcpy(track, "#");
    } else if (opens) {
        snprintf(track, sizeof track, "t%" PRIu32 ":", weft_entity_track(range.first));
    }
    if (high > low)
        snprintf(rest, sizeof rest, "-%" PRIu64, high);
    return snprintf(out, size, "%s%s%" PRIu64 "%s%s",
                    first   ? ""
                    : opens ? ";"
                            : ",",
                    track, low, rest, all ? "+" : "");
}

char *weft_entity_set_text(const struct weft_entity_set *set)
{
    enum {
        LONGEST = 48
    }; /* bytes of a range: ";t16777214:" and two numbers of 13 digits */
    char *text = NULL;
    size_t length = 0, capacity = 0;
    uint32_t track = WEFT_NONE;
    for (size_t i = 0; i < set->n_ranges; i++) {
        uint32_t own = weft_entity_track(set->ranges[i].first);
        text = weft_grow(text, &capacity, length + LONGEST, 1);
        length +=
            (size_t)put_range(text + length, LONGEST, set->ranges[i], i == 0, own != track);
        track = own;
    }
    text = weft_grow(text, &capacity, length + 1, 1);
    text[length] = '\0';
    return text;
}

struct parser {
    const char *text, *at, *end;
    struct weft_entity_set *set;
    struct weft_err *err;
};

static bool wrong(const struct parser *parser, const char *what)
{
    return weft_fail(parser->err, WEFT_ERR_USAGE,
                     "a set of entities, at character %zu: %s (right: like "
                     "t12:0-99,103;t13:5;#5,#7-9,#5+)",
                     (size_t)(parser->at - parser->text) + 1, what);
}

/* Skips C if it is next; returns whether it was. */
static bool skip(struct parser *parser, char c)
{
    bool is = parser->at < parser->end && *parser->at == c;
    parser->at += is;
    return is;
}

static bool skip_word(struct parser *parser, const char *word)
{
    size_t length = strlen(word);
    bool is = (size_t)(parser->end - parser->at) >= length
              && memcmp(parser->at, word, length) == 0;
    parser->at += is ? length : 0;
    return is;
}

static bool parse_number(struct parser *parser, uint64_t most, uint64_t *number)
{
    const char *begin = parser->at;
    *number = 0;
    while (parser->at < parser->end && *parser->at >= '0' && *parser->at <= '9') {
        *number = *number * 10 + (uint64_t)(*parser->at - '0');
        if (*number > most)
            return wrong(parser, "the number is too large");
        parser->at++;
    }
    return parser->at > begin || wrong(parser, "a number is missing");
}

/* Parses "5" or "5-9". */
static bool parse_ordinals(struct parser *parser, uint64_t most,
                           struct weft_entity_range *range)
{
    if (!parse_number(parser, most, &range->first))
        return false;
    range->last = range->first;
    if (skip(parser, '-') && !parse_number(parser, most, &range->last))
        return false;
    return range->first <= range->last || wrong(parser, "the range runs backwards");
}

/* Parses "#5", "#5+", "#5-9". */
static bool parse_containers(struct parser *parser, struct weft_entity_range *range)
{
    if (!skip(parser, '#'))
        return wrong(parser, "a container's # is missing");
    if (!parse_ordinals(parser, WEFT_NONE - 1, range))
        return false;
    bool all = skip(parser, '+');
    range->first = weft_container_id((uint32_t)range->first, all);
    range->last = weft_container_id((uint32_t)range->last, all);
    return true;
}

/* Parses "12:0-99,103", behind the t. */
static bool parse_track(struct parser *parser, uint32_t *track)
{
    uint64_t number;
    if (!parse_number(parser, WEFT_CONTAINER_TRACK - 1, &number))
        return false;
    *track = (uint32_t)number;
    return skip(parser, ':') || wrong(parser, "a : is missing after the track");
}

/* Parses the ranges of a track, or containers, up to the next ';'. */
static bool parse_group(struct parser *parser)
{
    struct weft_entity_set *set = parser->set;
    bool containers = parser->at < parser->end && *parser->at == '#';
    uint32_t track = WEFT_NODE_TRACK;
    bool named = skip_word(parser, "node:");
    if (!named && skip_word(parser, "processor:")) {
        named = true;
        track = WEFT_PROCESSOR_TRACK;
    }
    if (!containers && !named && !skip(parser, 't'))
        return wrong(parser, "neither a track (t12:), nor a container (#5), nor a node "
                             "(node:7), nor a processor (processor:3)");
    if (!containers && !named && !parse_track(parser, &track))
        return false;
    do {
        struct weft_entity_range range;
        if (containers ? !parse_containers(parser, &range)
                       : !parse_ordinals(parser, most_ordinal, &range))
            return false;
        if (!containers) {
            range.first = weft_entity_id(track, range.first);
            range.last = weft_entity_id(track, range.last);
        }
        if (!splice(set, set->n_ranges, set->n_ranges, &range, 1, parser->err))
            return false;
    } while (skip(parser, ','));
    return parser->at == parser->end || *parser->at == ';'
           || wrong(parser, "neither , nor ; nor the end");
}

bool weft_entity_set_parse(struct weft_entity_set *set, const char *text,
                           struct weft_err *err)
{
    struct parser parser = { text, text, text + strlen(text), set, err };
    *set = (struct weft_entity_set){ 0 };
    if (!*text)
        return true;
    do {
        if (!parse_group(&parser)) {
            weft_entity_set_free(set);
            return false;
        }
    } while (skip(&parser, ';'));
    put_in_order(set);
    return true;
}

bool weft_container_range_parse(const char *text, size_t length,
                                struct weft_entity_range *range, struct weft_err *err)
{
    struct parser parser = { text, text, text + length, NULL, err };
    return parse_containers(&parser, range)
           && (parser.at == parser.end
               || wrong(&parser, "something follows the container"));
}
