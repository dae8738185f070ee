/* SPDX-License-Identifier: Apache-2.0 */
/* Walks through a recording: what each PE did, and all of them in order of time. */
#include <stdlib.h>
#include <string.h>

#include "fghc/recording_priv.h"

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
    struct weft_err fault; /* why it ended; code WEFT_OK: with its last block */
};

static uint64_t nanoseconds(const struct fghc_recording *r, uint64_t tick)
{
    const double most = 0x1p61; /* a store takes twice that */
    double ns = tick > r->first_tick ? (double)(tick - r->first_tick) * r->scale : 0;
    return (uint64_t)(ns < most ? ns : most);
}

/* Times do not go back, whatever the bytes are. */
static uint64_t later(uint64_t tick, uint64_t by)
{
    return by < UINT64_MAX - tick ? tick + by : UINT64_MAX;
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
        if (!recording_read_at(c->recording->fd, c->bytes, place->bytes, place->offset))
            return recording_cannot_read(&c->fault);
        if (weft_hash(c->bytes, place->bytes) != place->hash)
            return weft_fail(&c->fault, WEFT_ERR_READ,
                             "the recording of a run changed while it was read");
        c->at = c->bytes;
        c->end = c->bytes + place->bytes;
        c->tick = place->begin > c->tick ? place->begin : c->tick;
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
    c->tick = later(c->tick, take(c));
    c->idles = weft_grow(c->idles, &c->idle_capacity, c->n_idles + 1, sizeof *c->idles);
    if (c->tick <= c->recording->cutoff)
        c->idles[c->n_idles++] = nanoseconds(c->recording, c->tick);
    c->tick = later(c->tick, take(c));
}

static void take_reduction(struct fghc_cursor *c, unsigned byte)
{
    unsigned clause = byte / ENTRY_KINDS;
    c->next = (struct fghc_record){ .parent_pe = (uint16_t)c->number };
    c->next.clause = (uint16_t)(clause > MOST_SHORT_CLAUSE ? take(c) : clause);
    c->tick = later(c->tick, take(c));
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
            if (c->has_next && !is_possible(c)) {
                c->recording->losses.has_impossible = true;
                c->has_next = false;
            }
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

bool fghc_order_whole(const struct fghc_order *order, struct weft_err *err)
{
    for (unsigned i = 0; i < order->recording->header.pes; i++)
        if (order->cursors[i].fault.code != WEFT_OK) {
            *err = order->cursors[i].fault;
            return false;
        }
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
