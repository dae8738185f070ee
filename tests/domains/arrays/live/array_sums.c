/* SPDX-License-Identifier: Apache-2.0 */
/*
 * array_sums TRACE [steps]: what a profile counts, one reference after the other: a line for each
 * array and element with its reads and writes, and a number that says on behalf of whom; with
 * "steps", for each step, too.  With "all" it prints each reference instead: "read ELEMENT OWNER"
 * or "write ELEMENT OWNER", OWNER - if it is nobody; arrays are not told apart.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "domains/arrays/model/reference_profile.h"
#include "store/trace/trace.h"

struct counts {
    uint64_t operations[WEFT_REFERENCE_OPERATIONS];
    uint64_t owners; /* the sum of a number for each owner: independent of the order */
};

static uint64_t number_owner(const struct weft_pattern *pattern, uint64_t owner)
{
    uint64_t number = pattern->owner_array == WEFT_NONE
                          ? 1
                          : owner * UINT64_C(0x9e3779b97f4a7c15)
                                + (pattern->owner_array + 2) * UINT64_C(0xc2b2ae3d27d4eb4f);

    number = (number ^ number >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    return (number ^ number >> 32) + (uint64_t)pattern->operation;
}

static void count(struct counts *counts, const struct weft_pattern *pattern)
{
    uint64_t n = weft_pattern_references(pattern) / pattern->times;

    for (uint64_t i = 0; i < n; i++) {
        uint64_t element = pattern->element, owner = pattern->owner, rest = i;
        for (int k = 0; k < WEFT_PATTERN_LOOPS; k++) {
            uint64_t index = rest % pattern->extent[k];
            rest /= pattern->extent[k];
            element += index * (uint64_t)pattern->stride[k];
            owner += index * (uint64_t)pattern->owner_stride[k];
        }
        counts[element].operations[pattern->operation] += pattern->times;
        counts[element].owners += pattern->times * number_owner(pattern, owner);
    }
}

static void print_array(const struct weft_profile *profile, uint32_t number, uint64_t first,
                        uint64_t after, const char *step)
{
    const struct weft_array *array = weft_profile_array(profile, number);
    uint64_t n = weft_array_elements(array);
    struct counts *counts = calloc(n, sizeof *counts);

    for (uint64_t i = first; i < after; i++) {
        struct weft_pattern pattern;
        weft_profile_pattern(profile, i, &pattern);
        if (pattern.array == number)
            count(counts, &pattern);
    }
    for (uint64_t i = 0; i < n; i++)
        if (counts[i].owners != 0)
            printf("%s%s %" PRIu64 " %" PRIu64 " %" PRIu64 " %016" PRIx64 "\n", step,
                   array->name, i, counts[i].operations[0], counts[i].operations[1],
                   counts[i].owners);
    free(counts);
}

static void print_all(const struct weft_pattern *pattern)
{
    uint64_t n = weft_pattern_references(pattern);

    for (uint64_t i = 0; i < n; i++) {
        uint64_t element = pattern->element, owner = pattern->owner, rest = i;
        for (int k = 0; k < WEFT_PATTERN_LOOPS; k++) {
            uint64_t index = rest % pattern->extent[k];
            rest /= pattern->extent[k];
            element += index * (uint64_t)pattern->stride[k];
            owner += index * (uint64_t)pattern->owner_stride[k];
        }
        printf("%s %" PRIu64, pattern->operation == WEFT_REFERENCE_READ ? "read" : "write",
               element);
        if (pattern->owner_array == WEFT_NONE)
            puts(" -");
        else
            printf(" %" PRIu64 "\n", owner);
    }
}

int main(int argc, char **argv)
{
    struct weft_err err = { 0 };
    struct weft_trace *trace = argc > 1 ? weft_trace_open(argv[1], &err) : NULL;
    struct weft_profile *profile =
        trace ? weft_profile_open(weft_trace_source(trace), NULL, &err) : NULL;

    bool all;

    if (!profile) {
        fprintf(stderr, "array_sums: %s\n", err.message);
        return 1;
    }
    all = argc > 2 && strcmp(argv[2], "all") == 0;
    for (uint64_t i = 0; all && i < weft_profile_patterns(profile); i++) {
        struct weft_pattern pattern;
        weft_profile_pattern(profile, i, &pattern);
        print_all(&pattern);
    }
    for (uint32_t i = 0; !all && i < weft_profile_arrays(profile); i++)
        print_array(profile, i, 0, weft_profile_patterns(profile), "");
    for (uint32_t step = 0; argc > 2 && !all && step < weft_profile_steps(profile); step++)
        for (uint32_t i = 0; i < weft_profile_arrays(profile); i++) {
            char text[32];
            snprintf(text, sizeof text, "step %" PRIu32 " ", step);
            print_array(profile, i, weft_profile_first(profile, step),
                        weft_profile_first(profile, step + 1), text);
        }
    weft_profile_close(profile);
    weft_trace_close(trace);
    return 0;
}
