/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the blocks of a recording.  Behind a damaged block the next one is found by its
 * magic number.  A last block that a kill has cut is no damage.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/memory.h"
#include "domains/trees/fghc/recording_priv.h"

enum {
    CHUNK = 1 << 16,
    /* False magic numbers that are tried in a file: each may cost reading LOG_BYTES. */
    MAX_TRIES = 1000,
};

enum block_result { FOUND, NONE, FAILED };

struct block_finder {
    struct fghc_recording *recording;
    uint64_t size;
    struct recording_block block; /* the latest one found */
    unsigned char *entries;       /* [LOG_BYTES] */
    unsigned char *chunk;         /* [CHUNK] */
    unsigned tries;
    bool has_clocks;
    struct weft_err *err;
};

bool recording_read_at(const struct fghc_recording *r, void *to, size_t n, uint64_t offset,
                       struct weft_err *err)
{
    char *at = to;
    while (n) {
        ssize_t got = pread(r->fd, at, n, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return weft_fail_errno(err, WEFT_ERR_READ, "cannot read %s", r->path);
        if (got == 0)
            return weft_fail(err, WEFT_ERR_READ, "%s was cut while it was read", r->path);
        at += got;
        n -= (size_t)got;
        offset += (uint64_t)got;
    }
    return true;
}

void recording_note_damage(struct fghc_recording *r, uint64_t offset, uint64_t bytes)
{
    if (!r->n_damages++)
        r->first_damage = offset;
    r->damaged_bytes += bytes;
}

uint64_t recording_nanoseconds(const struct fghc_recording *r, uint64_t tick)
{
    const double most = 1e18; /* 30 years; a damaged clock may have any value */
    double since = tick >= r->first_tick ? (double)(tick - r->first_tick)
                                         : -(double)(r->first_tick - tick);
    double ns = (double)r->first_ns + since * r->scale;
    return ns <= 0 ? 0 : (uint64_t)(ns < most ? ns : most);
}

/* ---- One block ---- */

static uint64_t hash_of(const struct recording_block *block, const unsigned char *entries)
{
    return weft_hash(block, offsetof(struct recording_block, hash))
           ^ weft_hash(entries, block->bytes);
}

static bool is_plausible(const struct block_finder *f, const struct recording_block *block)
{
    return block->magic == BLOCK_MAGIC && block->pe < f->recording->header.pes
           && block->bytes <= LOG_BYTES && block->n_records <= block->bytes;
}

/* Looks for a whole block at OFFSET; reads it into `block` and `entries`. */
static enum block_result block_at(struct block_finder *f, uint64_t offset)
{
    struct recording_block *block = &f->block;
    uint64_t room = f->size - offset;
    if (room < sizeof *block)
        return NONE;
    if (!recording_read_at(f->recording, block, sizeof *block, offset, f->err))
        return FAILED;
    if (!is_plausible(f, block) || room - sizeof *block < block->bytes)
        return NONE;
    if (!recording_read_at(f->recording, f->entries, block->bytes, offset + sizeof *block,
                           f->err))
        return FAILED;
    return hash_of(block, f->entries) == block->hash ? FOUND : NONE;
}

/* Finds the next whole block from *OFFSET on. */
static enum block_result search(struct block_finder *f, uint64_t *offset)
{
    const uint32_t magic = BLOCK_MAGIC;
    while (*offset < f->size && f->size - *offset >= sizeof f->block
           && f->tries < MAX_TRIES) {
        uint64_t room = f->size - *offset;
        size_t n = room < CHUNK ? (size_t)room : CHUNK;
        if (!recording_read_at(f->recording, f->chunk, n, *offset, f->err))
            return FAILED;
        const unsigned char *hit = memmem(f->chunk, n, &magic, sizeof magic);
        if (!hit) {
            *offset += n - (sizeof magic - 1);
            continue;
        }
        *offset += (uint64_t)(hit - f->chunk);
        enum block_result result = block_at(f, *offset);
        if (result != NONE)
            return result;
        f->tries++;
        ++*offset;
    }
    return NONE;
}

/* Returns FOUND if only zeros follow OFFSET, as a crash of the system may leave them. */
static enum block_result zeros_at(struct block_finder *f, uint64_t offset)
{
    while (offset < f->size) {
        uint64_t room = f->size - offset;
        size_t n = room < CHUNK ? (size_t)room : CHUNK;
        if (!recording_read_at(f->recording, f->chunk, n, offset, f->err))
            return FAILED;
        for (size_t i = 0; i < n; i++)
            if (f->chunk[i])
                return NONE;
        offset += n;
    }
    return FOUND;
}

/*
 * Returns FOUND if the rest of the file from OFFSET on is the begin of a block that a kill
 * cut, or zeros.  A block whose hash fits the bytes that are there has a damaged length:
 * NONE.
 */
static enum block_result torn_at(struct block_finder *f, uint64_t offset)
{
    const uint32_t magic = BLOCK_MAGIC;
    struct recording_block block = { 0 };
    uint64_t room = f->size - offset;
    size_t n = room < sizeof block ? (size_t)room : sizeof block;
    if (room > sizeof block + LOG_BYTES)
        return zeros_at(f, offset);
    if (!recording_read_at(f->recording, &block, n, offset, f->err))
        return FAILED;
    if (n < sizeof block
        && memcmp(&block, &magic, n < sizeof magic ? n : sizeof magic) == 0)
        return FOUND;
    if (n < sizeof block || !is_plausible(f, &block) || room - n >= block.bytes)
        return zeros_at(f, offset);
    block.bytes = (uint32_t)(room - n);
    if (!recording_read_at(f->recording, f->entries, block.bytes, offset + n, f->err))
        return FAILED;
    return hash_of(&block, f->entries) == block.hash ? NONE : FOUND;
}

/* ---- All of them ---- */

/* Notes the first and the last reading of the clocks, which give the length of a tick. */
static void note_clocks(struct block_finder *f)
{
    struct fghc_recording *r = f->recording;
    if (!f->has_clocks) { /* written by the run's main thread when it begins */
        r->first_tick = f->block.end;
        r->first_ns = f->block.ns;
    }
    if (!f->has_clocks || f->block.end > r->last_tick) {
        r->last_tick = f->block.end;
        r->last_ns = f->block.ns;
    }
    f->has_clocks = true;
}

/* Adds a block to its PE; a gap in the numbers of reductions means that one before is
 * missing. */
static void note_block(struct block_finder *f, uint64_t offset)
{
    struct fghc_recording *r = f->recording;
    const struct recording_block *block = &f->block;
    struct pe_blocks *pe = &r->pes[block->pe];
    note_clocks(f);
    if (!pe->stops && block->first_index != pe->n_records) {
        pe->stops = true;
        pe->is_whole = false;
        if (!r->n_damages)
            recording_note_damage(r, offset, sizeof *block + block->bytes);
    }
    if (pe->stops)
        return;
    pe->end = block->end > pe->end ? block->end : pe->end;
    pe->is_whole |= block->flags & BLOCK_LAST;
    pe->n_records += block->n_records;
    r->n_records += block->n_records;
    if (block->bytes) {
        pe->list = weft_grow(pe->list, &pe->capacity, pe->n + 1, sizeof *pe->list);
        pe->list[pe->n++] = (struct block_place){ offset + sizeof *block, block->begin,
                                                  block->bytes, block->n_records };
    }
}

/* Notes the block or the damage at *OFFSET and advances *OFFSET; returns false when reading
 * fails. */
static bool note_part(struct block_finder *f, uint64_t *offset)
{
    uint64_t next = *offset + 1;
    enum block_result result = block_at(f, *offset);
    if (result == FOUND) {
        note_block(f, *offset);
        *offset += sizeof f->block + f->block.bytes;
    }
    if (result != NONE)
        return result == FOUND;
    result = search(f, &next);
    if (result == NONE) {
        next = f->size;
        result = f->tries < MAX_TRIES ? torn_at(f, *offset) : NONE;
        if (result == NONE)
            recording_note_damage(f->recording, *offset, next - *offset);
    } else if (result == FOUND) {
        recording_note_damage(f->recording, *offset, next - *offset);
    }
    *offset = next;
    return result != FAILED;
}

bool recording_find_blocks(struct fghc_recording *r, uint64_t size, struct weft_err *err)
{
    struct block_finder f = { .recording = r,
                              .size = size,
                              .entries = weft_alloc(LOG_BYTES),
                              .chunk = weft_alloc(CHUNK),
                              .err = err };
    uint64_t offset = r->header.bytes;
    bool ok = true;
    while (ok && offset < size)
        ok = note_part(&f, &offset);
    free(f.entries);
    free(f.chunk);
    double ticks = (double)(r->last_tick - r->first_tick);
    double ns = (double)r->last_ns - (double)r->first_ns;
    r->scale = ticks > 0 && ns > 0 ? ns / ticks : 1;
    r->cutoff = UINT64_MAX;
    for (uint32_t i = 0; i < r->header.pes; i++)
        if (!r->pes[i].is_whole && r->pes[i].end < r->cutoff)
            r->cutoff = r->pes[i].end;
    return ok;
}
