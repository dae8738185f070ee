/* SPDX-License-Identifier: Apache-2.0 */
/* The exported table weft_rt_array_v1, which weft_array.h looks up. */
#include "domains/arrays/record/arrays.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "record/log/log.h"
#include "weft/weft_array.h"

#define CORE weft_record_core_v1

enum {
    NAME_BYTES = 128,
    RANK = WEFT_RECORD_ARRAY_RANK,
    MAX_ELEMENT_BYTES = 1 << 15, /* so that the size of an array is below 2^63 */
};

struct declared_array {
    char name[NAME_BYTES];
    uint32_t rank;
    uint64_t shape[RANK];
};

struct array_world array_world = { .stamp = UINT64_C(0x9e3779b97f4a7c15) };
static struct declared_array declared[WEFT_RECORD_ARRAYS_MAX];
static int n_declared;
static int current = -1; /* array of the TRACE macro */
static bool locked;      /* held while arrays are declared and placed */

/* Takes the lock with signals blocked: a handler that uses arrays would deadlock on it, and
   one that leaves by longjmp would never release it.  Returns the previous signal mask. */
static uint64_t lock(void)
{
    uint64_t signals = CORE.block_signals();

    while (__atomic_test_and_set(&locked, __ATOMIC_ACQUIRE))
        ;
    return signals;
}

static void unlock(uint64_t signals)
{
    __atomic_clear(&locked, __ATOMIC_RELEASE);
    CORE.restore_signals(signals);
}

static __thread bool held_for_fork;
static __thread uint64_t signals_before_fork;

bool array_lock_for_fork(bool *lock)
{
    enum { TRIES = 10000 };

    for (int i = 0; i < TRIES; i++) {
        if (!__atomic_test_and_set(lock, __ATOMIC_ACQUIRE))
            return true;
        sched_yield();
    }
    return false;
}

static void before_fork(void)
{
    signals_before_fork = CORE.block_signals();
    held_for_fork = array_lock_for_fork(&locked);
    array_hooks_fork();
}

static void after_fork(void)
{
    array_hooks_forked(false);
    if (held_for_fork)
        __atomic_clear(&locked, __ATOMIC_RELEASE);
    CORE.restore_signals(signals_before_fork);
}

static void in_child(void)
{
    array_hooks_forked(true);
    unlock(signals_before_fork);
}

__attribute__((constructor)) static void watch_forks(void)
{
    pthread_atfork(before_fork, after_fork, in_child);
}

static int count_declared(void)
{
    return __atomic_load_n(&n_declared, __ATOMIC_ACQUIRE);
}

void array_lose(enum weft_array_loss loss, uint64_t number)
{
    (void)weft_log_put_word(weft_log_get(), weft_ticks(), WEFT_RECORD_ARRAY_LOST, loss,
                            number);
}

/* ---- Declaring ---- */

/* Returns true for a valid shape, with fewer than 2^48 elements, as in profiles. */
static bool is_shape(unsigned rank, const size_t *shape)
{
    uint64_t most = (UINT64_C(1) << 48) - 1;

    if (rank < 1 || rank > RANK)
        return false;
    for (unsigned i = 0; i < rank; i++) {
        if (shape[i] < 1 || shape[i] > most)
            return false;
        most /= shape[i];
    }
    return true;
}

static bool has_shape(const struct declared_array *array, unsigned rank,
                      const size_t *shape)
{
    bool same = array->rank == rank;

    for (unsigned i = 0; same && i < rank; i++)
        same = array->shape[i] == shape[i];
    return same;
}

static void write_declaration(int number, const char *name, unsigned rank,
                              const size_t *shape)
{
    uint64_t words[1 + RANK] = { (uint64_t)number | (uint64_t)rank << 32 };

    for (unsigned i = 0; i < rank; i++)
        words[1 + i] = shape[i];
    CORE.log_text(weft_ticks(), WEFT_RECORD_ARRAY, words, 1 + rank, name);
}

const uint64_t *array_shape(int array, uint32_t *rank)
{
    *rank = declared[array].rank;
    return declared[array].shape;
}

/* The number of the array NAME, or the next free number. */
static int find_name(const char *name)
{
    int n = count_declared(), i = 0;

    while (i < n && strncmp(declared[i].name, name, NAME_BYTES - 1) != 0)
        i++;
    return i;
}

int array_declare(const char *name, unsigned rank, const size_t *shape)
{
    enum weft_array_loss loss = WEFT_ARRAY_LOSSES;
    uint64_t signals;
    int number;

    if (!name || !shape || !is_shape(rank, shape)) {
        array_lose(WEFT_ARRAY_OTHER_SHAPE, 1);
        return -1;
    }
    signals = lock();
    number = find_name(name);
    if (number < n_declared) {
        if (!has_shape(&declared[number], rank, shape))
            loss = WEFT_ARRAY_OTHER_SHAPE;
    } else if (number == WEFT_RECORD_ARRAYS_MAX) {
        loss = WEFT_ARRAY_UNDECLARED;
    } else {
        struct declared_array *array = &declared[number];
        strncpy(array->name, name, NAME_BYTES - 1);
        array->rank = rank;
        for (unsigned i = 0; i < rank; i++)
            array->shape[i] = shape[i];
        __atomic_store_n(&n_declared, number + 1, __ATOMIC_RELEASE);
        write_declaration(number, array->name, rank, shape);
    }
    unlock(signals);
    if (loss == WEFT_ARRAY_LOSSES)
        return number;
    array_lose(loss, 1);
    return -1;
}

static int declare(const char *name, unsigned rank, const size_t *shape)
{
    int number = array_declare(name, rank, shape);

    __atomic_store_n(&current, number, __ATOMIC_RELEASE);
    return number;
}

static void use(int array)
{
    __atomic_store_n(&current, array < count_declared() ? array : -1, __ATOMIC_RELEASE);
}

/* ---- Where arrays lie ---- */

/*
 * Changes the stamp, which threads check at their next reference.  Called under the lock.
 */
static void change(struct array_world *world)
{
    uintptr_t begin = UINTPTR_MAX, end = 0;

    for (uint32_t i = 0; i < world->n_memories; i++) {
        const struct array_memory *memory = &world->memories[i];
        begin = memory->begin < begin ? memory->begin : begin;
        end = memory->begin + memory->size > end ? memory->begin + memory->size : end;
    }
    /* Stays odd. */
    __atomic_add_fetch(&world->stamp, UINT64_C(0x6a09e667f3bcc908), __ATOMIC_ACQ_REL);
    array_tell_hooks(begin, end > begin ? end - begin : 0);
}

static uint8_t shift_of(uint64_t bytes)
{
    return bytes & (bytes - 1) ? 64 : (uint8_t)__builtin_ctzll(bytes);
}

void array_lies_at(int array, const void *address, size_t element_bytes, bool by_columns)
{
    struct array_world *world = &array_world;
    uint64_t words[2] = { element_bytes, by_columns };
    uint64_t bytes = element_bytes, signals = lock();
    uint32_t n = 0;

    for (uint32_t i = 0; i < declared[array].rank; i++)
        bytes *= declared[array].shape[i];
    /* Meanwhile hooks record nothing. */
    array_tell_hooks(0, 0);
    for (uint32_t i = 0; i < world->n_memories; i++)
        if (world->memories[i].array != array)
            world->memories[n++] = world->memories[i];
    if (address && element_bytes > 0)
        world->memories[n++] = (struct array_memory){ .begin = (uintptr_t)address,
                                                      .size = bytes,
                                                      .element_bytes = element_bytes,
                                                      .array = (uint16_t)array,
                                                      .by_columns = by_columns,
                                                      .shift = shift_of(element_bytes) };
    world->n_memories = n;
    change(world);
    unlock(signals);
    if (address)
        (void)weft_log_put_words(weft_log_get(), weft_ticks(), WEFT_RECORD_ARRAY_MEMORY,
                                 (uint32_t)array, words, 2);
}

static void at(const void *address, size_t element_bytes, int by_columns)
{
    int array = __atomic_load_n(&current, __ATOMIC_ACQUIRE);

    if (array < 0)
        array_lose(WEFT_ARRAY_UNDECLARED, 1);
    else if (element_bytes > MAX_ELEMENT_BYTES)
        array_lose(WEFT_ARRAY_OTHER_SHAPE, 1);
    else
        array_lies_at(array, address, element_bytes, by_columns != 0);
}

/* ---- Steps ---- */

/* Begins a step, which ends the steps before. */
static void begin_step(uint32_t step)
{
    uint64_t signals;

    (void)weft_log_put_word(weft_log_get(), weft_ticks(), WEFT_RECORD_ARRAY_STEP, 0, step);
    signals = lock();
    change(&array_world);
    unlock(signals);
}

static void next_step(void)
{
    begin_step(__atomic_add_fetch(&array_world.step, 1, __ATOMIC_ACQ_REL));
    /* Writes the calling thread's references now, since it may be killed later. */
    struct array_thread *thread = array_thread_enter();
    if (thread)
        array_thread_leave(thread);
}

static void reach_step(uint32_t step)
{
    uint32_t now = __atomic_load_n(&array_world.step, __ATOMIC_ACQUIRE);

    while (step > now)
        if (__atomic_compare_exchange_n(&array_world.step, &now, step, false,
                                        __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
            begin_step(step);
            return;
        }
}

/* ---- References ---- */

/* Adds an outer loop; if it only continues the one inside, that is extended. */
static uint32_t add_loop(struct array_loop *loops, uint32_t n, uint64_t extent,
                         uint64_t stride)
{
    if (extent == 1)
        return n;
    if (n > 0 && loops[n - 1].extent * (uint64_t)loops[n - 1].stride == stride) {
        loops[n - 1].extent *= extent;
        return n;
    }
    loops[n] = (struct array_loop){ .extent = extent, .stride = (int64_t)stride };
    return n + 1;
}

/* Returns true if an index vector is in the array; *NUMBER is then the element's. */
static bool find_element(const struct declared_array *array, const size_t *index,
                         uint64_t *number)
{
    *number = 0;
    for (uint32_t i = 0; i < array->rank; i++) {
        if (index[i] >= array->shape[i])
            return false;
        *number = *number * array->shape[i] + index[i];
    }
    return true;
}

/* Adds the nest for each iteration of the loops that do not fit into it. */
static void add_nests(struct array_thread *thread, struct array_place *place,
                      struct array_nest nest, const struct array_loop *loops, uint32_t n)
{
    struct array_origin origin = array_origin_of(place);
    uint64_t rounds = 1, first = nest.element;
    uint32_t inner = n < WEFT_RECORD_ARRAY_LOOPS ? n : WEFT_RECORD_ARRAY_LOOPS;

    memcpy(nest.loop, loops, inner * sizeof *loops);
    nest.n_loops = (uint8_t)inner;
    for (uint32_t i = inner; i < n; i++)
        rounds *= loops[i].extent;
    for (uint64_t round = 0; round < rounds; round++) {
        uint64_t rest = round;
        nest.element = first;
        for (uint32_t i = inner; i < n; i++) {
            nest.element += rest % loops[i].extent * (uint64_t)loops[i].stride;
            rest /= loops[i].extent;
        }
        if (inner < WEFT_RECORD_ARRAY_LOOPS)
            (void)array_levels_add(&place->levels, &nest, &origin, &thread->sink);
        else
            (void)array_sink_add(&thread->sink, &nest, &origin);
    }
}

/* Gets a place in the current step; references of another step are written first. */
static struct array_place *place_in_step(struct array_thread *thread, uint64_t site,
                                         uint32_t step)
{
    struct array_place *place = &thread->places[array_thread_place(thread, site)];
    struct array_origin origin = array_origin_of(place);

    if (place->step != step) {
        array_levels_flush(&place->levels, &origin, &thread->sink);
        place->step = step;
    }
    return place;
}

/* Returns true if the end is before the begin.  A negative begin became large, which is an
   error. */
static bool is_empty(const struct declared_array *array, const size_t *first,
                     const size_t *last)
{
    for (uint32_t i = 0; i < array->rank; i++)
        if (first[i] - last[i] - 1 < SIZE_MAX / 2)
            return true;
    return false;
}

static bool is_within(const struct declared_array *array, const size_t *last)
{
    for (uint32_t i = 0; i < array->rank; i++)
        if (last[i] >= array->shape[i])
            return false;
    return true;
}

static void refer(uint64_t site, long time, int owner_array, const size_t *owner, int array,
                  const size_t *first, const size_t *last, int operation)
{
    struct array_loop loops[RANK];
    struct array_nest nest = { .array = (uint16_t)array,
                               .owner_array = (uint16_t)owner_array,
                               .operation = (uint8_t)operation };
    struct array_thread *thread;
    uint64_t stride = 1;
    uint32_t n = 0;
    int known = count_declared();

    if (array < 0 || array >= known || owner_array < 0 || owner_array >= known || !owner
        || !first || !last) {
        array_lose(WEFT_ARRAY_UNDECLARED, 1);
        return;
    }
    if (is_empty(&declared[array], first, last))
        return;
    if (time < 0 || time >= (long)UINT32_MAX || operation < 0 || operation > 1
        || !find_element(&declared[owner_array], owner, &nest.owner)
        || !find_element(&declared[array], first, &nest.element)
        || !is_within(&declared[array], last)) {
        array_lose(WEFT_ARRAY_OUTSIDE, 1);
        return;
    }
    for (uint32_t i = declared[array].rank; i-- > 0; stride *= declared[array].shape[i])
        n = add_loop(loops, n, last[i] - first[i] + 1, stride);
    if ((uint32_t)time > array_world.step)
        reach_step((uint32_t)time);
    thread = array_thread_enter();
    if (!thread)
        return;
    add_nests(thread, place_in_step(thread, site, (uint32_t)time), nest, loops, n);
    array_thread_leave(thread);
}

static void reference(long time, int owner_array, const size_t *owner, int array,
                      const size_t *first, const size_t *last, int operation)
{
    refer(WEFT_SITE, time, owner_array, owner, array, first, last, operation);
}

static void trace(int time, int owner_row, int owner_column, int first_row, int last_row,
                  int first_column, int last_column, int operation)
{
    int array = __atomic_load_n(&current, __ATOMIC_ACQUIRE);
    /* Negative indices become too large. */
    size_t owner[2] = { (size_t)owner_row, (size_t)owner_column };
    size_t first[2] = { (size_t)first_row, (size_t)first_column };
    size_t last[2] = { (size_t)last_row, (size_t)last_column };
    uint32_t rank = array < 0 ? 2 : declared[array].rank;

    if (first_row > last_row || first_column > last_column)
        return;
    if (rank > 2 || (rank == 1 && (owner_row != 0 || first_row != 0 || last_row != 0)))
        array_lose(WEFT_ARRAY_OUTSIDE, 1);
    else
        refer(WEFT_SITE, time, array, owner + 2 - rank, array, first + 2 - rank,
              last + 2 - rank, operation);
}

WEFT_EXPORT extern const struct weft_array_runtime weft_rt_array_v1;
const struct weft_array_runtime weft_rt_array_v1 = {
    .version = 1,
    .declare = declare,
    .use = use,
    .at = at,
    .step = next_step,
    .trace = trace,
    .reference = reference,
};
