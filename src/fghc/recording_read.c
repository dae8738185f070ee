/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "fghc/machine.h"
#include "fghc/recording_priv.h"

struct place { /* of a block */
    uint64_t offset;
    uint64_t begin;
    uint32_t bytes, n_records;
};

struct pe_blocks {
    struct place *list;
    size_t n, capacity;
    uint64_t n_records;
    uint64_t end; /* ticks: all of the PE until then is known */
    bool is_whole;
};

struct fghc_recording {
    int fd;
    struct recording_header header;
    struct pe_blocks *pes;
    struct program program;
    uint64_t first_tick, cutoff; /* records are read that are not later */
    double scale;                /* ns a tick */
    uint64_t last_tick, first_ns, last_ns;
    uint64_t n_records;
};

/* ---- Opening ---- */

static bool read_at(int fd, void *to, size_t n, uint64_t offset)
{
    char *at = to;
    while (n) {
        ssize_t got = pread(fd, at, n, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
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
    bool is = fd >= 0 && read_at(fd, magic, sizeof magic, 0)
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

static bool read_header(struct fghc_recording *r, uint64_t size, struct weft_err *err)
{
    if (!read_at(r->fd, &r->header, sizeof r->header, 0) || !is_header(&r->header, size))
        return weft_fail(err, WEFT_ERR_FORMAT, "this is no recording of a run");
    char *bytes = weft_alloc(r->header.bytes + 1);
    bool ok = read_at(r->fd, bytes, r->header.bytes, 0)
              || weft_fail(err, WEFT_ERR_READ, "the recording of a run cannot be read");
    ok = ok && read_program(r, bytes, err);
    free(bytes);
    return ok;
}

/* Note where a block is; false when it is damaged, as the last of a killed run may be. */
static bool note_block(struct fghc_recording *r, uint64_t offset, uint64_t size,
                       unsigned char *buffer, struct recording_block *block)
{
    if (size - offset < sizeof *block || !read_at(r->fd, block, sizeof *block, offset)
        || block->magic != BLOCK_MAGIC || block->pe >= r->header.pes
        || block->bytes > LOG_BYTES || size - offset - sizeof *block < block->bytes
        || block->n_records > block->bytes
        || !read_at(r->fd, buffer, block->bytes, offset + sizeof *block)
        || (weft_hash(block, offsetof(struct recording_block, hash))
            ^ weft_hash(buffer, block->bytes))
               != block->hash)
        return false;
    struct pe_blocks *pe = &r->pes[block->pe];
    if (block->first_index != pe->n_records)
        return false;
    pe->end = block->end;
    pe->is_whole |= block->flags & BLOCK_LAST;
    pe->n_records += block->n_records;
    r->n_records += block->n_records;
    if (block->bytes) {
        pe->list = weft_grow(pe->list, &pe->capacity, pe->n + 1, sizeof *pe->list);
        pe->list[pe->n++] = (struct place){ offset + sizeof *block, block->begin,
                                            block->bytes, block->n_records };
    }
    return true;
}

/* Find all blocks, and from the first and the last reading of the clocks how long a tick is. */
static void find_blocks(struct fghc_recording *r, uint64_t size)
{
    unsigned char *buffer = weft_alloc(LOG_BYTES);
    struct recording_block block;
    uint64_t offset = r->header.bytes;
    bool first = true;
    while (note_block(r, offset, size, buffer, &block)) {
        if (first) { /* written by the run's main thread when it begins */
            r->first_tick = block.end;
            r->first_ns = block.ns;
        }
        if (first || block.end > r->last_tick) {
            r->last_tick = block.end;
            r->last_ns = block.ns;
        }
        first = false;
        offset += sizeof block + block.bytes;
    }
    free(buffer);
    double ticks = (double)(r->last_tick - r->first_tick);
    r->scale = ticks > 0 ? (double)(r->last_ns - r->first_ns) / ticks : 1;
    r->cutoff = UINT64_MAX;
    for (uint32_t i = 0; i < r->header.pes; i++)
        if (!r->pes[i].is_whole && r->pes[i].end < r->cutoff)
            r->cutoff = r->pes[i].end;
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
    find_blocks(r, (uint64_t)status.st_size);
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

/* ---- Walking ---- */

struct fghc_cursor {
    struct fghc_recording *recording;
    const struct pe_blocks *blocks;
    unsigned number;
    size_t n_blocks; /* that have been begun */
    unsigned char *bytes, *at, *end;
    uint64_t tick, index; /* of the latest entry; of reductions that were read */
    bool has_next;        /* `next` is the reduction to come */
    struct fghc_record next;
    struct fghc_wait wait;
    uint64_t passed; /* reductions that the walk has passed */
    uint64_t *idles; /* before the next reduction, that were not asked for */
    size_t n_idles, first_idle, past_idles, idle_capacity; /* past: those before `passed` */
};

static uint64_t nanoseconds(const struct fghc_recording *r, uint64_t tick)
{
    return tick > r->first_tick ? (uint64_t)((double)(tick - r->first_tick) * r->scale) : 0;
}

/* A number; 0 behind the end, where a block that is not damaged has none. */
static uint64_t take(struct fghc_cursor *c)
{
    uint64_t number = 0;
    for (unsigned shift = 0; c->at < c->end && shift < 64; shift += 7) {
        unsigned char byte = *c->at++;
        number |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            break;
    }
    return number;
}

static uint64_t take_near(struct fghc_cursor *c)
{
    uint64_t number = take(c);
    return number & 1 ? c->tick - (number >> 1) : c->tick + (number >> 1);
}

static bool next_block(struct fghc_cursor *c)
{
    while (c->n_blocks < c->blocks->n) {
        const struct place *place = &c->blocks->list[c->n_blocks++];
        if (!read_at(c->recording->fd, c->bytes, place->bytes, place->offset))
            return false;
        c->at = c->bytes;
        c->end = c->bytes + place->bytes;
        c->tick = place->begin;
        return true;
    }
    return false;
}

static void take_wait(struct fghc_cursor *c)
{
    const struct fghc_recording *r = c->recording;
    c->wait.suspended = nanoseconds(r, take_near(c));
    c->wait.woken = nanoseconds(r, take_near(c));
    c->wait.count = (uint32_t)take(c);
    c->wait.by_index = (uint32_t)take(c);
    c->wait.by_pe = (uint16_t)take(c);
    c->wait.site = (uint16_t)take(c);
    c->wait.argument = (uint16_t)take(c);
}

static void take_idle(struct fghc_cursor *c)
{
    c->tick += take(c);
    c->idles = weft_grow(c->idles, &c->idle_capacity, c->n_idles + 1, sizeof *c->idles);
    if (c->tick <= c->recording->cutoff)
        c->idles[c->n_idles++] = nanoseconds(c->recording, c->tick);
    c->tick += take(c);
}

static void take_reduction(struct fghc_cursor *c, unsigned byte)
{
    unsigned clause = byte / ENTRY_KINDS;
    c->next = (struct fghc_record){ .parent_pe = (uint16_t)c->number };
    c->next.clause = (uint16_t)(clause > MOST_SHORT_CLAUSE ? take(c) : clause);
    c->tick += take(c);
    c->index++;
    switch ((enum entry_kind)(byte % ENTRY_KINDS)) {
    case ENTRY_NEXT: c->next.parent_index = (uint32_t)(c->index - 1); break;
    case ENTRY_OWN: c->next.parent_index = (uint32_t)(c->index - take(c)); break;
    case ENTRY_OTHER:
        c->next.parent_pe = (uint16_t)take(c);
        c->next.parent_index = (uint32_t)take(c);
        break;
    default: break;
    }
    c->next.time = nanoseconds(c->recording, c->tick);
    c->has_next = c->tick <= c->recording->cutoff;
}

/* True of what a recorder writes: a recording may be damaged so that its hash still fits. */
static bool is_possible(const struct fghc_cursor *c)
{
    const struct fghc_recording *r = c->recording;
    return c->next.clause <= r->program.n_clauses && c->next.clause
           && c->next.parent_pe < r->header.pes && c->wait.by_pe < r->header.pes
           && c->wait.site < r->program.n_calls
           && (c->next.parent_pe != c->number || c->next.parent_index < c->index);
}

/* Read up to the next reduction. */
static void advance(struct fghc_cursor *c)
{
    c->has_next = false;
    c->wait = (struct fghc_wait){ 0 };
    while (c->at < c->end || next_block(c)) {
        unsigned byte = *c->at++;
        switch (byte % ENTRY_KINDS) {
        case ENTRY_WAIT: take_wait(c); break;
        case ENTRY_IDLE: take_idle(c); break;
        default:
            take_reduction(c, byte);
            c->has_next = c->has_next && is_possible(c);
            if (!c->has_next) { /* nothing after it is read, either */
                c->at = c->end;
                c->n_blocks = c->blocks->n;
            }
            return;
        }
    }
}

void fghc_order_open(struct fghc_order *order, struct fghc_recording *recording)
{
    *order = (struct fghc_order){ .recording = recording };
    order->cursors = weft_zalloc(recording->header.pes, sizeof *order->cursors);
    for (unsigned i = 0; i < recording->header.pes; i++) {
        struct fghc_cursor *c = &order->cursors[i];
        c->recording = recording;
        c->blocks = &recording->pes[i];
        c->number = i;
        c->bytes = weft_alloc(LOG_BYTES);
        c->at = c->end = c->bytes;
        advance(c);
    }
}

void fghc_order_close(struct fghc_order *order)
{
    for (unsigned i = 0; i < order->recording->header.pes; i++) {
        free(order->cursors[i].bytes);
        free(order->cursors[i].idles);
    }
    free(order->cursors);
}

/* In order of time; but no record before its parent, in case two processors' clocks differ. */
static struct fghc_cursor *find_first(struct fghc_order *order)
{
    struct fghc_cursor *first = NULL, *waits = NULL;
    for (unsigned i = 0; i < order->recording->header.pes; i++) {
        struct fghc_cursor *c = &order->cursors[i];
        if (!c->has_next)
            continue;
        bool is_ready = fghc_order_has(order, c->next.parent_pe, c->next.parent_index);
        if (is_ready && (!first || c->next.time < first->next.time))
            first = c;
        else if (!is_ready)
            waits = c;
    }
    return first ? first : waits; /* of a parent that was not recorded */
}

bool fghc_order_next(struct fghc_order *order)
{
    struct fghc_cursor *first = find_first(order);
    if (!first) {
        for (unsigned i = 0; i < order->recording->header.pes; i++)
            order->cursors[i].past_idles = order->cursors[i].n_idles;
        return false;
    }
    order->record = first->next;
    order->wait = first->wait;
    order->pe = first->number;
    order->index = ++first->passed;
    first->past_idles = first->n_idles;
    if (!fghc_order_has(order, order->record.parent_pe, order->record.parent_index))
        order->record.parent_index = 0;
    advance(first);
    return true;
}

bool fghc_order_has(const struct fghc_order *order, unsigned pe, uint64_t index)
{
    return order->cursors[pe].passed >= index;
}

bool fghc_order_idle(struct fghc_order *order, unsigned pe, uint64_t *begin)
{
    struct fghc_cursor *c = &order->cursors[pe];
    if (c->first_idle == c->past_idles)
        return false;
    *begin = c->idles[c->first_idle++];
    if (c->first_idle == c->n_idles)
        c->first_idle = c->past_idles = c->n_idles = 0;
    return true;
}
