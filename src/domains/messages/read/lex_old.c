/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses records of the first PICL (Geist, Heath, Peyton, Worley, "PICL: a portable
 * instrumented communication library", ORNL/TM-11130), compact or with words between the
 * numbers:
 *
 *     4 12 345678 0 3 7 1024
 *     send clock 12 345678 node 0 to 3 type 7 lth 1024
 *
 * A send, and a receive that found its message, takes no time.  Blocks become tasks.  All
 * other records are kept as events of the record type -1000 - NUMBER.
 */
#include <string.h>

#include "domains/messages/read/picl_priv.h"

enum old_type {
    OLD_SEND = 4,
    OLD_RECEIVE = 6,
    OLD_BLOCKING = 7,
    OLD_WAKING = 8,
    OLD_MARK = 15,
    OLD_BLOCK_BEGIN = 20,
    OLD_BLOCK_END = 21,
    OLD_TYPES = 23,
};

/* By number, from 1 on. */
static const char *const names[OLD_TYPES] = {
    "",
    "trace_start",
    "open",
    "load",
    "send",
    "probe",
    "recv",
    "recv_blocking",
    "recv_waking",
    "message",
    "sync",
    "compstats",
    "commstats",
    "close",
    "trace_level",
    "trace_mark",
    "trace_message",
    "trace_stop",
    "trace_flush",
    "trace_exit",
    "block_begin",
    "block_end",
    "trace_marks",
};

const char *picl_old_name(int32_t type)
{
    int32_t number = -type - PICL_OLD;
    return number > 0 && number < OLD_TYPES ? names[number] : NULL;
}

static int32_t type_of_word(const char *word, size_t length)
{
    for (int32_t i = 1; i < OLD_TYPES; i++)
        if (strlen(names[i]) == length && memcmp(names[i], word, length) == 0)
            return i;
    return 0;
}

struct words {
    const char *at, *end;
};

/* Parses the next number and skips any words before it; false if there is none. */
static bool number(struct words *words, int64_t *out)
{
    while (words->at < words->end) {
        if (picl_next_integer(&words->at, words->end, out))
            return true;
        while (words->at < words->end && picl_is_blank(*words->at))
            words->at++;
        while (words->at < words->end && !picl_is_blank(*words->at))
            words->at++;
    }
    return false;
}

/*
 * Rewrites a record of an old type and its N values V as one of today's types.  Returns
 * false if it has too few values.
 */
static bool translate(struct picl_record *r, int32_t type, const int64_t *v, uint32_t n)
{
    enum { SEND = -21, RECEIVE = -51, RECEIVE_BLOCK = -52 };
    switch (type) {
    case OLD_SEND:
    case OLD_RECEIVE:
    case OLD_WAKING: /* partner, tag, length */
        r->type = type == OLD_WAKING ? PICL_EXIT : PICL_INSTANT;
        r->key = type == OLD_SEND ? SEND : type == OLD_WAKING ? RECEIVE_BLOCK : RECEIVE;
        r->values[0] = v[2];
        r->values[1] = v[1];
        r->values[2] = v[0];
        r->n_values = 3;
        return n >= 3;
    case OLD_BLOCKING:
        r->type = PICL_ENTRY;
        r->key = RECEIVE_BLOCK;
        r->values[0] = v[0];
        r->values[1] = -1; /* any source */
        r->n_values = 2;
        return n >= 1;
    case OLD_MARK:
    case OLD_BLOCK_BEGIN:
    case OLD_BLOCK_END:
        r->type = type == OLD_MARK          ? PICL_MARK
                  : type == OLD_BLOCK_BEGIN ? PICL_ENTRY
                                            : PICL_EXIT;
        r->key = (int32_t)v[0];
        r->n_values = 0;
        return n >= 1 && v[0] >= 0 && v[0] <= INT32_MAX;
    default:
        r->type = -PICL_OLD - type;
        r->key = 0;
        return true;
    }
}

enum picl_lexed picl_lex_old(struct paje_clock *clock, const char *at, const char *end,
                             struct picl_record *r)
{
    const char *word = at;
    while (word < end && !picl_is_blank(*word))
        word++;
    int64_t type, seconds, micros, node, v[PICL_VALUES] = { 0 };
    struct words words = { at, end };
    if (!picl_next_integer(&words.at, end, &type)) {
        type = type_of_word(at, (size_t)(word - at));
        words.at = word;
    }
    if (type < 1 || type >= OLD_TYPES)
        return PICL_BAD_NUMBER;
    if (!number(&words, &seconds) || !number(&words, &micros) || !number(&words, &node))
        return PICL_BAD_WORDS;
    int64_t second = 1, micro = 1;
    for (int i = 0; i < clock->decimals; i++)
        second *= 10;
    for (int i = 6; i < clock->decimals; i++)
        micro *= 10;
    if (seconds < 0 || micros < 0 || micros >= INT64_C(1000000000)
        || seconds > INT64_MAX / 4 / second)
        return PICL_BAD_TIME;
    uint32_t n = 0;
    while (n < PICL_VALUES && number(&words, &v[n]))
        n++;
    if (node < 0 || node == PICL_HOST)
        return PICL_IGNORED;
    if (node > INT32_MAX)
        return PICL_BAD_NUMBER;
    *r = (struct picl_record){ .time = seconds * second + micros * micro,
                               .node = (int32_t)node,
                               .integers = true,
                               .parameters = "0",
                               .length = 1,
                               .n_values = n };
    memcpy(r->values, v, sizeof v);
    return translate(r, (int32_t)type, v, n) ? PICL_RECORD : PICL_BAD_WORDS;
}
