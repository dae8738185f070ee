/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Links are appended when they are complete; those of all tracks are collected (on disk
 * beyond some megabytes), and at the end sorted by the earlier of their two times and
 * written.  A link without an end in the trace has length 0 at first; at finish its end
 * becomes that of the span.  There may be more links than fit into memory, so sorting
 * spills, too.
 */
#include <stdlib.h>
#include <string.h>

#include "store/build/builder_priv.h"
#include "store/build/sort_runs.h"
#include "store/column.h"
#include "store/write_row_blocks.h"

struct link_end { /* for the index by container */
    uint32_t container;
    bool incoming;
    int64_t time;
    uint64_t id;
};

void weft_builder_link(struct weft_builder *b, const struct weft_link *link,
                       const struct weft_field_value *fields, size_t n_fields)
{
    uint32_t index = weft_builder_track(b, link->container, link->type);
    struct build_track *track = &b->tracks[index];
    WEFT_REQUIRE(track->kind == WEFT_LINK, "type %u is not of links", link->type);
    struct build_links *links = &b->links;
    struct build_link row = { .link = *link,
                              .n_fields = (uint32_t)n_fields,
                              .track = index };
    if (link->flags & WEFT_BEGIN_IMPLIED)
        row.link.begin = link->end;
    if (link->flags & WEFT_END_IMPLIED)
        row.link.end = link->begin;
    row.first_field = (links->fields.written + links->fields.used) / sizeof *fields;
    if (n_fields)
        weft_spill_append(&links->fields, b->folder, fields, n_fields * sizeof *fields);
    weft_spill_append(&links->rows, b->folder, &row, sizeof row);
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

/*
 * Returns the link with its end: a message that never arrived is pending until the end of
 * the span.
 */
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

/* Returns the final number of an entity's track, or -1. */
static int64_t final_number(uint64_t id, const uint32_t *final_track)
{
    return id == WEFT_NO_ID ? -1 : (int64_t)final_track[weft_entity_track(id)];
}
static int64_t ordinal_or(uint64_t id, int64_t before)
{
    return id == WEFT_NO_ID ? before : (int64_t)weft_entity_ordinal(id);
}

/*
 * Fills in the columns of a link.  Times are relative to each other, so they take few
 * bytes.
 */
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
        struct link_end end = { link->from, false, link->begin, id };
        weft_spill_append(ends, b->folder, &end, sizeof end);
    }
    if (link->to != WEFT_NONE) {
        struct link_end end = { link->to, true, link->end, id };
        weft_spill_append(ends, b->folder, &end, sizeof end);
    }
}

static void flush_links(struct weft_builder *b, struct build_track *track, size_t n,
                        int64_t columns[][WEFT_BLOCK_ROWS], struct weft_file_block entry,
                        int64_t reach)
{
    unsigned char *out = weft_build_scratch(
        b, track, sizeof(struct weft_rows_header) + WEFT_LINK_COLUMNS * WEFT_COLUMN_MAX);
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

/* Looks at the job every STEP rows. */
static bool go_on(struct weft_job *job, uint64_t done, uint64_t total, struct weft_err *err)
{
    enum { STEP = 1 << 14 };
    return done % STEP || weft_job_step(job, done, total, err);
}

/* Sort state of the links. */
struct link_sort {
    struct weft_builder *b;
    struct weft_job *job;
    uint64_t count, written;
    const uint32_t *final_track;
    struct build_link *rows;
    const struct weft_field_value *fields;
    struct weft_sort_runs order; /* of rows: by track, each by time */
    struct weft_spill ends;      /* struct link_end, as links are written */
};

static bool write_track(struct link_sort *s, struct build_track *track,
                        uint32_t final_index, struct weft_err *err)
{
    struct weft_builder *b = s->b;
    size_t n = track->count;
    int64_t(*columns)[WEFT_BLOCK_ROWS] = weft_alloc(WEFT_LINK_COLUMNS * sizeof *columns);
    int64_t before = 0, reach = INT64_MIN;
    struct weft_file_block entry = { 0 };
    struct weft_sort_item item;
    bool ok = true;
    for (size_t i = 0; i < n && ok && weft_sort_runs_next(&s->order, &item); i++) {
        const struct build_link *row = &s->rows[item.payload];
        const struct weft_link resolved_link = resolved(b, track, &row->link);
        const struct weft_link *link = &resolved_link;
        if (i % WEFT_BLOCK_ROWS == 0) {
            entry = (struct weft_file_block){ .time = earlier(link), .ordinal = i };
            before = earlier(link);
            reach = INT64_MIN;
        }
        uint32_t code = weft_build_code(b, track, link->value);
        link_columns(link, before, code, s->final_track, columns, i % WEFT_BLOCK_ROWS);
        before = earlier(link);
        int64_t later = link->begin < link->end ? link->end : link->begin;
        reach = later > reach ? later : reach;
        weft_build_fields(b, track, i, s->fields + row->first_field, row->n_fields);
        note_ends(b, link, weft_entity_id(final_index, i), &s->ends);
        if ((i + 1) % WEFT_BLOCK_ROWS == 0 || i + 1 == n)
            flush_links(b, track, i % WEFT_BLOCK_ROWS + 1, columns, entry, reach);
        ok = go_on(s->job, s->written++, s->count, err);
    }
    free(columns);
    return ok;
}

static uint64_t in_order(int64_t time)
{
    return (uint64_t)time ^ UINT64_C(1) << 63;
}

/* Sorts by time, then by track; sorting is stable. */
static bool sort_links(struct link_sort *s, struct weft_err *err)
{
    struct weft_sort_runs by_time;
    struct weft_sort_item item;
    bool ok = true;
    weft_sort_runs_begin(&by_time, s->b->folder);
    for (uint64_t i = 0; i < s->count && ok; i++) {
        weft_sort_runs_add(&by_time, in_order(earlier(&s->rows[i].link)), i);
        ok = go_on(s->job, i, s->count, err);
    }
    by_time.job = s->order.job = s->job;
    ok = ok && weft_sort_runs_merge(&by_time, err);
    for (uint64_t i = 0; ok && weft_sort_runs_next(&by_time, &item); i++) {
        weft_sort_runs_add(&s->order, s->final_track[s->rows[item.payload].track],
                           item.payload);
        ok = go_on(s->job, i, s->count, err);
    }
    weft_sort_runs_end(&by_time);
    return ok && weft_sort_runs_merge(&s->order, err);
}

/* ---- The ids of the links at each container ---- */

static uint64_t group_of(const struct link_end *end)
{
    return (uint64_t)end->container << 1 | end->incoming;
}

/* Sorts by container, direction (outgoing, then incoming), time, and id. */
static bool sort_ends(struct weft_builder *b, const struct link_end *list, uint64_t n,
                      struct weft_sort_runs *order, struct weft_job *job,
                      struct weft_err *err)
{
    struct weft_sort_runs by_time;
    struct weft_sort_item item;
    bool ok = true;
    weft_sort_runs_begin(&by_time, b->folder);
    for (uint64_t i = 0; i < n && ok; i++) {
        weft_sort_runs_add(&by_time, in_order(list[i].time), i);
        ok = go_on(job, i, n, err);
    }
    by_time.job = order->job = job;
    ok = ok && weft_sort_runs_merge(&by_time, err);
    for (uint64_t i = 0; ok && weft_sort_runs_next(&by_time, &item); i++) {
        weft_sort_runs_add(order, group_of(&list[item.payload]), list[item.payload].id);
        ok = go_on(job, i, n, err);
    }
    weft_sort_runs_end(&by_time);
    return ok && weft_sort_runs_merge(order, err);
}

/* Writes the ids in blocks, in the data section; INDEX gets the part of each container. */
static bool write_ends(struct weft_builder *b, struct weft_sort_runs *order,
                       struct weft_file_link_index *index, struct weft_job *job,
                       struct weft_err *err)
{
    struct weft_row_blocks out;
    struct weft_file_section rows;
    struct weft_sort_item items[WEFT_BLOCK_ROWS], item;
    uint64_t at = 0;
    bool ok = true;
    weft_row_blocks_begin(&out, b->writer);
    for (; ok && weft_sort_runs_next(order, &item); at++) {
        struct weft_file_link_index *of = &index[item.key >> 1];
        uint64_t *first = item.key & 1 ? &of->in_first : &of->out_first;
        uint64_t *count = item.key & 1 ? &of->n_in : &of->n_out;
        *first = *count ? *first : at;
        ++*count;
        items[at % WEFT_BLOCK_ROWS] =
            (struct weft_sort_item){ weft_sortable(0), item.payload };
        if ((at + 1) % WEFT_BLOCK_ROWS == 0)
            weft_index_block_add(&out, items, WEFT_BLOCK_ROWS);
        ok = go_on(job, at, order->count, err);
    }
    if (at % WEFT_BLOCK_ROWS)
        weft_index_block_add(&out, items, at % WEFT_BLOCK_ROWS);
    weft_row_blocks_end(&out, &rows, &b->header.sections[WEFT_SECTION_LINK_ENDS]);
    return ok;
}

static bool index_ends(struct weft_builder *b, struct weft_spill *ends,
                       struct weft_job *job, struct weft_err *err)
{
    uint64_t size;
    const struct link_end *list = weft_spill_read(ends, &size, err);
    if (!list)
        return false;
    uint64_t n = size / sizeof *list;
    struct weft_file_link_index *index = weft_zalloc(b->n_containers, sizeof *index);
    struct weft_sort_runs order;
    weft_sort_runs_begin(&order, b->folder);
    bool ok =
        sort_ends(b, list, n, &order, job, err) && write_ends(b, &order, index, job, err);
    if (ok)
        weft_build_section(b, WEFT_SECTION_LINK_INDEX, index,
                           n ? b->n_containers * sizeof *index : 0);
    weft_sort_runs_end(&order);
    free(index);
    return ok;
}

bool weft_build_links(struct weft_builder *b, const uint32_t *order,
                      const uint32_t *final_track, struct weft_job *job,
                      struct weft_err *err)
{
    struct link_sort s = { .b = b, .job = job, .final_track = final_track };
    uint64_t size = 0, field_size;
    s.rows = weft_spill_read(&b->links.rows, &size, err);
    s.fields = s.rows ? weft_spill_read(&b->links.fields, &field_size, err) : NULL;
    if (!s.fields)
        return false;
    weft_spill_init(&s.ends);
    weft_sort_runs_begin(&s.order, b->folder);
    s.count = size / sizeof *s.rows;
    bool ok = sort_links(&s, err);
    for (uint32_t i = 0; i < b->n_tracks && ok; i++)
        if (b->tracks[order[i]].kind == WEFT_LINK)
            ok = write_track(&s, &b->tracks[order[i]], i, err);
    weft_sort_runs_end(&s.order);
    weft_build_links_free(b);
    ok = ok && index_ends(b, &s.ends, job, err);
    weft_spill_free(&s.ends);
    return ok;
}

void weft_build_links_free(struct weft_builder *b)
{
    weft_spill_free(&b->links.rows);
    weft_spill_free(&b->links.fields);
}
