/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/parallel.h"
#include "store/mipmaps.h"
#include "store/write_row_blocks.h"

/*
 * The finest bins are so wide that they hold this many changes on average.  The mip of a
 * single track is used for tall rows, of which a screen has few, so its bins may be wide
 * and leave more to scanning.  Groups of four tracks serve a screen of a few thousand rows.
 * From one size of group to the next, which is four times as large, a bin gets eight times
 * the changes.
 */
enum {
    CHANGES_PER_TRACK_BIN = 24,
    CHANGES_PER_GROUP_BIN = 10, /* of four tracks */
    MAX_BINS = 1 << 22,         /* of one mip: making it takes some 80 bytes a bin */
    FEWEST_CHANGES = 1024,      /* with fewer, scanning is fast enough without a mip */
    FIRST_BATCH = 8,            /* groups made at once, before their size is known */
    BATCH = 256,                /* most groups made at once: each thread gets several */
    MAX_HELD = 16 << 20         /* bytes of results that wait to be written */
};

struct mip_job {
    const struct weft_trace *trace;
    const uint32_t *tracks; /* of the type, in order */
    size_t n_tracks;
    uint32_t type;
    unsigned level, slots;
    size_t first_group; /* of the batch */
    struct mip_result {
        struct weft_file_mip mip;
        uint8_t *shares;
        size_t size;
    } results[BATCH];
};

static uint64_t changes_of(const struct weft_trace *trace, const uint32_t *tracks, size_t n)
{
    uint64_t changes = 0;
    for (size_t i = 0; i < n; i++)
        changes += trace->tracks[tracks[i]].n_blocks * WEFT_BLOCK_ROWS;
    return changes;
}

static unsigned count_levels(const struct weft_trace *trace, int64_t width)
{
    unsigned levels = 1;
    while (weft_mip_bins(trace, width << 2 * (levels - 1)) > 1)
        levels++;
    return levels;
}

/*
 * Rounds shares to 255ths of a bin.  The rounding error is carried on to the next bin, so
 * that a value too rare to show in any one bin still has its true share in the sum of many.
 */
static void quantize(const float *shares, uint64_t bins, unsigned slots, float scale,
                     uint8_t *out)
{
    float carry[WEFT_MAX_SLOTS] = { 0 };
    for (uint64_t i = 0; i < bins; i++)
        for (unsigned s = 0; s < slots; s++) {
            float wanted = shares[i * slots + s] * scale + carry[s];
            float whole = wanted < 0 ? 0 : wanted > 255 ? 255 : (float)(int)(wanted + 0.5f);
            out[i * slots + s] = (uint8_t)whole;
            carry[s] = wanted - whole;
        }
}

/*
 * Makes the coarser levels: each bin is the mean of four; errors are carried on to the next
 * bin.
 */
static void coarsen(const struct weft_trace *trace, const struct weft_file_mip *mip,
                    unsigned slots, uint8_t *shares)
{
    const uint8_t *from = shares;
    for (unsigned level = 1; level < mip->n_levels; level++) {
        uint64_t bins = weft_mip_bins(trace, mip->width << 2 * (level - 1));
        uint64_t above = weft_mip_bins(trace, mip->width << 2 * level);
        uint8_t *to = (uint8_t *)from + bins * slots;
        int carry[WEFT_MAX_SLOTS] = { 0 };
        for (uint64_t i = 0; i < above; i++)
            for (unsigned s = 0; s < slots; s++) {
                int sum = carry[s];
                for (uint64_t j = 4 * i; j < 4 * i + 4 && j < bins; j++)
                    sum += from[j * slots + s];
                int whole = sum < 0 ? 0 : (sum + 2) / 4;
                whole = whole > 255 ? 255 : whole;
                to[i * slots + s] = (uint8_t)whole;
                carry[s] = sum - 4 * whole;
            }
        from = to;
    }
}

/* Returns the window that bins of a width cover: the span, rounded up to whole bins. */
static struct weft_span binned(const struct weft_trace *trace, int64_t width)
{
    int64_t begin = trace->schema.span.begin;
    return (struct weft_span){ begin,
                               begin + (int64_t)weft_mip_bins(trace, width) * width };
}

static void build_one(void *user, size_t index)
{
    struct mip_job *job = user;
    const struct weft_trace *trace = job->trace;
    struct mip_result *result = &job->results[index];
    size_t size = (size_t)1 << 2 * job->level, first = (job->first_group + index) * size;
    size_t n = job->n_tracks - first < size ? job->n_tracks - first : size;
    *result = (struct mip_result){ 0 };
    uint64_t changes = changes_of(trace, job->tracks + first, n);
    if (changes < FEWEST_CHANGES || n < size)
        return; /* scanning, or the mips of smaller groups, are fast enough */
    uint64_t bins = job->level == 0
                        ? changes / CHANGES_PER_TRACK_BIN
                        : changes / (CHANGES_PER_GROUP_BIN << 3 * (job->level - 1));
    bins = bins < MAX_BINS ? bins : MAX_BINS;
    uint64_t span = (uint64_t)trace->schema.span.end - (uint64_t)trace->schema.span.begin;
    if (!bins || span / bins == 0 || span > INT64_MAX / 16)
        return;
    int64_t width = (int64_t)(span / bins) + 1;
    bins = weft_mip_bins(trace, width);
    result->mip =
        (struct weft_file_mip){ .width = width,
                                .first_track = (uint32_t)first,
                                .n_tracks = (uint32_t)n,
                                .type = job->type,
                                .level = (uint16_t)job->level,
                                .n_levels = (uint16_t)count_levels(trace, width) };
    for (unsigned level = 0; level < result->mip.n_levels; level++)
        result->size += weft_mip_bins(trace, width << 2 * level) * job->slots;
    result->shares = weft_alloc(result->size);
    float *shares = weft_alloc(bins * job->slots * sizeof *shares);
    struct weft_share_query query = { job->tracks + first, n, binned(trace, width), bins,
                                      shares };
    weft_trace_shares(&trace->source, &query);
    quantize(shares, bins, job->slots, 255 / (float)n, result->shares);
    free(shares);
    coarsen(trace, &result->mip, job->slots, result->shares);
}

struct output {
    struct weft_writer *writer;
    struct weft_file_mip *mips;
    size_t n_mips, capacity;
    uint64_t begin, size;
    XXH3_state_t checksum; /* of the incomplete piece */
    uint32_t *checksums;   /* of the pieces before it */
    size_t n_checksums, checksum_capacity;
};

static void end_piece(struct output *out)
{
    out->checksums = weft_grow(out->checksums, &out->checksum_capacity,
                               out->n_checksums + 1, sizeof *out->checksums);
    out->checksums[out->n_checksums++] = (uint32_t)XXH3_64bits_digest(&out->checksum);
    XXH3_64bits_reset(&out->checksum);
}

/* Appends bytes to the section. */
static void add_bytes(struct output *out, const uint8_t *bytes, uint64_t n)
{
    while (n) {
        uint64_t room = WEFT_SHARE_PIECE - out->size % WEFT_SHARE_PIECE;
        uint64_t part = n < room ? n : room;
        XXH3_64bits_update(&out->checksum, bytes, part);
        out->size += part;
        bytes += part;
        n -= part;
        if (out->size % WEFT_SHARE_PIECE == 0)
            end_piece(out);
    }
}

static void keep(struct output *out, struct mip_result *result)
{
    if (!result->shares)
        return;
    uint64_t at = weft_writer_append(out->writer, result->shares, result->size);
    static const uint8_t zeros[8];
    /* The padding before it belongs to the section, and so to its checksum. */
    add_bytes(out, zeros, at - out->begin - out->size);
    add_bytes(out, result->shares, result->size);
    result->mip.first_share = at - out->begin;
    out->mips = weft_grow(out->mips, &out->capacity, out->n_mips + 1, sizeof *out->mips);
    out->mips[out->n_mips++] = result->mip;
    free(result->shares);
}

static bool build_level(struct weft_trace *trace, struct mip_job *work, struct output *out,
                        struct weft_job *job, struct weft_err *err)
{
    size_t size = (size_t)1 << 2 * work->level;
    size_t groups = (work->n_tracks + size - 1) / size;
    size_t batch = FIRST_BATCH;
    for (size_t first = 0, n; first < groups; first += n) {
        n = groups - first < batch ? groups - first : batch;
        work->first_group = first;
        weft_parallel(n, 1, build_one, work);
        size_t held = 0;
        for (size_t i = 0; i < n; i++) {
            held += work->results[i].size;
            keep(out, &work->results[i]);
        }
        /*
         * The list of mips may have moved, and the next batch reads the lower levels from
         * it.
         */
        if (trace->n_mips)
            trace->mips = out->mips;
        /* The next batch is as large as MAX_HELD allows for groups like these. */
        batch = held / n ? MAX_HELD / (held / n) : BATCH;
        batch = batch < FIRST_BATCH ? FIRST_BATCH : batch > BATCH ? BATCH : batch;
        if (!weft_job_step(job, first, groups, err))
            return false;
    }
    return true;
}

/*
 * Maps the mips written so far into TRACE, because each level is made from the one below
 * it.
 */
static bool publish(struct weft_trace *trace, struct output *out, struct weft_mapping *map,
                    struct weft_err *err)
{
    weft_unmap(map);
    const char *path = weft_writer_readable(out->writer, err);
    if (!path || !weft_map_file(map, path, err))
        return false;
    trace->shares = map->data + out->begin;
    trace->n_shares = out->size;
    trace->mips = out->mips;
    trace->n_mips = out->n_mips;
    return true;
}

/* Groups the tracks by type, in order; the tracks of TYPE begin at the result's [TYPE]. */
static size_t *group_tracks(const struct weft_trace *trace, uint32_t *tracks)
{
    uint32_t n_types = trace->schema.n_types;
    size_t *first = weft_zalloc((size_t)n_types + 2, sizeof *first);
    for (uint32_t t = 0; t < trace->schema.n_tracks; t++)
        first[trace->tracks[t].type + 2]++;
    for (uint32_t type = 0; type < n_types; type++)
        first[type + 2] += first[type + 1];
    for (uint32_t t = 0; t < trace->schema.n_tracks; t++)
        tracks[first[trace->tracks[t].type + 1]++] = t;
    return first;
}

bool weft_mips_build(struct weft_trace *trace, struct weft_writer *writer,
                     struct weft_file_section *sections, struct weft_job *job,
                     struct weft_err *err)
{
    struct output out = { .writer = writer };
    out.begin = weft_writer_append(writer, NULL, 0);
    XXH3_64bits_reset(&out.checksum);
    struct mip_job *work = weft_alloc(sizeof *work);
    uint32_t *tracks = weft_alloc((trace->schema.n_tracks + 1) * sizeof *tracks);
    size_t *first = group_tracks(trace, tracks);
    struct weft_mapping map = { 0 };
    bool ok = true;
    for (uint32_t type = 0; ok && type < trace->schema.n_types; type++) {
        if (trace->schema.types[type].kind != WEFT_STATE)
            continue;
        size_t n = first[type + 1] - first[type];
        for (unsigned level = 0;
             ok && n && (level == 0 || n > (size_t)1 << 2 * (level - 1)); level++) {
            *work = (struct mip_job){ .trace = trace,
                                      .tracks = tracks + first[type],
                                      .n_tracks = n,
                                      .type = type,
                                      .level = level,
                                      .slots = trace->schema.types[type].slots };
            ok =
                build_level(trace, work, &out, job, err) && publish(trace, &out, &map, err);
        }
    }
    if (out.size % WEFT_SHARE_PIECE)
        end_piece(&out);
    sections[WEFT_SECTION_SHARES] = (struct weft_file_section){ out.begin, out.size, 0 };
    sections[WEFT_SECTION_SHARE_CHECKSUMS] =
        weft_write_table(writer, out.checksums, out.n_checksums * sizeof *out.checksums);
    sections[WEFT_SECTION_MIPS] =
        weft_write_table(writer, out.mips, out.n_mips * sizeof *out.mips);
    weft_unmap(&map);
    free(out.checksums);
    free(out.mips);
    free(first);
    free(tracks);
    free(work);
    return ok;
}
