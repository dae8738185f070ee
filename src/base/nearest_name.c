/* SPDX-License-Identifier: Apache-2.0 */
#include "base/nearest_name.h"

#include <stdint.h>
#include <string.h>

enum { LONGEST_NAME = 64 }; /* bytes; nothing is suggested for longer words */

/*
 * Returns how many characters must be changed, inserted, deleted or swapped to turn A into
 * B.
 */
static size_t edit_distance(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b);
    if (n >= LONGEST_NAME || m >= LONGEST_NAME)
        return LONGEST_NAME;
    size_t rows[3][LONGEST_NAME + 1];
    size_t *before = rows[0], *above = rows[1], *row = rows[2];
    for (size_t j = 0; j <= m; j++)
        above[j] = j;
    for (size_t i = 1; i <= n; i++) {
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t best = above[j - 1] + (a[i - 1] != b[j - 1]);
            if (above[j] + 1 < best)
                best = above[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]
                && before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            row[j] = best;
        }
        size_t *oldest = before;
        before = above;
        above = row;
        row = oldest;
    }
    return above[m];
}

const char *weft_nearest(const char *text, size_t n,
                         const char *(*name)(size_t i, void *user), void *user)
{
    const char *nearest = NULL;
    size_t least = strlen(text) / 3 + 2; /* at this distance it is another word */
    if (least > LONGEST_NAME)
        least = LONGEST_NAME;
    for (size_t i = 0; i < n; i++) {
        const char *candidate = name(i, user);
        if (!candidate)
            continue;
        size_t distance = edit_distance(text, candidate);
        /* A word cut short is likelier than its distance says. */
        if (*text && strncmp(text, candidate, strlen(text)) == 0)
            distance = 1;
        if (distance < least && distance < strlen(candidate)) {
            least = distance;
            nearest = candidate;
        }
    }
    return nearest;
}
