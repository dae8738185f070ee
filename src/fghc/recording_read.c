/* SPDX-License-Identifier: Apache-2.0 */
/* Recordings are opened: where their blocks are, and what is lost of them. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/map.h"
#include "fghc/machine.h"
#include "fghc/recording_priv.h"

/* ---- Opening ---- */

bool recording_read_at(int fd, void *to, size_t n, uint64_t offset)
{
    char *at = to;
    while (n) {
        ssize_t got = pread(fd, at, n, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got == 0)
            errno = 0;
        if (got <= 0)
            return false;
        at += got;
        n -= (size_t)got;
        offset += (uint64_t)got;
    }
    return true;
}

bool fghc_is_recording(const char *path)
{
    char magic[sizeof RECORDING_MAGIC - 1];
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
        return false;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool is = fd >= 0 && recording_read_at(fd, magic, sizeof magic, 0)
              && memcmp(magic, RECORDING_MAGIC, sizeof magic) == 0;
    if (fd >= 0)
        close(fd);
    return is;
}

static bool is_header(const struct recording_header *h, uint64_t size)
{
    return memcmp(h->magic, RECORDING_MAGIC, sizeof h->magic) == 0
           && h->version == RECORDING_VERSION && h->pes >= 1 && h->pes <= MOST_PES
           && h->bytes <= size && h->bytes >= sizeof *h
           && h->n_texts <= h->bytes / sizeof(struct recording_text) && h->goal <= h->bytes;
}

/* Read the program again, from the texts behind the header. */
static bool read_program(struct fghc_recording *r, const char *bytes, struct weft_err *err)
{
    const struct recording_header *h = &r->header;
    struct program_text *texts = weft_zalloc(h->n_texts + 1, sizeof *texts);
    char **paths = weft_zalloc(h->n_texts + 1, sizeof *paths);
    uint64_t at = sizeof *h;
    bool ok = true;
    for (uint32_t i = 0; ok && i < h->n_texts; i++) {
        struct recording_text lengths;
        ok = h->bytes - at >= sizeof lengths;
        if (!ok)
            break;
        memcpy(&lengths, bytes + at, sizeof lengths);
        at += sizeof lengths;
        ok = lengths.path <= h->bytes - at && lengths.text <= h->bytes - at - lengths.path;
        if (!ok)
            break;
        paths[i] = weft_strndup(bytes + at, lengths.path);
        texts[i] =
            (struct program_text){ paths[i], bytes + at + lengths.path, lengths.text };
        at += lengths.path + lengths.text;
    }
    struct query query = { 0 };
    char *goal = ok && h->bytes - at == h->goal ? weft_strndup(bytes + at, h->goal) : NULL;
    if (!goal)
        weft_fail(err, WEFT_ERR_FORMAT, "the recording of a run is damaged");
    ok = goal && program_read_texts(&r->program, texts, h->n_texts, err)
         && program_read_goal(&r->program, goal, &query, err);
    for (uint32_t i = 0; i < h->n_texts; i++)
        free(paths[i]);
    free(paths);
    free(texts);
    free(goal);
    return ok;
}

bool recording_cannot_read(struct weft_err *err)
{
    return errno ? weft_fail_errno(err, WEFT_ERR_READ, "cannot read the recording of a run")
                 : weft_fail(err, WEFT_ERR_READ,
                             "the recording of a run became shorter while it was read");
}

static bool read_header(struct fghc_recording *r, uint64_t size, struct weft_err *err)
{
    if (!recording_read_at(r->fd, &r->header, sizeof r->header, 0) && errno)
        return recording_cannot_read(err);
    if (!is_header(&r->header, size))
        return weft_fail(err, WEFT_ERR_FORMAT, "this is no recording of a run");
    char *bytes = weft_alloc(r->header.bytes + 1);
    bool ok =
        recording_read_at(r->fd, bytes, r->header.bytes, 0) || recording_cannot_read(err);
    const uint64_t none = 0;
    memcpy(bytes + offsetof(struct recording_header, hash), &none, sizeof none);
    if (ok && weft_hash(bytes, r->header.bytes) != r->header.hash)
        ok = weft_fail(err, WEFT_ERR_FORMAT,
                       "the head of the recording of a run is damaged");
    ok = ok && read_program(r, bytes, err);
    free(bytes);
    return ok;
}

enum found {
    FOUND_BLOCK,
    FOUND_END,
    FOUND_CUT, /* the begin of a block, as a kill leaves one */
    FOUND_DAMAGE,
    FOUND_ERROR, /* errno says which */
};

/* Room for the entries of a block, and for a head in front of them. */
enum { BLOCK_ROOM = LOG_BYTES + sizeof(struct recording_block) };

/*
 * The file ends before its last block does.  A kill leaves such a block; so does a number of bytes
 * that is wrong, but then there may be other blocks in what seems to be its entries.
 */
static enum found look_at_rest(const struct fghc_recording *r, uint64_t offset,
                               uint64_t left, unsigned char *buffer)
{
    const uint32_t magic = BLOCK_MAGIC;
    if (!recording_read_at(r->fd, buffer, left, offset))
        return FOUND_ERROR;
    if (left < sizeof magic)
        return FOUND_CUT;
    return memcmp(buffer, &magic, sizeof magic) == 0
                   && !memmem(buffer + 1, left - 1, &magic, sizeof magic)
               ? FOUND_CUT
               : FOUND_DAMAGE;
}

static uint64_t hash_of(const struct recording_block *block, uint64_t entries)
{
    return weft_hash(block, offsetof(struct recording_block, hash)) ^ entries;
}

/* The block at OFFSET, with its entries in BUFFER [BLOCK_ROOM], and their hash. */
static enum found find_block(const struct fghc_recording *r, uint64_t offset, uint64_t size,
                             unsigned char *buffer, struct recording_block *block,
                             uint64_t *hash)
{
    uint64_t left = size - offset;
    if (!left)
        return FOUND_END;
    if (left < sizeof *block)
        return look_at_rest(r, offset, left, buffer);
    if (!recording_read_at(r->fd, block, sizeof *block, offset))
        return FOUND_ERROR;
    if (block->magic != BLOCK_MAGIC || block->pe >= r->header.pes
        || block->bytes > LOG_BYTES || block->n_records > block->bytes
        || block->first_index != r->pes[block->pe].n_records)
        return FOUND_DAMAGE;
    if (left - sizeof *block < block->bytes)
        return look_at_rest(r, offset, left, buffer);
    if (!recording_read_at(r->fd, buffer, block->bytes, offset + sizeof *block))
        return FOUND_ERROR;
    *hash = weft_hash(buffer, block->bytes);
    return hash_of(block, *hash) == block->hash ? FOUND_BLOCK : FOUND_DAMAGE;
}

/* From the first and the last reading of the clocks follows how long a tick is. */
static void note_clock(struct fghc_recording *r, const struct recording_block *block,
                       bool first)
{
    if (first) { /* written by the run's main thread when it begins */
        r->first_tick = block->end;
        r->first_ns = block->ns;
    }
    if (first || block->end > r->last_tick) {
        r->last_tick = block->end;
        r->last_ns = block->ns;
    }
}

static void note_block(struct fghc_recording *r, uint64_t offset,
                       const struct recording_block *block, uint64_t hash)
{
    struct pe_blocks *pe = &r->pes[block->pe];
    pe->end = block->end;
    pe->is_whole |= block->flags & BLOCK_LAST;
    pe->n_records += block->n_records;
    r->n_records += block->n_records;
    if (!block->bytes)
        return;
    pe->list = weft_grow(pe->list, &pe->capacity, pe->n + 1, sizeof *pe->list);
    pe->list[pe->n++] = (struct place){ offset + sizeof *block, block->begin, hash,
                                        block->bytes, block->n_records };
}

static bool find_blocks(struct fghc_recording *r, uint64_t size, struct weft_err *err)
{
    unsigned char *buffer = weft_alloc(BLOCK_ROOM);
    struct recording_block block;
    uint64_t offset = r->header.bytes, hash = 0;
    enum found found;
    bool first = true;
    while ((found = find_block(r, offset, size, buffer, &block, &hash)) == FOUND_BLOCK) {
        note_clock(r, &block, first);
        note_block(r, offset, &block, hash);
        first = false;
        offset += sizeof block + block.bytes;
    }
    if (found == FOUND_ERROR)
        recording_cannot_read(err);
    free(buffer);
    r->losses.cut_bytes = found == FOUND_CUT ? size - offset : 0;
    r->losses.damaged_bytes = found == FOUND_DAMAGE ? size - offset : 0;
    return found != FOUND_ERROR;
}

/* How long a tick is, and until when all is known. */
static void finish_opening(struct fghc_recording *r)
{
    bool grow = r->last_tick > r->first_tick && r->last_ns >= r->first_ns;
    r->scale =
        grow ? (double)(r->last_ns - r->first_ns) / (double)(r->last_tick - r->first_tick)
             : 1;
    r->cutoff = UINT64_MAX;
    for (uint32_t i = 0; i < r->header.pes; i++) {
        r->losses.running += !r->pes[i].is_whole;
        if (!r->pes[i].is_whole && r->pes[i].end < r->cutoff)
            r->cutoff = r->pes[i].end;
    }
}

struct fghc_recording *fghc_recording_open(const char *path, struct weft_err *err)
{
    struct fghc_recording *r = weft_zalloc(1, sizeof *r);
    struct stat status;
    r->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (r->fd < 0 || fstat(r->fd, &status) != 0) {
        weft_fail_errno(err, WEFT_ERR_READ, "cannot open %s", path);
        fghc_recording_close(r);
        return NULL;
    }
    if (!read_header(r, (uint64_t)status.st_size, err)) {
        fghc_recording_close(r);
        return NULL;
    }
    r->pes = weft_zalloc(r->header.pes, sizeof *r->pes);
    if (!find_blocks(r, (uint64_t)status.st_size, err)) {
        fghc_recording_close(r);
        return NULL;
    }
    finish_opening(r);
    return r;
}

void fghc_recording_close(struct fghc_recording *r)
{
    if (!r)
        return;
    for (uint32_t i = 0; r->pes && i < r->header.pes; i++)
        free(r->pes[i].list);
    free(r->pes);
    program_free(&r->program);
    if (r->fd >= 0)
        close(r->fd);
    free(r);
}

unsigned fghc_recording_pes(const struct fghc_recording *r)
{
    return r->header.pes;
}

const struct program *fghc_recording_program(const struct fghc_recording *r)
{
    return &r->program;
}

uint64_t fghc_recording_records(const struct fghc_recording *r)
{
    return r->n_records;
}

struct fghc_losses fghc_recording_losses(const struct fghc_recording *r)
{
    return r->losses;
}

bool fghc_recording_is_damaged(const struct fghc_recording *r)
{
    return r->losses.damaged_bytes || r->losses.has_impossible;
}
