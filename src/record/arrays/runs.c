/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of a reference that was not foreseen. */
#include "record/arrays/runs.h"

#include "record/core/log.h"

enum {
    READ = 0,
    WRITE = 1,
    /* After so many references that fitted into no nest, others of the place in the step are not
       tried either, unless they come in runs that are longer than this. */
    IRREGULAR = 64,
    SHORT = 4,
};

static struct array_place *place_of(struct array_thread *thread,
                                    const struct array_site *site)
{
    return &thread->places[site - thread->sites];
}

/* References of a site in the run so far. */
static uint64_t count_of(const struct array_site *site)
{
    return site->seen + (site->planned - site->remaining);
}

/* ---- A run's references of one place become a nest ---- */

/* What a run of a place refers to; owner: nobody yet. */
static struct array_nest nest_of(struct array_thread *thread, const struct array_site *site,
                                 uint64_t skip, uint64_t n)
{
    const struct array_place *place = place_of(thread, site);
    const struct array_memory *memory = &place->memory;
    uint64_t bytes = memory->element_bytes;
    uint64_t from = site->base - memory->begin + skip * (uint64_t)site->stride;
    uint64_t width = (from + place->bytes - 1) / bytes - from / bytes + 1;
    struct array_nest nest = {
        .element = from / bytes,
        .array = memory->array,
        .owner_array = WEFT_RECORD_ARRAY_UNKNOWN,
        .operation = site->writes ? WRITE : READ,
        .order = memory->by_columns ? WEFT_ARRAY_BY_COLUMNS : 0,
    };

    if (width > 1)
        nest.loop[nest.n_loops++] = (struct array_loop){ .extent = width, .stride = 1 };
    if (n > 1)
        nest.loop[nest.n_loops++] =
            (struct array_loop){ .extent = n, .stride = site->stride / (int64_t)bytes };
    return nest;
}

static void collect(struct array_thread *thread, const struct array_site *site,
                    const struct array_nest *nest)
{
    struct array_place *place = place_of(thread, site);
    struct array_origin origin = array_origin_of(place);

    if (place->strays >= IRREGULAR && (nest->n_loops == 0 || nest->loop[0].extent <= SHORT))
        (void)array_sink_add(&thread->sink, nest, &origin);
    else if (array_levels_add(&place->levels, nest, &origin, &thread->sink))
        place->strays++;
}

static void collect_writes(struct array_thread *thread, const struct array_site *site,
                           uint64_t n)
{
    struct array_nest nest = nest_of(thread, site, 0, n);

    nest.owner = nest.element;
    nest.owner_array = nest.array;
    nest.order |= nest.order ? WEFT_ARRAY_OWNER_BY_COLUMNS : 0;
    for (uint32_t i = 0; i < nest.n_loops; i++)
        nest.loop[i].owner_stride = nest.loop[i].stride;
    collect(thread, site, &nest);
}

/* N reads, the first of them on behalf of the write number SKIP of OWNER. */
static void collect_reads(struct array_thread *thread, const struct array_site *site,
                          uint64_t n, const struct array_site *owner, uint64_t skip)
{
    struct array_nest nest, of;

    if (n == 0)
        return;
    nest = nest_of(thread, site, 0, n);
    of = nest_of(thread, owner, skip, n);
    nest.owner = of.element;
    nest.owner_array = of.array;
    nest.order |= of.order ? WEFT_ARRAY_OWNER_BY_COLUMNS : 0;
    if (n > 1)
        nest.loop[nest.n_loops - 1].owner_stride = of.loop[of.n_loops - 1].stride;
    /* Several elements at once, each for one of as many. */
    if (nest.n_loops > (n > 1) && of.n_loops == nest.n_loops
        && of.loop[0].extent == nest.loop[0].extent)
        nest.loop[0].owner_stride = 1;
    collect(thread, site, &nest);
}

/* Reads from number SKIP on wait for whatever is written next. */
static void await(struct array_thread *thread, const struct array_site *site, uint64_t skip,
                  uint64_t n)
{
    struct array_place *place = place_of(thread, site);
    struct array_origin origin = array_origin_of(place);
    struct array_nest nest;

    if (n == 0)
        return;
    nest = nest_of(thread, site, skip, n);
    (void)array_levels_add(&place->awaiting, &nest, &origin, &thread->sink);
    if (!place->awaits)
        thread->awaiting[thread->n_awaiting++] = (uint16_t)(site - thread->sites);
    place->awaits = true;
}

/* A write has come: it is what they waited for. */
static void assign(struct array_thread *thread, const struct array_memory *memory,
                   uintptr_t address)
{
    const struct array_nest owner = {
        .owner = (address - memory->begin) / memory->element_bytes,
        .owner_array = memory->array,
        .order = memory->by_columns ? WEFT_ARRAY_OWNER_BY_COLUMNS : 0,
    };

    for (uint32_t i = 0; i < thread->n_awaiting; i++) {
        struct array_place *place = &thread->places[thread->awaiting[i]];
        struct array_origin origin = array_origin_of(place);
        array_levels_assign(&place->awaiting, &place->levels, &owner, &origin,
                            &thread->sink);
        place->awaits = false;
    }
    thread->n_awaiting = 0;
}

/* ---- The body of a loop ---- */

/* The reads of one place of the body, which those at WRITE follow: the site N_BODY or more places
 * behind the first is that of the next round; UINT32_MAX: the body writes nothing. */
static void collect_reads_of(struct array_thread *thread, const struct array_site *site,
                             uint32_t write)
{
    uint64_t n = count_of(site), known = 0;

    if (write != UINT32_MAX) {
        const struct array_site *owner = thread->body[write % thread->n_body];
        uint64_t skip = write >= thread->n_body, writes = count_of(owner);
        writes = writes > skip ? writes - skip : 0;
        known = n < writes ? n : writes;
        collect_reads(thread, site, known, owner, skip);
    }
    await(thread, site, known, n - known);
}

static void start_over(struct array_site *site)
{
    site->seen = 0;
    site->planned = site->remaining = 0;
    site->address = 0;
}

/* The first N places of the body, in which references came in this order. */
static void collect_body(struct array_thread *thread, uint32_t n)
{
    uint32_t write = UINT32_MAX;

    for (uint32_t i = 0; i < thread->n_body && write == UINT32_MAX; i++)
        if (thread->body[i]->writes)
            write = thread->n_body + i;
    for (uint32_t i = thread->n_body; i-- > 0;) {
        const struct array_site *site = thread->body[i];
        if (i < n && count_of(site) > 0 && site->writes)
            collect_writes(thread, site, count_of(site));
        else if (i < n && count_of(site) > 0)
            collect_reads_of(thread, site, write);
        if (site->writes)
            write = i;
    }
}

/* Forget the first N places of the body. */
static void drop(struct array_thread *thread, uint32_t n)
{
    for (uint32_t i = 0; i < thread->n_body; i++) {
        struct array_site *site = thread->body[i];
        if (i < n) {
            start_over(site);
            site->position = ARRAY_BODY;
        } else {
            site->position = (uint16_t)(i - n);
            thread->body[i - n] = site;
        }
    }
    thread->n_body -= n;
}

static void close_runs(struct array_thread *thread)
{
    collect_body(thread, thread->n_body);
    drop(thread, thread->n_body);
    thread->repeats = false;
    thread->last = NULL;
}

/* ---- One reference ---- */

struct reference {
    uintptr_t address;
    const struct array_memory *memory;
    uint32_t bytes;
    bool writes;
};

/* How often a site may go on by its stride from ADDRESS before it leaves its array. */
static uint64_t rounds_left(const struct array_site *site, const struct array_place *place,
                            uintptr_t address)
{
    uint64_t before = address - place->memory.begin;
    uint64_t behind = place->memory.size - before - place->bytes;

    if (site->stride == 0)
        return UINT64_MAX / 2;
    return site->stride > 0 ? behind / (uint64_t)site->stride
                            : before / -(uint64_t)site->stride;
}

/* Foresee what comes behind ADDRESS at a site; its stride may be of another array. */
static void foresee(struct array_site *site, const struct array_place *place,
                    uintptr_t address)
{
    site->planned = site->remaining = 0;
    site->address = 0;
    if (site->stride % (int64_t)place->memory.element_bytes != 0)
        return;
    site->planned = site->remaining = rounds_left(site, place, address);
    if (site->remaining > 0)
        site->address = address + (uintptr_t)site->stride;
}

/* The first reference of a run. */
static void begin_run(struct array_thread *thread, struct array_site *site,
                      const struct reference *now)
{
    struct array_place *place = place_of(thread, site);

    place->memory = *now->memory;
    place->bytes = now->bytes;
    site->writes = now->writes;
    start_over(site);
    site->base = now->address;
    site->seen = 1;
}

/* Is it of the same kind as the run's? */
static bool continues(const struct array_site *site, const struct array_place *place,
                      const struct reference *now)
{
    return place->memory.begin == now->memory->begin
           && place->memory.array == now->memory->array && place->bytes == now->bytes
           && site->writes == now->writes;
}

/* The second reference of a run, which gives it its stride: in whole elements. */
static bool learn_stride(struct array_site *site, const struct array_place *place,
                         const struct reference *now)
{
    int64_t stride = (int64_t)(now->address - site->base);

    if (!continues(site, place, now) || stride % (int64_t)place->memory.element_bytes != 0)
        return false;
    site->stride = stride;
    site->seen = 2;
    foresee(site, place, now->address);
    return true;
}

/* The body is what was met from POSITION on; each place goes on as it did the last time. */
static void repeat_body(struct array_thread *thread, uint32_t position)
{
    collect_body(thread, position);
    drop(thread, position);
    thread->repeats = true;
    for (uint32_t i = 0; i < thread->n_body; i++) {
        struct array_site *site = thread->body[i];
        site->previous = thread->body[(i + thread->n_body - 1) % thread->n_body];
        foresee(site, place_of(thread, site), site->base);
    }
}

/* The loop has ended, and the same one begins again at the site. */
static void restart_body(struct array_thread *thread, uint32_t position)
{
    struct array_site *turned[ARRAY_BODY];
    uint32_t n = thread->n_body;

    collect_body(thread, n);
    for (uint32_t i = 0; i < n; i++)
        turned[i] = thread->body[(position + i) % n];
    for (uint32_t i = 0; i < n; i++) {
        thread->body[i] = turned[i];
        turned[i]->position = (uint16_t)i;
        start_over(turned[i]);
    }
}

/* The site is the one that the body foresees. */
static void go_on(struct array_thread *thread, struct array_site *site,
                  const struct reference *now)
{
    struct array_place *place = place_of(thread, site);
    uint64_t n = count_of(site);

    if (site->address == now->address && site->remaining > 0
        && continues(site, place, now)) {
        site->address += (uintptr_t)site->stride;
        if (--site->remaining == 0)
            site->address = 0;
        return;
    }
    if (n == 1 && learn_stride(site, place, now))
        return;
    if (n > 0)
        restart_body(thread, site->position);
    begin_run(thread, site, now);
    foresee(site, place, now->address);
}

/* What is referred to at a place of which something else was foreseen, or nothing. */
static void take(struct array_thread *thread, struct array_site *site,
                 const struct reference *now)
{
    bool in_body = site->position < thread->n_body;

    if (in_body && !thread->repeats)
        repeat_body(thread, site->position);
    if (in_body && site->previous == thread->last) {
        go_on(thread, site, now);
        return;
    }
    if (thread->repeats || thread->n_body == ARRAY_BODY)
        close_runs(thread);
    begin_run(thread, site, now);
    site->position = (uint16_t)thread->n_body;
    thread->body[thread->n_body++] = site;
}

static const struct array_memory *find_memory(uintptr_t address, uint32_t bytes)
{
    for (uint32_t i = 0; i < array_world.n_memories; i++) {
        const struct array_memory *memory = &array_world.memories[i];
        uint64_t before = address - memory->begin;
        if (before < memory->size && memory->size - before >= bytes)
            return memory;
    }
    return NULL;
}

void array_runs_surprise(uintptr_t address, uint64_t site, uint32_t bytes,
                         uint32_t operation)
{
    struct reference now = { address, find_memory(address, bytes), bytes,
                             operation == WRITE };
    struct array_thread *thread;
    struct array_site *at;

    thread = now.memory ? array_thread_enter() : NULL;
    if (!thread)
        return;
    at = &thread->sites[array_thread_place(thread, site)];
    at->key = site ^ thread->stamp;
    take(thread, at, &now);
    if (now.writes && thread->n_awaiting > 0)
        assign(thread, now.memory, address);
    thread->last = at;
    array_thread_leave(thread);
}

void array_runs_refer_range(uintptr_t address, uint64_t site, size_t bytes,
                            uint32_t operation)
{
    for (uint32_t i = 0; i < array_world.n_memories; i++) {
        const struct array_memory *memory = &array_world.memories[i];
        uintptr_t begin = address > memory->begin ? address : memory->begin;
        uintptr_t end = memory->begin + memory->size;
        end = address + bytes < end ? address + bytes : end;
        if (begin < end && end - begin <= UINT32_MAX)
            array_runs_surprise(begin, site, (uint32_t)(end - begin), operation);
    }
}

__attribute__((constructor)) static void start(void)
{
    array_close_runs = close_runs;
}
