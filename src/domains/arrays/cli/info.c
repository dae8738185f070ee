/* SPDX-License-Identifier: Apache-2.0 */
/* Prints arrays in weft info. */
#include "cli/info_hooks.h"

#include <inttypes.h>
#include <stdio.h>

#include "domains/arrays/model/reference_profile.h"
#include "view/text.h"

extern const struct weft_info weft_info_arrays;

/* "arrays 2 (B 10 x 10, M 10 x 10)", and the number of their references. */
static void print(const struct weft_source *source, struct weft_arena *arena)
{
    enum { MAX_ARRAYS = 4 };
    struct weft_pattern pattern;
    uint64_t references = 0, reads, nobody;
    struct weft_profile *profile = weft_profile_open(source, NULL, NULL);
    if (!profile)
        return;
    uint32_t n = weft_profile_arrays(profile);
    printf("arrays            %u", n);
    for (uint32_t i = 0; i < n && i < MAX_ARRAYS; i++) {
        const struct weft_array *array = weft_profile_array(profile, i);
        printf("%s%s", i ? ", " : " (", weft_text_clean(arena, array->name));
        for (uint32_t d = 0; d < array->rank; d++)
            printf("%s%" PRIu64, d ? " x " : " ", array->shape[d]);
    }
    puts(!n ? "" : n > MAX_ARRAYS ? ", ...)" : ")");
    for (uint64_t i = 0; i < weft_profile_patterns(profile); i++) {
        weft_profile_pattern(profile, i, &pattern);
        references += weft_pattern_references(&pattern);
    }
    printf("steps             %u\n", weft_profile_steps(profile));
    printf("references        %" PRIu64 " in %" PRIu64 " patterns", references,
           weft_profile_patterns(profile));
    uint64_t left_out = weft_profile_left_out(profile);
    if (left_out)
        printf(", %" PRIu64 " patterns are damaged", left_out);
    putchar('\n');
    reads = weft_profile_reads(profile, &nobody);
    if (nobody)
        printf("reads for nobody  %" PRIu64 " of %" PRIu64 " (%.1f %%)%s\n", nobody, reads,
               100 * (double)nobody / (double)reads,
               nobody > reads / 10 ? ": too many to rank distributions" : "");
    weft_profile_close(profile);
}

const struct weft_info weft_info_arrays = {
    .model = "arrays",
    .fills = weft_profile_fills,
    .print = print,
};
