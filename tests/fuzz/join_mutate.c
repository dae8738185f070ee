/* SPDX-License-Identifier: Apache-2.0 */
#include "join_mutate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "join_layout.h"

uint64_t join_roll(uint64_t *dice)
{
    uint64_t x = *dice += UINT64_C(0x9e3779b97f4a7c15);

    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* Below N, which is not 0. */
static size_t below(uint64_t *dice, size_t n)
{
    return (size_t)(join_roll(dice) % n);
}

static struct join_file *some_file(struct join_folder *folder, uint64_t *dice)
{
    return &folder->files[below(dice, folder->n)];
}

/* A file of KIND that is there; NULL when none is found soon. */
static struct join_file *some_file_of(struct join_folder *folder, enum join_file_kind kind,
                                      uint64_t *dice)
{
    for (int tries = 0; tries < 40; tries++) {
        struct join_file *file = some_file(folder, dice);
        if (file->here && join_layout_kind(file) == kind)
            return file;
    }
    return NULL;
}

static uint64_t some_number(uint64_t *dice, uint64_t old)
{
    static const uint64_t numbers[] = {
        0,
        1,
        2,
        7,
        63,
        64,
        4095,
        4096,
        WEFT_LOG_BUFFER,
        WEFT_BUFFER_PIECE,
        1 << 20,
        INT32_MAX,
        UINT64_C(0x80000000),
        UINT32_MAX,
        UINT64_C(1) << 32,
        UINT64_C(1) << 40,
        UINT64_C(1) << 61,
        INT64_MAX,
        UINT64_C(1) << 63,
        UINT64_MAX - 7,
        UINT64_MAX,
    };

    switch (below(dice, 6)) {
    case 0: return old + 1;
    case 1: return old - 1;
    case 2: return old ^ UINT64_C(1) << below(dice, 64);
    case 3: return join_roll(dice) >> below(dice, 64);
    case 4: return old + (join_roll(dice) & 0xffff) - 0x8000;
    default: return numbers[below(dice, sizeof numbers / sizeof *numbers)];
    }
}

static void change_number(struct join_file *file, size_t at, size_t size, uint64_t *dice)
{
    uint64_t number = 0;

    if (at + size > file->size)
        return;
    size = size > sizeof number ? sizeof number : size;
    memcpy(&number, file->bytes + at, size);
    number = some_number(dice, number);
    memcpy(file->bytes + at, &number, size);
    file->changed = true;
}

static void change_field(struct join_folder *folder, uint64_t *dice)
{
    struct join_file *file = some_file_of(folder, LOG, dice);
    struct join_header headers[JOIN_HEADERS_MAX];
    const struct join_header *header;
    const struct join_place *place;
    size_t n = file ? join_layout_headers(file, headers) : 0;

    if (n == 0)
        return;
    header = &headers[below(dice, n)];
    place = &header->fields[below(dice, header->n_fields)];
    change_number(file, header->at + place->at, place->size, dice);
}

/* The number of the first word of one of the records. */
static size_t some_record(const struct join_words *words, uint64_t *dice)
{
    size_t target = below(dice, words->used + 1), at = 0;

    while (at < words->n && at + 1 + weft_record_words(words->at[at]) <= target)
        at += 1 + weft_record_words(words->at[at]);
    return at < words->n ? at : 0;
}

/* A record of any kind of the families that there are, or beyond; words and all. */
static size_t make_record(uint64_t *to, size_t most, uint64_t ticks, uint64_t *dice)
{
    uint32_t kind = (uint32_t)below(dice, below(dice, 8) ? 6 * 32 : 512);
    uint32_t n = (uint32_t)below(dice, below(dice, 4) ? 4 : 12);

    if (n + 1 > most)
        return 0;
    *to = weft_record_word(ticks, kind, n < WEFT_WORDS_LONG ? n : WEFT_WORDS_LONG,
                           n < WEFT_WORDS_LONG ? (uint32_t)below(dice, 20) : n);
    for (uint32_t i = 1; i <= n; i++)
        to[i] = below(dice, 2) ? below(dice, 4) : some_number(dice, ticks);
    return n + 1;
}

static void insert_record(struct join_words *words, size_t at, uint64_t *dice)
{
    uint64_t fresh[16];
    size_t n = make_record(fresh, 16, words->at[at] + below(dice, 4096), dice);

    if (at + n > words->n)
        return;
    memmove(words->at + at + n, words->at + at, (words->n - at - n) * sizeof *fresh);
    memcpy(words->at + at, fresh, n * sizeof *fresh);
}

static void change_record(struct join_folder *folder, uint64_t *dice)
{
    struct join_file *file = some_file_of(folder, LOG, dice);
    struct join_words parts[JOIN_WORDS_MAX], words;
    size_t n;
    size_t at, size;

    n = file ? join_layout_words(file, parts) : 0;
    if (n == 0)
        return;
    words = parts[below(dice, n)];
    file->changed = true;
    at = some_record(&words, dice);
    size = 1 + weft_record_words(words.at[at]);
    if (at + size > words.n)
        size = words.n - at;
    switch (below(dice, 8)) {
    case 0: /* another kind */
        words.at[at] = (words.at[at] & ~(UINT64_C(0x1ff) << 32)) | below(dice, 512) << 32;
        break;
    case 1: /* another argument */
        words.at[at] = (words.at[at] & ((UINT64_C(1) << 44) - 1)) | join_roll(dice) << 44;
        break;
    case 2: /* more or fewer words */
        words.at[at] = (words.at[at] & ~(UINT64_C(7) << 41)) | below(dice, 8) << 41;
        break;
    case 3: /* another time */
        words.at[at] = (words.at[at] & ~(uint64_t)UINT32_MAX)
                       | (some_number(dice, words.at[at]) & UINT32_MAX);
        break;
    case 4: /* one of its words */
        if (size > 1) {
            size_t which = at + 1 + below(dice, size - 1);
            words.at[which] = some_number(dice, words.at[which]);
        }
        break;
    case 5: insert_record(&words, at, dice); break;
    case 6: /* gone, or a hole */
        if (below(dice, 2))
            memset(words.at + at, 0, size * sizeof *words.at);
        else
            memmove(words.at + at, words.at + at + size,
                    (words.n - at - size) * sizeof *words.at);
        break;
    default: /* twice */
        if (at + 2 * size <= words.n)
            memmove(words.at + at + size, words.at + at,
                    (words.n - at - size) * sizeof *words.at);
        break;
    }
}

/* Numbers in a text become others; parts of lines are lost, and come twice. */
static void change_text(struct join_folder *folder, uint64_t *dice)
{
    bool facts = below(dice, 2) == 0;
    struct join_file *file = some_file_of(folder, facts ? FACTS : LOG, dice);
    size_t size = file ? file->size : 0, at, length;
    char *text = file ? (char *)file->bytes : NULL;

    if (file && !facts)
        text = join_layout_maps(file, &size);
    else if (size > strlen(WEFT_RECORDING_MAGIC)) /* without it nothing is a recording */
        text += strlen(WEFT_RECORDING_MAGIC), size -= strlen(WEFT_RECORDING_MAGIC);
    if (!text || size < 2)
        return;
    file->changed = true;
    at = below(dice, size);
    switch (below(dice, 3)) {
    case 0: text[at] = "09af-\n =x"[below(dice, 9)]; break;
    case 1:
        for (; at < size && text[at] >= '0' && text[at] <= 'f'; at++)
            text[at] = '9';
        break;
    default:
        length = 1 + below(dice, 40);
        if (at + 2 * length < size)
            memcpy(text + at, text + at + length, length);
        break;
    }
}

static void change_byte(struct join_folder *folder, uint64_t *dice)
{
    struct join_file *file = some_file(folder, dice);
    size_t most = file->size;

    if (most == 0)
        return;
    /* Most of a log is clear. */
    if (join_layout_kind(file) == LOG && below(dice, 4) && most > JOIN_PAGE + 512)
        most = JOIN_PAGE + 512;
    file->bytes[below(dice, most)] ^= (unsigned char)(1u << below(dice, 8));
    file->changed = true;
}

static void cut_file(struct join_folder *folder, uint64_t *dice)
{
    struct join_file *file = some_file(folder, dice);
    size_t size = file->size;

    /* Without its first line nothing is a recording. */
    if (join_layout_kind(file) == FACTS || size == 0)
        return;
    switch (below(dice, 5)) {
    case 0: size = 0; break;
    case 1: size = below(dice, 64); break;
    case 2: size -= below(dice, size < 64 ? size : 64); break;
    case 3: size = below(dice, size); break;
    default: size = size / JOIN_PAGE * JOIN_PAGE; break;
    }
    if (size < file->size) {
        file->size = size;
        file->changed = true;
    }
}

static void change_files(struct join_folder *folder, uint64_t *dice)
{
    struct join_file *file = some_file(folder, dice), *other = some_file(folder, dice);

    if (join_layout_kind(file) == FACTS || !file->here)
        return;
    file->changed = true;
    if (below(dice, 2)) {
        file->here = false;
    } else if (join_layout_kind(other) == join_layout_kind(file)) {
        free(file->bytes);
        file->bytes = weft_alloc(other->size + 1);
        memcpy(file->bytes, other->bytes, other->size);
        file->size = other->size;
    }
}

void join_mutate(struct join_folder *folder, uint64_t *dice)
{
    static void (*const changes[])(struct join_folder *, uint64_t *) = {
        change_field, change_field, change_record, change_record, change_record,
        change_text,  change_byte,  cut_file,      change_files,
    };

    if (folder->n > 0)
        changes[below(dice, sizeof changes / sizeof *changes)](folder, dice);
}
