/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Links come in the order in which they complete; they are kept aside (spilled to disk beyond
 * some megabytes), and at the end sorted by the earlier of their two times and written.  Those
 * that have no end in the trace begin as long as nothing; at the end it is known where the span
 * of the trace ends.
 */
#include <stdlib.h>
#include <string.h>

#include "store/builder_priv.h"
#include "store/column.h"
#include "store/sort.h"

void weft_builder_link(struct weft_builder *b, const struct weft_link *link,
                       const struct weft_field_value *fields, size_t n_fields)
{
    uint32_t index = weft_builder_track(b, link->container, link->type);
    struct build_track *track = &b->tracks[index];
    WEFT_REQUIRE(track->kind == WEFT_LINK, "type %u is not of links", link->type);
    struct build_link row = { .link = *link, .n_fields = (uint32_t)n_fields };
    if (link->flags & WEFT_BEGIN_IMPLIED)
        row.link.begin = link->end;
    if (link->flags & WEFT_END_IMPLIED)
        row.link.end = link->begin;
    row.first_field =
        (track->link_fields.written + track->link_fields.used) / sizeof *fields;
    if (n_fields)
        weft_spill_append(&track->link_fields, b->folder, fields,
                          n_fields * sizeof *fields);
    weft_spill_append(&track->links, b->folder, &row, sizeof row);
    int64_t low = row.link.begin < row.link.end ? row.link.begin : row.link.end;
    int64_t high = row.link.begin < row.link.end ? row.link.end : row.link.begin;
    if (low < track->begin)
        track->begin = low;
    if (high > track->end)
        track->end = high;
    weft_build_time(b, low);
    weft_build_time(b, high);
    track->count++;
    b->header.n_links++;
}

/* What did not arrive is on its way to whom it was sent, to the end of the span. */
static struct weft_link resolved(const struct weft_builder *b, struct build_track *track,
                                 const struct weft_link *link)
{
    struct weft_link out = *link;
    if (link->flags & WEFT_END_IMPLIED && link->to != WEFT_NONE) {
        out.end = b->header.end;
        track->end = b->header.end;
    }
    return out;
}

static int64_t earlier(const struct weft_link *link)
{
    return link->begin < link->end ? link->begin : link->end;
}

/* The track of an entity in the final order of the tracks, and its number there. */
static int64_t final_number(uint64_t id, const uint32_t *final_track)
{
    return id == WEFT_NO_ID ? -1 : (int64_t)final_track[weft_entity_track(id)];
}
static int64_t ordinal_or(uint64_t id, int64_t before)
{
    return id == WEFT_NO_ID ? before : (int64_t)weft_entity_ordinal(id);
}

/* The columns of a block of links.  Times are relative to each other, so they take few bytes. */
static void link_columns(const struct weft_link *link, int64_t before, uint32_t code,
                         const uint32_t *final_track, int64_t columns[][WEFT_BLOCK_ROWS],
                         size_t row)
{
    const int64_t cells[WEFT_LINK_COLUMNS] = {
        [WEFT_LINK_DELTA] = earlier(link) - before,
        [WEFT_LINK_BEGIN] = link->begin - earlier(link),
        [WEFT_LINK_END] = link->end - earlier(link),
        [WEFT_LINK_FROM] = link->from == WEFT_NONE ? -1 : (int64_t)link->from,
        [WEFT_LINK_TO] = link->to == WEFT_NONE ? -1 : (int64_t)link->to,
        [WEFT_LINK_CODE] = code,
        [WEFT_LINK_KEY] = link->key == WEFT_NONE ? -1 : (int64_t)link->key,
        [WEFT_LINK_FLAGS] = link->flags,
        [WEFT_LINK_FROM_TRACK] = final_number(link->from_entity, final_track),
        [WEFT_LINK_FROM_ORDINAL] = ordinal_or(
            link->from_entity, row ? columns[WEFT_LINK_FROM_ORDINAL][row - 1] : 0),
        [WEFT_LINK_TO_TRACK] = final_number(link->to_entity, final_track),
        [WEFT_LINK_TO_ORDINAL] =
            ordinal_or(link->to_entity, row ? columns[WEFT_LINK_TO_ORDINAL][row - 1] : 0),
    };
    for (size_t c = 0; c < WEFT_LINK_COLUMNS; c++)
        columns[c][row] = cells[c];
}

static void note_ends(struct weft_builder *b, const struct weft_link *link, uint64_t id,
                      struct weft_spill *ends)
{
    if (link->from != WEFT_NONE) {
        struct build_link_end end = { link->from, false, link->begin, id };
        weft_spill_append(ends, b->folder, &end, sizeof end);
    }
    if (link->to != WEFT_NONE) {
        struct build_link_end end = { link->to, true, link->end, id };
        weft_spill_append(ends, b->folder, &end, sizeof end);
    }
}

static void flush_links(struct weft_builder *b, struct build_track *track, size_t n,
                        int64_t columns[][WEFT_BLOCK_ROWS], struct weft_file_block entry,
                        int64_t reach)
{
    unsigned char *out = weft_build_scratch(
        b, track, sizeof(struct weft_rows_header) + WEFT_LINK_COLUMNS * WEFT_COLUMN_MOST);
    struct weft_rows_header header = { (uint16_t)n, WEFT_LINK_COLUMNS, 0 };
    memcpy(out, &header, sizeof header);
    size_t size = sizeof header;
    for (size_t c = 0; c < WEFT_LINK_COLUMNS; c++)
        size += weft_column_encode(out + size, columns[c], n);
    entry.n = (uint16_t)n;
    weft_build_block(b, track, NULL, entry, out, size);
    track->reach = weft_grow(track->reach, &track->reach_capacity, track->n_blocks,
                             sizeof *track->reach);
    track->reach[track->n_blocks - 1] = reach;
}

static void write_sorted(struct weft_builder *b, struct build_track *track,
                         const struct build_link *links,
                         const struct weft_field_value *fields,
                         const struct weft_sort_item *order, uint32_t final_index,
                         const uint32_t *final_track, struct weft_spill *ends)
{
    size_t n = track->count;
    int64_t(*columns)[WEFT_BLOCK_ROWS] = weft_alloc(WEFT_LINK_COLUMNS * sizeof *columns);
    int64_t before = 0, reach = INT64_MIN;
    struct weft_file_block entry = { 0 };
    for (size_t i = 0; i < n; i++) {
        const struct build_link *row = &links[order[i].payload];
        const struct weft_link resolved_link = resolved(b, track, &row->link);
        const struct weft_link *link = &resolved_link;
        if (i % WEFT_BLOCK_ROWS == 0) {
            entry = (struct weft_file_block){ .time = earlier(link), .ordinal = i };
            before = earlier(link);
            reach = INT64_MIN;
        }
        uint32_t code = weft_build_code(b, track, link->value);
        link_columns(link, before, code, final_track, columns, i % WEFT_BLOCK_ROWS);
        before = earlier(link);
        int64_t later = link->begin < link->end ? link->end : link->begin;
        reach = later > reach ? later : reach;
        weft_build_fields(b, track, i, fields + row->first_field, row->n_fields);
        note_ends(b, link, weft_entity_id(final_index, i), ends);
        if ((i + 1) % WEFT_BLOCK_ROWS == 0 || i + 1 == n)
            flush_links(b, track, i % WEFT_BLOCK_ROWS + 1, columns, entry, reach);
    }
    free(columns);
}

bool weft_build_links(struct weft_builder *b, struct build_track *track,
                      uint32_t final_index, const uint32_t *final_track,
                      struct weft_spill *ends, struct weft_err *err)
{
    uint64_t size, field_size;
    const struct build_link *links = weft_spill_read(&track->links, &size, err);
    const struct weft_field_value *fields =
        links ? weft_spill_read(&track->link_fields, &field_size, err) : NULL;
    if (!fields)
        return false;
    struct weft_sort_item *order = weft_alloc(track->count * sizeof *order);
    for (size_t i = 0; i < track->count; i++)
        order[i] =
            (struct weft_sort_item){ (uint64_t)earlier(&links[i].link) ^ UINT64_C(1) << 63,
                                     i };
    weft_sort(order, track->count);
    write_sorted(b, track, links, fields, order, final_index, final_track, ends);
    free(order);
    weft_spill_free(&track->links);
    weft_spill_free(&track->link_fields);
    return true;
}
