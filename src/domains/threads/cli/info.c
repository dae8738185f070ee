/* SPDX-License-Identifier: Apache-2.0 */
/* Threads and locks, for weft info. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/info_hooks.h"
#include "domains/threads/analyse/thread_times.h"

extern const struct weft_info weft_info_threads;

static bool fills(const struct weft_source *source)
{
    return weft_type_with_role(source->schema, WEFT_ROLE_THREAD) != WEFT_NONE;
}

/* Returns true if standard output is a terminal that shows colours. */
static bool shows_colours(void)
{
    const char *terminal = getenv("TERM"), *none = getenv("NO_COLOR");

    return isatty(STDOUT_FILENO) && terminal && strcmp(terminal, "dumb") != 0
           && !(none && *none);
}

/* Says if threads run beyond their processors, in red. */
static void print(const struct weft_source *source, struct weft_arena *arena)
{
    const struct weft_schema *schema = source->schema;
    bool red = shows_colours();
    struct thread_times *list;
    struct running_bound bound;
    struct weft_err err = { 0 };
    size_t n;

    if (!thread_times_read(source, 0, schema->span, arena, NULL, &list, &n, &err)
        || !thread_times_beyond(schema, list, n, schema->span, &bound))
        return;
    printf("%srunning           %s%s\n", red ? "\033[31m" : "",
           thread_times_beyond_text(schema, &bound, arena), red ? "\033[m" : "");
}

const struct weft_info weft_info_threads = { .model = "threads",
                                             .fills = fills,
                                             .print = print };
