/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mpi_sums FILE.weft: one line "messages bytes half transfers collectives ranks" of a trace of
 * MPI, by the roles of its types: links that are messages and have both ends, and those that
 * lack one; links that move memory; events that are collective operations; containers that are
 * ranks.  For comparing with what a program counted itself.
 */
#include <inttypes.h>
#include <stdio.h>

#include "store/trace/trace.h"

struct sums {
    const struct weft_source *source;
    uint64_t messages, bytes, half, transfers, collectives, ranks;
};

static bool add_link(void *user, const struct weft_link *link)
{
    struct sums *sums = user;
    const struct weft_schema *schema = sums->source->schema;
    enum weft_role role = schema->types[link->type].role;
    struct weft_field_value fields[8];
    const struct weft_field_value *bytes;
    size_t n = sums->source->ops->fields(sums->source, link->id, fields, 8);

    if (link->flags & (WEFT_BEGIN_IMPLIED | WEFT_END_IMPLIED)) {
        sums->half++;
    } else if (role == WEFT_ROLE_TRANSFER) {
        sums->transfers++;
    } else if (role == WEFT_ROLE_MESSAGE) {
        bytes =
            weft_field_with_role(schema, fields, n, WEFT_ROLE_BYTES, WEFT_FIELD_INTEGER);
        sums->messages++;
        sums->bytes += bytes ? (uint64_t)bytes->integer : 0;
    }
    return true;
}

int main(int argc, char **argv)
{
    struct weft_err err = { 0 };
    struct weft_trace *trace = argc == 2 ? weft_trace_open(argv[1], &err) : NULL;
    struct sums sums = { 0 };
    const struct weft_schema *schema;
    struct weft_span all;

    if (!trace) {
        fprintf(stderr, "mpi_sums: %s\n", err.message);
        return 1;
    }
    sums.source = weft_trace_source(trace);
    schema = sums.source->schema;
    all = (struct weft_span){ schema->span.begin, schema->span.end + 1 };
    for (uint32_t i = 0; i < schema->n_containers; i++)
        sums.ranks += schema->containers[i].role == WEFT_ROLE_RANK;
    for (uint32_t i = 0; i < schema->n_tracks; i++) {
        const struct weft_type *type = &schema->types[schema->tracks[i].type];
        if (type->kind == WEFT_LINK)
            sums.source->ops->links(sums.source, i, all, add_link, &sums);
        else if (type->role == WEFT_ROLE_COLLECTIVE_OPERATION)
            sums.collectives += schema->tracks[i].count;
    }
    printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
           sums.messages, sums.bytes, sums.half, sums.transfers, sums.collectives,
           sums.ranks);
    weft_trace_close(trace);
    return 0;
}
