/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "domains/arrays/read/ddv_priv.h"

enum {
    MAX_PROCESSORS = 1 << 15, /* rows and columns of processors */
    MAX_INDEX = 1 << 24,      /* rows and columns of an array */
    WORDS = 9,
};

struct word {
    const char *at;
    size_t n;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

/* Splits a line into words, the first WORDS + 1 of them; returns their number. */
static size_t split(const char *at, size_t n, struct word *words)
{
    const char *end = at + n;
    size_t count = 0;
    while (count <= WORDS) {
        while (at < end && is_blank(*at))
            at++;
        if (at == end)
            break;
        const char *first = at;
        while (at < end && !is_blank(*at))
            at++;
        words[count++] = (struct word){ first, (size_t)(at - first) };
    }
    return count;
}

static bool is(const struct word *word, const char *text)
{
    return word->n == strlen(text) && memcmp(word->at, text, word->n) == 0;
}

/* Parses a number below LIMIT. */
static bool number(const struct word *word, uint64_t limit, uint64_t *out)
{
    *out = 0;
    if (word->n == 0 || word->n > 9)
        return false;
    for (size_t i = 0; i < word->n; i++) {
        if (word->at[i] < '0' || word->at[i] > '9')
            return false;
        *out = *out * 10 + (uint64_t)(word->at[i] - '0');
    }
    return *out < limit;
}

/* Reads the first words, which are numbers: time, processor, element. */
static bool read_numbers(const struct word *words, struct ddv_record *record,
                         const char **fault)
{
    uint64_t value[5];
    static const uint64_t limits[5] = { WEFT_PROFILE_STEPS, MAX_PROCESSORS, MAX_PROCESSORS,
                                        MAX_INDEX, MAX_INDEX };
    static const char *const faults[5] = {
        "the time should be a whole number from 0 to 16777215",
        "the processor's row should be a whole number from 0 to 32767",
        "the processor's column should be a whole number from 0 to 32767",
        "the element's row should be a whole number from 0 to 16777215",
        "the element's column should be a whole number from 0 to 16777215",
    };
    for (int i = 0; i < 5; i++)
        if (!number(&words[i], limits[i], &value[i])) {
            *fault = faults[i];
            return false;
        }
    record->time = (uint32_t)value[0];
    record->processor[0] = (uint16_t)value[1];
    record->processor[1] = (uint16_t)value[2];
    record->row = (uint32_t)value[3];
    record->column = (uint32_t)value[4];
    return true;
}

static bool read_requester(const struct word *words, struct ddv_record *record,
                           const char **fault)
{
    uint64_t value[2];
    record->asked = true;
    for (int i = 0; i < 2; i++) {
        if (!number(&words[i], MAX_PROCESSORS, &value[i])) {
            *fault =
                "the requester's row and column should be whole numbers from 0 to 32767";
            return false;
        }
        record->requester[i] = (uint16_t)value[i];
    }
    bool own = value[0] == record->processor[0] && value[1] == record->processor[1];
    if (own != record->local) {
        *fault = own ? "it is remote, and the owner itself asked for it"
                     : "it is local, and another processor asked for it";
        return false;
    }
    return true;
}

static enum ddv_line read_sizes(const struct word *words, size_t n, struct ddv_sizes *sizes)
{
    uint64_t value[4];
    if (n != 8 || !is(&words[0], "#") || !is(&words[1], "array")
        || !is(&words[5], "processors") || words[2].n >= sizeof sizes->name)
        return DDV_NOTHING;
    for (int i = 0; i < 4; i++)
        if (!number(&words[i < 2 ? 3 + i : 4 + i],
                    i < 2 ? MAX_INDEX + 1 : MAX_PROCESSORS + 1, &value[i])
            || !value[i])
            return DDV_NOTHING;
    memset(sizes, 0, sizeof *sizes);
    memcpy(sizes->name, words[2].at, words[2].n);
    sizes->rows = value[0];
    sizes->columns = value[1];
    sizes->processors[0] = value[2];
    sizes->processors[1] = value[3];
    return DDV_SIZES;
}

enum ddv_line ddv_read_line(const char *line, size_t n, struct ddv_record *record,
                            struct ddv_sizes *sizes, const char **fault)
{
    struct word words[WORDS + 1];
    size_t count = split(line, n, words);
    if (!count)
        return DDV_NOTHING;
    if (words[0].at[0] == '#')
        return read_sizes(words, count, sizes);
    memset(record, 0, sizeof *record);
    if (count != 7 && count != 9) {
        *fault =
            "a line has seven words, or nine: time, row and column of the processor, row "
            "and column of the element, read or write, local or remote (row and column "
            "of who asked)";
        return DDV_FAULT;
    }
    if (!read_numbers(words, record, fault))
        return DDV_FAULT;
    record->write = is(&words[5], "write");
    record->local = is(&words[6], "local");
    if ((!record->write && !is(&words[5], "read"))
        || (!record->local && !is(&words[6], "remote"))) {
        *fault = "the sixth word should be read or write, the seventh local or remote";
        return DDV_FAULT;
    }
    return count == 7 || read_requester(&words[7], record, fault) ? DDV_RECORD : DDV_FAULT;
}
