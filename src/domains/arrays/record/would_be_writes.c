/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/arrays/record/would_be_writes.h"

#include <string.h>

enum {
    /* Writes that must have been seen at a constant distance before one that was not
       executed is concluded from it. */
    EVIDENCE = 8,
    /* After IRREGULAR nests of a site that joined no other, its later nests in the step are
       no longer compared with others, unless they are longer than SHORT. */
    IRREGULAR = 64,
    SHORT = 4,
};

/* ---- Runs ---- */

static bool are_alike(const struct array_nest *a, const struct array_nest *b)
{
    return a->array == b->array && a->owner_array == b->owner_array
           && a->operation == b->operation && a->order == b->order
           && a->n_loops == b->n_loops
           && (a->n_loops == 0
               || memcmp(a->loop, b->loop, a->n_loops * sizeof *a->loop) == 0);
}

bool array_run_add(struct array_run *run, const struct array_run *more)
{
    int64_t stride = (int64_t)(more->nest.element - run->nest.element);
    int64_t owner_stride = (int64_t)(more->nest.owner - run->nest.owner);

    if (run->n == 0) {
        *run = *more;
        return true;
    }
    if (!are_alike(&run->nest, &more->nest))
        return false;
    if (run->n > 1
        && (stride != (int64_t)run->n * run->stride
            || owner_stride != (int64_t)run->n * run->owner_stride))
        return false;
    if (run->n > 1) {
        stride = run->stride;
        owner_stride = run->owner_stride;
    }
    if (more->n > 1 && (more->stride != stride || more->owner_stride != owner_stride))
        return false;
    run->stride = stride;
    run->owner_stride = owner_stride;
    run->n += more->n;
    return true;
}

struct array_nest array_run_nest(const struct array_run *run)
{
    struct array_nest nest = run->nest;

    if (run->n > 1)
        nest.loop[nest.n_loops++] =
            (struct array_loop){ run->n, run->stride, run->owner_stride };
    return nest;
}

static void collect(struct array_thread *thread, struct array_place *place,
                    const struct array_nest *nest)
{
    struct array_origin origin = array_origin_of(place);

    if (place->strays >= IRREGULAR && (nest->n_loops == 0 || nest->loop[0].extent <= SHORT))
        (void)array_sink_add(&thread->sink, nest, &origin);
    else if (array_levels_add(&place->levels, nest, &origin, &thread->sink))
        place->strays++;
}

void array_flush_run(struct array_thread *thread, struct array_place *place)
{
    struct array_nest nest = array_run_nest(&place->run);

    if (place->run.n > 0)
        collect(thread, place, &nest);
    place->run.n = 0;
}

struct array_nest array_owner_nest(const struct array_nest *write)
{
    struct array_nest owner = {
        .owner = write->element,
        .owner_array = write->array,
        .order = write->order & WEFT_ARRAY_BY_COLUMNS ? WEFT_ARRAY_OWNER_BY_COLUMNS : 0,
        .n_loops = write->n_loops,
    };

    if (write->n_loops > 0)
        owner.loop[0] = write->loop[0];
    return owner;
}

void array_give(struct array_thread *thread, struct array_place *place,
                const struct array_nest *nest, int64_t stride, uint64_t n,
                const struct array_nest *owner, int64_t owner_stride)
{
    struct array_run more = { *nest, n, stride, owner_stride };

    more.nest.owner = owner->owner;
    more.nest.owner_array = owner->owner_array;
    more.nest.order |= owner->order;
    /* Operations on several elements each: element i read is owned by element i written. */
    if (nest->n_loops > 0 && owner->n_loops == nest->n_loops
        && owner->loop[0].extent == nest->loop[0].extent)
        more.nest.loop[0].owner_stride = 1;
    if (array_run_add(&place->run, &more))
        return;
    array_flush_run(thread, place);
    place->run = more;
}

/* ---- Anchors ---- */

static const struct code_site *code_of(const struct array_place *place)
{
    return &place->function->sites[place->code];
}

static uint64_t rounds_of(const struct array_thread *thread,
                          const struct array_trail *reference)
{
    return reference->piece == thread->piece ? thread->rounds : 1;
}

/* Returns the latest reference of a place in the trail, or NULL. */
static const struct array_trail *find_reference(const struct array_thread *thread,
                                                uint32_t place)
{
    for (uint32_t i = thread->n_trail; i-- > 0;)
        if (thread->trail[i].place == place)
            return &thread->trail[i];
    return NULL;
}

/* Returns by how much the element of a reference advances in the rounds that are handled
   as one. */
static int64_t stride_now(const struct array_thread *thread,
                          const struct array_trail *reference)
{
    return reference->piece == thread->piece && thread->rounds > 1 ? reference->stride : 0;
}

/* Returns true if a reference in the trail is a read of the loop of a write. */
static bool may_anchor(const struct array_thread *thread, const struct array_trail *read,
                       const struct code_function *function, uint32_t loop)
{
    const struct array_place *place = &thread->places[read->place];

    return read->nest.operation == 0 && place->function == function
           && code_of(place)->loop == loop;
}

/* Returns true if a write is to the element that a read of its iteration read.  Only that
   is trusted to stay so: another distance need not be the same in other rounds of the loops
   around.  Neither index is a remainder, or both are. */
static bool is_of_read(const struct array_thread *thread, const struct array_trail *read,
                       const struct array_trail *write)
{
    return code_of(&thread->places[read->place])->wraps
               == code_of(&thread->places[write->place])->wraps
           && read->nest.array == write->nest.array
           && read->nest.element == write->nest.element;
}

static void add_anchors(struct array_thread *thread, const struct array_trail *write)
{
    struct array_place *place = &thread->places[write->place];

    for (uint32_t i = 0; i < thread->n_trail && place->n_anchors < ARRAY_ANCHORS; i++) {
        const struct array_trail *read = &thread->trail[i];
        if (!may_anchor(thread, read, place->function, code_of(place)->loop)
            || !is_of_read(thread, read, write))
            continue;
        place->anchors[place->n_anchors++] = (struct array_anchor){
            .place = read->place,
            .array = read->nest.array,
            .of = write->nest.array,
            .order = read->nest.order & WEFT_ARRAY_BY_COLUMNS,
            .of_order = write->nest.order & WEFT_ARRAY_BY_COLUMNS,
            .read = read->nest.element,
            .written = write->nest.element,
        };
    }
}

/* The extent of dimension I of an array, the one with neighbours in memory being 0. */
static uint64_t extent_of(int array, uint8_t order, uint32_t i)
{
    uint32_t rank;
    const uint64_t *shape = array_shape(array, &rank);

    return i >= rank ? 1 : order ? shape[i] : shape[rank - 1 - i];
}

/*
 * Returns true if the indices of an element WRITTEN have the distances from those of READ
 * that an anchor tells, and there is such an element.  *IS_FLAT is set to false if one of
 * them, but that of the last dimension, is not 0.
 */
static bool keeps_distance(const struct array_anchor *anchor, uint64_t read,
                           uint64_t written, bool *is_flat)
{
    uint64_t from = anchor->read, to = anchor->written, extent = 1, other = 1;

    for (uint32_t i = 0; i < WEFT_RECORD_ARRAY_RANK; i++) {
        extent = extent_of(anchor->of, anchor->of_order, i);
        other = extent_of(anchor->array, anchor->order, i);
        if (extent_of(anchor->of, anchor->of_order, i + 1) == 1)
            break; /* the last dimension, or those behind it do not count */
        if (extent != other
            || to % extent - from % extent != written % extent - read % extent)
            return false;
        *is_flat &= to % extent == from % extent;
        from /= extent;
        to /= extent;
        read /= extent;
        written /= extent;
    }
    return written < extent && to - from == written - read;
}

/* The same for N rounds, in which both advance by STRIDE. */
static bool keep_distance(const struct array_anchor *anchor, uint64_t read,
                          uint64_t written, int64_t stride, uint64_t n)
{
    enum { ONE_BY_ONE = 4096 };
    uint64_t way = (n - 1) * (uint64_t)stride;
    bool is_flat = true,
         keeps = keeps_distance(anchor, read, written, &is_flat)
                 && keeps_distance(anchor, read + way, written + way, &is_flat);

    /* Between, the end of a row may be reached by one before the other. */
    if (keeps && !is_flat && n > ONE_BY_ONE)
        return false;
    for (uint64_t i = 1; keeps && !is_flat && i + 1 < n; i++)
        keeps = keeps_distance(anchor, read + i * (uint64_t)stride,
                               written + i * (uint64_t)stride, &is_flat);
    return keeps;
}

static bool is_kept(const struct array_thread *thread, const struct array_anchor *anchor,
                    const struct array_trail *write)
{
    const struct array_trail *read = find_reference(thread, anchor->place);

    return read && read->nest.array == anchor->array && write->nest.array == anchor->of
           && (thread->rounds == 1 || stride_now(thread, read) == stride_now(thread, write))
           && keep_distance(anchor, read->nest.element, write->nest.element,
                            stride_now(thread, write), rounds_of(thread, write));
}

/* The owner of a read, and by how much it advances each round. */
struct owner {
    struct array_nest nest;
    int64_t stride;
};

enum answer { FOUND, NONE, NOT_YET };

/* Notes in *OWNER what one more anchor tells of N rounds, by what was read; *ANSWER is NONE
   before the first.  Returns false if the answer cannot be FOUND any more. */
static bool note(struct owner *owner, enum answer *answer,
                 const struct array_anchor *anchor, uint64_t element, int64_t stride,
                 uint64_t n)
{
    uint64_t is = element + anchor->written - anchor->read;
    bool first = *answer == NONE;

    if (!keep_distance(anchor, element, is, stride, n)) {
        *answer = NONE;
        return false;
    }
    if (!first && (owner->nest.owner != is || (n > 1 && owner->stride != stride))) {
        *answer = NOT_YET;
        return false;
    }
    *answer = FOUND;
    owner->nest = (struct array_nest){
        .owner = is,
        .owner_array = anchor->of,
        .order = anchor->of_order ? WEFT_ARRAY_OWNER_BY_COLUMNS : 0,
    };
    owner->stride = stride;
    return true;
}

/* ---- Pending reads ---- */

static enum answer ask_pending(const struct array_place *write,
                               const struct array_pending *pending, struct owner *owner)
{
    enum answer answer = NONE;

    for (uint32_t i = 0; i < write->n_anchors; i++)
        for (uint32_t k = 0; k < pending->n_anchors; k++)
            if (pending->anchors[k].place == write->anchors[i].place
                && pending->anchors[k].array == write->anchors[i].array
                && !note(owner, &answer, &write->anchors[i], pending->anchors[k].element,
                         pending->anchors[k].stride, pending->run.n))
                return answer;
    return answer;
}

static void finish_pending(struct array_thread *thread, const struct array_pending *pending,
                           const struct owner *owner)
{
    struct array_run run = pending->run;
    struct array_nest nest;

    run.nest.owner = owner->nest.owner;
    run.nest.owner_array = owner->nest.owner_array;
    run.nest.order |= owner->nest.order;
    run.owner_stride = owner->stride;
    nest = array_run_nest(&run);
    (void)array_sink_add(&thread->sink, &nest, &pending->origin);
}

static const struct owner nobody = { .nest = { .owner_array = ARRAY_NOBODY } };

/* Settles the pending reads of a write for which enough was learned. */
static void settle_pending(struct array_thread *thread, const struct array_place *write)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < thread->n_pending; i++) {
        const struct array_pending *pending = &thread->pending[i];
        struct owner owner;
        enum answer answer =
            pending->target == write->site ? ask_pending(write, pending, &owner) : NOT_YET;
        if (answer == NOT_YET)
            thread->pending[n++] = *pending;
        else
            finish_pending(thread, pending, answer == FOUND ? &owner : &nobody);
    }
    thread->n_pending = n;
}

void array_pending_end(struct array_thread *thread)
{
    for (uint32_t i = 0; i < thread->n_pending; i++)
        finish_pending(thread, &thread->pending[i], &nobody);
    thread->n_pending = 0;
}

void array_learn(struct array_thread *thread, const struct array_trail *write)
{
    struct array_place *place = &thread->places[write->place];
    bool knew = place->writes >= EVIDENCE, changed = false;
    uint32_t n = 0;

    if (place->writes == 0)
        add_anchors(thread, write);
    for (uint32_t i = 0; i < place->n_anchors; i++) {
        if (is_kept(thread, &place->anchors[i], write))
            place->anchors[n++] = place->anchors[i];
        else
            changed = true;
    }
    place->n_anchors = (uint8_t)n;
    place->writes += thread->rounds;
    if (place->writes >= EVIDENCE && (changed || !knew) && thread->n_pending > 0)
        settle_pending(thread, place);
}

/* ---- What was not written ---- */

/* Returns the one write that an iteration would have executed; NULL if it is not one. */
static const struct code_site *target_of(const struct array_place *read)
{
    const struct code_site *code = code_of(read), *target = NULL;

    for (uint32_t i = 0; i < code->n_targets; i++) {
        if (code->seconds >> i & 1)
            continue;
        if (target)
            return NULL;
        target = &read->function->sites[code->targets[i]];
    }
    return target;
}

static const struct array_place *find_place(const struct array_thread *thread,
                                            uint64_t site)
{
    uint32_t at = weft_hook_home(site);

    while (thread->places[at].site != site && thread->places[at].site != 0)
        at = (at + 1) % ARRAY_SITES;
    return thread->places[at].site == site ? &thread->places[at] : NULL;
}

static enum answer ask_anchors(const struct array_thread *thread,
                               const struct array_place *write, uint64_t n,
                               struct owner *owner)
{
    enum answer answer = NONE;

    if (!write || write->writes < EVIDENCE)
        return NOT_YET;
    for (uint32_t i = 0; i < write->n_anchors; i++) {
        const struct array_anchor *anchor = &write->anchors[i];
        const struct array_trail *read = find_reference(thread, anchor->place);
        if (read && read->nest.array == anchor->array
            && !note(owner, &answer, anchor, read->nest.element, stride_now(thread, read),
                     n))
            return answer;
    }
    return answer;
}

/* Returns true if a pending read of the same place is continued by another one. */
static bool continue_pending(struct array_pending *pending,
                             const struct array_pending *more)
{
    struct array_run run = pending->run;

    if (pending->target != more->target || pending->origin.site != more->origin.site
        || pending->origin.step != more->origin.step
        || pending->n_anchors != more->n_anchors || !array_run_add(&run, &more->run))
        return false;
    for (uint32_t i = 0; i < more->n_anchors; i++) {
        int64_t stride = (int64_t)(more->anchors[i].element - pending->anchors[i].element);
        if (pending->anchors[i].place != more->anchors[i].place
            || pending->anchors[i].array != more->anchors[i].array
            || (pending->run.n > 1
                && stride != (int64_t)pending->run.n * pending->anchors[i].stride)
            || (more->run.n > 1
                && more->anchors[i].stride
                       != (pending->run.n > 1 ? pending->anchors[i].stride : stride)))
            return false;
    }
    for (uint32_t i = 0; i < more->n_anchors && pending->run.n == 1; i++)
        pending->anchors[i].stride =
            (int64_t)(more->anchors[i].element - pending->anchors[i].element);
    pending->run = run;
    return true;
}

static void add_pending(struct array_thread *thread, const struct array_pending *pending)
{
    enum { LATEST = 16 }; /* as many are tried to be continued */

    for (uint32_t i = thread->n_pending; i-- > 0 && i + LATEST >= thread->n_pending;)
        if (continue_pending(&thread->pending[i], pending))
            return;
    if (thread->n_pending == ARRAY_PENDING)
        finish_pending(thread, pending, &nobody);
    else
        thread->pending[thread->n_pending++] = *pending;
}

static void let_pend(struct array_thread *thread, const struct array_trail *read,
                     uint64_t n, const struct code_site *target,
                     const struct array_place *write)
{
    const struct array_place *place = &thread->places[read->place];
    struct array_pending pending = { .run = { read->nest, n, read->stride, 0 },
                                     .origin = array_origin_of(place),
                                     .target = target->address };

    for (uint32_t i = 0; i < thread->n_trail && pending.n_anchors < ARRAY_ANCHORS; i++) {
        const struct array_trail *other = &thread->trail[i];
        bool is_anchor = !write || write->writes == 0;
        if (!may_anchor(thread, other, place->function, target->loop))
            continue;
        for (uint32_t k = 0; write && k < write->n_anchors; k++)
            is_anchor |= write->anchors[k].place == other->place;
        if (!is_anchor)
            continue;
        pending.anchors[pending.n_anchors].place = other->place;
        pending.anchors[pending.n_anchors].array = other->nest.array;
        pending.anchors[pending.n_anchors].element = other->nest.element;
        pending.anchors[pending.n_anchors++].stride = stride_now(thread, other);
    }
    add_pending(thread, &pending);
}

void array_would_be(struct array_thread *thread, const struct array_trail *read, uint64_t n)
{
    struct array_place *place = &thread->places[read->place];
    const struct code_site *target = target_of(place);
    const struct array_place *write = target ? find_place(thread, target->address) : NULL;
    struct owner owner = nobody;
    enum answer answer = target ? ask_anchors(thread, write, n, &owner) : NONE;

    if (answer == NOT_YET)
        let_pend(thread, read, n, target, write);
    else
        array_give(thread, place, &read->nest, read->stride, n,
                   answer == FOUND ? &owner.nest : &nobody.nest,
                   answer == FOUND ? owner.stride : 0);
}
