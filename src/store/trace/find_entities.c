/* SPDX-License-Identifier: Apache-2.0 */
/* Finds entities by the value of a field, and links by the entities at their ends. */
#include "store/trace/trace_priv.h"

static const struct weft_file_index *find_index(const struct weft_trace *trace,
                                                enum weft_index_kind kind, uint32_t field)
{
    for (uint64_t i = 0; i < trace->n_indexes; i++)
        if (trace->indexes[i].kind == kind && trace->indexes[i].field == field)
            return &trace->indexes[i];
    return NULL;
}

size_t weft_index_decode(const struct weft_trace *trace,
                         const struct weft_file_block *block,
                         int64_t columns[WEFT_INDEX_COLUMNS][WEFT_BLOCK_ROWS])
{
    size_t n = weft_rows_decode(trace, block, columns, WEFT_INDEX_COLUMNS), left;
    if (!n)
        return 0;
    weft_times_from_deltas(columns[WEFT_INDEX_KEY], n, block->time);
    struct weft_rows_header header;
    memcpy(&header, weft_trace_block(trace, block, &left), sizeof header);
    if (header.form == WEFT_ORDINALS_ARE_STEPS)
        weft_times_from_deltas(columns[WEFT_INDEX_ORDINAL], n, (int64_t)block->ordinal);
    return n;
}

/* Visits the ids of the rows with a key, as the file has them: the caller checks them. */
static void visit_key(const struct weft_trace *trace, const struct weft_file_index *index,
                      int64_t key, bool (*visit)(void *user, uint64_t id), void *user)
{
    const struct weft_file_block *blocks = trace->index_blocks + index->first_block;
    int64_t columns[WEFT_INDEX_COLUMNS][WEFT_BLOCK_ROWS];
    for (size_t b = weft_block_at(blocks, index->n_blocks, key);
         b < index->n_blocks && blocks[b].time <= key; b++) {
        size_t n = weft_index_decode(trace, &blocks[b], columns);
        for (size_t i = 0; i < n && columns[WEFT_INDEX_KEY][i] <= key; i++) {
            uint64_t track = (uint64_t)columns[WEFT_INDEX_TRACK][i];
            uint64_t ordinal = (uint64_t)columns[WEFT_INDEX_ORDINAL][i];
            if (columns[WEFT_INDEX_KEY][i] == key && track < trace->schema.n_tracks
                && ordinal < trace->tracks[track].count
                && !visit(user, weft_entity_id((uint32_t)track, ordinal)))
                return;
        }
    }
}

struct entity_visitor { /* passes on the entities of a type */
    const struct weft_trace *trace;
    uint32_t type;
    bool (*visit)(void *user, uint64_t id);
    void *user;
};

static bool pass_id(void *user, uint64_t id)
{
    const struct entity_visitor *visitor = user;
    bool right = visitor->trace->tracks[weft_entity_track(id)].type == visitor->type;
    return !right || visitor->visit(visitor->user, id);
}

bool weft_trace_find(const struct weft_source *source, const struct weft_field_value *value,
                     bool (*visit)(void *user, uint64_t id), void *user)
{
    const struct weft_trace *trace = weft_trace_of(source);
    if (value->field >= trace->schema.n_fields)
        return false;
    const struct weft_field *field = &trace->schema.fields[value->field];
    const struct weft_file_index *index = find_index(trace, WEFT_INDEX_FIELD, value->field);
    if (!index)
        return false;
    struct entity_visitor visitor = { trace, field->type, visit, user };
    visit_key(trace, index, weft_field_bits(field->kind, value), pass_id, &visitor);
    return true;
}

struct found_links {
    const struct weft_source *source;
    uint64_t entity;
    bool incoming;
    bool (*visit)(void *user, const struct weft_link *link);
    void *user;
};

static bool pass_link(void *user, uint64_t id)
{
    const struct found_links *found = user;
    struct weft_link link;
    bool right = weft_trace_link(found->source, id, &link)
                 && (found->incoming ? link.to_entity : link.from_entity) == found->entity;
    return !right || found->visit(found->user, &link);
}

void weft_trace_links_of(const struct weft_source *source, uint64_t entity, bool incoming,
                         bool (*visit)(void *user, const struct weft_link *link),
                         void *user)
{
    const struct weft_trace *trace = weft_trace_of(source);
    const struct weft_file_index *index = find_index(
        trace, incoming ? WEFT_INDEX_LINKS_TO : WEFT_INDEX_LINKS_FROM, WEFT_NONE);
    struct found_links found = { source, entity, incoming, visit, user };
    if (index && entity != WEFT_NO_ID)
        visit_key(trace, index, (int64_t)entity, pass_link, &found);
}
