/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/arrays/model/count_work_limits.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The limits grow with the number of patterns, since each needs some work of its own. */
enum { LOOKS_OF_A_PATTERN = 64, ROWS_OF_A_PATTERN = 8 };
#define MAX_LOOKS (UINT64_C(1) << 38)
#define MAX_ROWS  (UINT64_C(1) << 25)
#define MAX_WORDS (UINT64_C(1) << 26)

void array_work_begin(struct array_work *work, const struct weft_profile *profile,
                      struct weft_job *job, _Atomic uint64_t *shared)
{
    uint64_t patterns = weft_profile_patterns(profile);
    *work = (struct array_work){ .job = job,
                                 .most = MAX_LOOKS + LOOKS_OF_A_PATTERN * patterns,
                                 .most_rows = MAX_ROWS + ROWS_OF_A_PATTERN * patterns,
                                 .words = MAX_WORDS };
    work->taken = shared ? shared : &work->own;
}

bool array_work_look(struct array_work *work)
{
    work->cancelled |= weft_job_cancelled(work->job);
    work->too_far |=
        atomic_fetch_add_explicit(work->taken, work->since, memory_order_relaxed)
            + work->since
        > work->most;
    work->since = 0;
    return array_work_goes_on(work);
}

bool array_work_keep(struct array_work *work, uint64_t rows)
{
    if (work)
        work->too_far |= rows > work->most_rows;
    return array_work_goes_on(work);
}

bool array_work_room(struct array_work *work, uint64_t words)
{
    if (work && words > work->words)
        return false;
    if (work)
        work->words -= words;
    return true;
}

bool array_work_end(const struct array_work *work, struct weft_err *err)
{
    if (work->cancelled)
        return weft_fail(err, WEFT_ERR_CANCELLED, "cancelled");
    if (work->too_far)
        return weft_fail(err, WEFT_ERR_LIMIT,
                         "no formula counts the references to the arrays by these "
                         "distributions, and they are too many to be looked at one by one "
                         "(%" PRIu64 ", %" PRIu64 " of them at once)",
                         work->most, work->most_rows);
    return true;
}

/* ---- Order ---- */

/* Merges two sorted runs, N rows in all, into TO. */
static bool merge(struct array_work *work, const char *left, size_t n_left,
                  const char *right, size_t n_right, char *to, size_t size,
                  int (*compare)(const void *, const void *))
{
    while (n_left > 0 || n_right > 0) {
        bool from_left = !n_right || (n_left && compare(left, right) <= 0);
        const char *from = from_left ? left : right;
        memcpy(to, from, size);
        to += size;
        left += from_left ? size : 0;
        right += from_left ? 0 : size;
        n_left -= from_left;
        n_right -= !from_left;
        if (!array_work_report(work, 1))
            return false;
    }
    return true;
}

bool array_work_sort(struct array_work *work, void *rows, size_t n, size_t size,
                     int (*compare)(const void *, const void *))
{
    char *from = rows, *to, *other;
    for (size_t at = 0; at < n; at += ARRAY_WORK_STRIDE) {
        size_t run = n - at < ARRAY_WORK_STRIDE ? n - at : ARRAY_WORK_STRIDE;
        qsort(from + at * size, run, size, compare);
        if (!array_work_report(work, ARRAY_WORK_STRIDE))
            return false;
    }
    if (n <= ARRAY_WORK_STRIDE)
        return true;
    to = other = weft_alloc(n * size);
    bool ok = true;
    for (size_t run = ARRAY_WORK_STRIDE; ok && run < n; run *= 2) {
        for (size_t at = 0; ok && at < n; at += 2 * run) {
            size_t left = n - at < run ? n - at : run;
            size_t right = n - at - left < run ? n - at - left : run;
            ok = merge(work, from + at * size, left, from + (at + left) * size, right,
                       to + at * size, size, compare);
        }
        char *swap = from;
        from = to;
        to = swap;
    }
    if (ok && from != rows)
        memcpy(rows, from, n * size);
    free(other);
    return ok;
}
