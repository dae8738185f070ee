/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "domains/trees/fghc/machine.h"
#include "domains/trees/fghc/recording_priv.h"

/* ---- Opening ---- */

bool fghc_is_recording(const char *path)
{
    char magic[sizeof RECORDING_MAGIC - 1];
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
        return false;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return false;
    size_t n = 0;
    bool failed = false; /* fghc_recording_open() says why */
    for (ssize_t got = 1; n < sizeof magic && got != 0 && !failed;) {
        got = pread(fd, magic + n, sizeof magic - n, (off_t)n);
        failed = got < 0 && errno != EINTR;
        n += got > 0 ? (size_t)got : 0;
    }
    close(fd);
    return failed
           || (n == sizeof magic && memcmp(magic, RECORDING_MAGIC, sizeof magic) == 0);
}

static bool is_header(const struct recording_header *h, uint64_t size)
{
    return memcmp(h->magic, RECORDING_MAGIC, sizeof h->magic) == 0
           && h->version == RECORDING_VERSION && h->pes >= 1 && h->pes <= MAX_PES
           && h->bytes <= size && h->bytes >= sizeof *h
           && h->n_texts <= h->bytes / sizeof(struct recording_text) && h->goal <= h->bytes;
}

/* Reads the program from the texts behind the header. */
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
        weft_fail_at(err, WEFT_ERR_FORMAT, r->path, 0, "the recording's head is damaged");
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
    struct recording_header *h = &r->header;
    if (size < sizeof *h)
        return weft_fail_at(err, WEFT_ERR_FORMAT, r->path, 0,
                            "this is no recording of a run");
    if (!recording_read_at(r, h, sizeof *h, 0, err))
        return false;
    if (!is_header(h, size))
        return weft_fail_at(
            err, WEFT_ERR_FORMAT, r->path, 0,
            "this is no recording of a run, or its head is damaged, or another "
            "version of weft made it");
    char *bytes = weft_alloc(h->bytes + 1);
    bool ok = recording_read_at(r, bytes, h->bytes, 0, err);
    if (ok
        && (weft_hash(bytes, offsetof(struct recording_header, hash))
            ^ weft_hash(bytes + sizeof *h, h->bytes - sizeof *h))
               != h->hash)
        ok = weft_fail_at(err, WEFT_ERR_FORMAT, r->path, 0,
                          "the recording's head is damaged, which holds the program");
    ok = ok && read_program(r, bytes, err);
    free(bytes);
    return ok;
}

struct fghc_recording *fghc_recording_open(const char *path, struct weft_err *err)
{
    struct fghc_recording *r = weft_zalloc(1, sizeof *r);
    struct stat status;
    r->path = weft_strdup(path);
    r->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool ok = (r->fd >= 0 && fstat(r->fd, &status) == 0)
              || weft_fail_errno(err, WEFT_ERR_READ, "cannot open %s", path);
    /* The run that writes it and each reader hold this lock until they end. */
    if (ok && flock(r->fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        ok = weft_fail_at(err, WEFT_ERR_READ, path, 0,
                          "the run goes on, or its trace is being made");
    ok = ok && read_header(r, (uint64_t)status.st_size, err);
    if (ok)
        r->pes = weft_zalloc(r->header.pes, sizeof *r->pes);
    if (ok && recording_find_blocks(r, (uint64_t)status.st_size, err))
        return r;
    fghc_recording_close(r);
    return NULL;
}

void fghc_recording_close(struct fghc_recording *r)
{
    if (!r)
        return;
    for (uint32_t i = 0; r->pes && i < r->header.pes; i++)
        free(r->pes[i].list);
    free(r->pes);
    free(r->path);
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

enum fghc_loss fghc_recording_loss(const struct fghc_recording *r, char *text, size_t size)
{
    double seconds = (double)recording_nanoseconds(r, r->cutoff) * 1e-9;
    bool ends = r->cutoff != UINT64_MAX;
    int n = 0;
    if (!ends && !r->n_damages)
        return FGHC_WHOLE;
    if (!r->n_damages) {
        snprintf(
            text, size,
            "the recording ends before the run did, which was killed or could not write "
            "on: what ran after %.6f s is not in the trace",
            seconds);
        return FGHC_UNFINISHED;
    }
    n = snprintf(text, size,
                 "the recording is damaged at byte %llu (in %llu place%s, of %llu bytes): ",
                 (unsigned long long)r->first_damage, (unsigned long long)r->n_damages,
                 r->n_damages == 1 ? "" : "s", (unsigned long long)r->damaged_bytes);
    if (ends)
        snprintf(text + n, size - (size_t)n, "what ran after %.6f s is not in the trace",
                 seconds);
    else
        snprintf(text + n, size - (size_t)n,
                 "all reductions are in the trace, but perhaps not all times when PEs were "
                 "idle");
    return FGHC_DAMAGED;
}

/* ---- Walking ---- */

struct fghc_cursor {
    struct fghc_recording *recording;
    const struct pe_blocks *blocks;
    unsigned number;
    size_t n_blocks; /* blocks read so far, with the current one */
    unsigned char *bytes, *at, *end;
    uint64_t tick, index; /* of the latest entry; of the latest reduction read */
    uint64_t until;       /* index of the block's last reduction */
    bool has_next;        /* `next` and `wait` are the next reduction */
    struct fghc_record next;
    struct fghc_wait wait;
    uint64_t passed; /* reductions that the walk has reached */
    uint64_t *idles; /* [n_idles] when it became idle; first_idle is the next to take */
    size_t n_idles, first_idle, past_idles, idle_capacity; /* past_idles: before `passed` */
    /* `index` + 1 at the latest of these times: the next before another reduction is
     * ignored, since the PE is idle already. */
    uint64_t idle_after;
};

/* Reads a number; behind the end of a damaged block it is 0. */
static uint64_t read_number(struct fghc_cursor *c)
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

static uint64_t read_near(struct fghc_cursor *c)
{
    uint64_t number = read_number(c);
    return number & 1 ? c->tick - (number >> 1) : c->tick + (number >> 1);
}

/* Reads the time since the latest entry and advances `tick`; saturates in a damaged
 * block. */
static void pass(struct fghc_cursor *c)
{
    uint64_t ticks = read_number(c);
    c->tick = ticks < UINT64_MAX - c->tick ? c->tick + ticks : UINT64_MAX - 1;
}

static bool next_block(struct fghc_cursor *c)
{
    struct fghc_recording *r = c->recording;
    if (c->n_blocks == c->blocks->n || r->failure.code)
        return false;
    const struct block_place *place = &c->blocks->list[c->n_blocks++];
    c->at = c->end = c->bytes;
    if (!recording_read_at(r, c->bytes, place->bytes, place->offset, &r->failure))
        return false;
    c->end = c->bytes + place->bytes;
    if (c->tick < place->begin)
        c->tick = place->begin;
    c->until = c->index + place->n_records;
    return true;
}

static void read_wait(struct fghc_cursor *c)
{
    const struct fghc_recording *r = c->recording;
    c->wait.suspended = recording_nanoseconds(r, read_near(c));
    c->wait.woken = recording_nanoseconds(r, read_near(c));
    c->wait.count = (uint32_t)read_number(c);
    c->wait.by_index = (uint32_t)read_number(c);
    c->wait.by_pe = (uint16_t)read_number(c);
    c->wait.site = (uint16_t)read_number(c);
    c->wait.argument = (uint16_t)read_number(c);
}

static void read_idle(struct fghc_cursor *c)
{
    pass(c);
    if (c->tick <= c->recording->cutoff && c->idle_after != c->index + 1) {
        c->idles = weft_grow(c->idles, &c->idle_capacity, c->n_idles + 1, sizeof *c->idles);
        c->idles[c->n_idles++] = recording_nanoseconds(c->recording, c->tick);
        c->idle_after = c->index + 1;
    }
    pass(c);
}

static void read_reduction(struct fghc_cursor *c, unsigned byte)
{
    unsigned clause = byte / ENTRY_KINDS;
    c->next = (struct fghc_record){ .parent_pe = (uint16_t)c->number };
    c->next.clause = (uint16_t)(clause > MAX_SHORT_CLAUSE ? read_number(c) : clause);
    pass(c);
    c->index++;
    switch ((enum entry_kind)(byte % ENTRY_KINDS)) {
    case ENTRY_NEXT: c->next.parent_index = (uint32_t)(c->index - 1); break;
    case ENTRY_OWN: c->next.parent_index = (uint32_t)(c->index - read_number(c)); break;
    case ENTRY_OTHER:
        c->next.parent_pe = (uint16_t)read_number(c);
        c->next.parent_index = (uint32_t)read_number(c);
        break;
    default: break;
    }
    c->next.time = recording_nanoseconds(c->recording, c->tick);
    c->has_next = c->tick <= c->recording->cutoff;
}

/* Returns true for a reduction that a recorder may have written; a changed file may still
 * have the right hash. */
static bool is_possible(const struct fghc_cursor *c)
{
    const struct fghc_recording *r = c->recording;
    return c->next.clause <= r->program.n_clauses && c->next.clause
           && c->next.parent_pe < r->header.pes && c->wait.by_pe < r->header.pes
           && c->wait.site < r->program.n_calls
           && (c->next.parent_pe != c->number || c->next.parent_index < c->index);
}

/*
 * Ends the reading of a PE at an entry that no recorder writes, though the block's hash is
 * right, and cuts off the other PEs at this time.
 */
static void stop(struct fghc_cursor *c)
{
    struct fghc_recording *r = c->recording;
    const struct block_place *place = &c->blocks->list[c->n_blocks - 1];
    recording_note_damage(r, place->offset, place->bytes);
    if (c->tick < r->cutoff)
        r->cutoff = c->tick;
    c->at = c->end;
    c->n_blocks = c->blocks->n;
    c->has_next = false;
}

/* Reads up to the next reduction. */
static void advance(struct fghc_cursor *c)
{
    c->has_next = false;
    c->wait = (struct fghc_wait){ 0 };
    while (c->at < c->end || next_block(c)) {
        unsigned byte = *c->at++;
        switch (byte % ENTRY_KINDS) {
        case ENTRY_WAIT: read_wait(c); break;
        case ENTRY_IDLE: read_idle(c); break;
        default: read_reduction(c, byte);
        }
        bool is_reduction = byte % ENTRY_KINDS < ENTRY_WAIT;
        if (byte % ENTRY_KINDS > ENTRY_IDLE || (is_reduction && !is_possible(c))
            || c->index > c->until || (c->at == c->end && c->index != c->until)) {
            stop(c);
            return;
        }
        if (is_reduction && !c->has_next) { /* it is later than the cutoff */
            c->at = c->end;
            c->n_blocks = c->blocks->n;
        }
        if (is_reduction)
            return;
    }
}

/* Returns the bytes of the longest block, at least 1. */
static size_t most_bytes(const struct pe_blocks *blocks)
{
    size_t most = 1;
    for (size_t i = 0; i < blocks->n; i++)
        most = blocks->list[i].bytes > most ? blocks->list[i].bytes : most;
    return most;
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
        c->bytes = weft_alloc(most_bytes(c->blocks));
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

/* Finds the earliest reduction whose parent has been reached: clocks of two processors may
 * differ. */
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
    return first ? first : waits; /* waits: its parent was not recorded */
}

bool fghc_order_next(struct fghc_order *order)
{
    struct fghc_cursor *first = find_first(order);
    if (order->recording->failure.code)
        return false;
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

bool fghc_order_failed(const struct fghc_order *order, struct weft_err *err)
{
    if (order->recording->failure.code)
        *err = order->recording->failure;
    return order->recording->failure.code != WEFT_OK;
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
