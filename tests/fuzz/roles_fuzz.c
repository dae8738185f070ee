/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as rules of roles, laid over a trace that has something of each kind.  What
 * follows a NUL is a pattern, and what follows a second NUL the text to match with it.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "read/roles/rules.h"
#include "read/roles/write.h"
#include "store/build/builder.h"
#include "store/trace/trace.h"

/* One type of every kind, with values, fields and containers, by the names in the seeds. */
static const struct weft_schema *schema(void)
{
    static struct weft_trace *trace;
    if (trace)
        return weft_trace_schema(trace);
    struct weft_err err = { 0 };
    char *path = fuzz_path("roles-store");
    struct weft_builder *builder = weft_builder_new(path, "paje", &err);
    if (!builder)
        abort();
    struct weft_type process = { .name = "PROCESS",
                                 .alias = "P",
                                 .kind = WEFT_CONTAINER,
                                 .start_type = WEFT_NONE,
                                 .end_type = WEFT_NONE };
    uint32_t container = weft_builder_type(builder, &process);
    static const enum weft_kind kinds[] = { WEFT_STATE, WEFT_EVENT, WEFT_VARIABLE,
                                            WEFT_LINK };
    static const char *const names[] = { "MPI_STATE", "Marker", "speed *", "MPI_LINK" };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        uint32_t type = weft_builder_type(
            builder, &(struct weft_type){
                         .name = names[i],
                         .parent = container,
                         .kind = kinds[i],
                         .start_type = kinds[i] == WEFT_LINK ? container : WEFT_NONE,
                         .end_type = kinds[i] == WEFT_LINK ? container : WEFT_NONE });
        if (kinds[i] != WEFT_VARIABLE)
            weft_builder_value(builder, type, "computing", "c", 0xff112233);
        weft_builder_field(builder, type, "Size", WEFT_FIELD_INTEGER);
    }
    weft_builder_container(builder, container, 0, "rank \xc3\xa9", "r0", 0);
    if (!weft_builder_finish(builder, NULL, &err) || !(trace = weft_trace_open(path, &err)))
        abort();
    remove(path);
    free(path);
    return weft_trace_schema(trace);
}

static void lay_over(const struct weft_rules *rules)
{
    const struct weft_schema *over = schema();
    uint32_t line;
    weft_rules_fit(rules, over, &line, NULL);
    weft_rules_tool(rules);
    for (int override = 0; override < 2; override++) {
        struct weft_roles roles;
        size_t found;
        weft_roles_init(&roles, over);
        weft_rules_apply(&rules, 1, over, override, &roles, &found, NULL);
        weft_roles_free(&roles);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *nul = size ? memchr(data, 0, size) : NULL;
    size_t length = nul ? (size_t)(nul - data) : size;
    struct weft_err err = { 0 };
    struct weft_rules *rules = weft_rules_parse((const char *)data, length, "rules", &err);
    if (rules)
        lay_over(rules);
    else if (!err.message[0])
        abort(); /* a refusal says why */
    weft_rules_free(rules);
    if (nul) {
        char *pattern = weft_strndup((const char *)nul + 1, size - length - 1);
        size_t end = strlen(pattern);
        weft_rules_match(pattern, length + 1 + end < size ? pattern + end + 1 : "");
        free(pattern);
    }
    return 0;
}
