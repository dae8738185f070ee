/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reader of Paje traces: runs the lexer and the simulator side by side, and reads again
 * what the first reading could not know: finer times, and tracks out of order.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "read/paje/paje_priv.h"
#include "read/roles/tables.h"

enum { RING = 4, COARSEST = 9, FINEST = 15 };

/* Batches go round: empty ones to the lexer, full ones back. */
struct ring {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    struct paje_batch batches[RING];
    size_t filled, emptied; /* how many so far */
    bool stop;
    struct paje_lexer *lexer;
};

static bool clock_is_wrong(const struct paje_clock *clock)
{
    return clock->wanted > clock->decimals || clock->most < clock->decimals;
}

static void *lex_all(void *user)
{
    struct ring *ring = user;
    bool last = false;
    while (!last) {
        pthread_mutex_lock(&ring->mutex);
        while (ring->filled - ring->emptied == RING && !ring->stop)
            pthread_cond_wait(&ring->changed, &ring->mutex);
        bool stop = ring->stop;
        pthread_mutex_unlock(&ring->mutex);
        if (stop)
            break;
        struct paje_batch *batch = &ring->batches[ring->filled % RING];
        paje_lex(ring->lexer, batch);
        /* No use in building what will be read again. */
        batch->last |= clock_is_wrong(&ring->lexer->clock);
        last = batch->last;
        pthread_mutex_lock(&ring->mutex);
        ring->filled++;
        pthread_cond_signal(&ring->changed);
        pthread_mutex_unlock(&ring->mutex);
    }
    return NULL;
}

static const struct paje_batch *next_batch(struct ring *ring)
{
    pthread_mutex_lock(&ring->mutex);
    while (ring->filled == ring->emptied)
        pthread_cond_wait(&ring->changed, &ring->mutex);
    pthread_mutex_unlock(&ring->mutex);
    return &ring->batches[ring->emptied % RING];
}

static void give_back(struct ring *ring, bool stop)
{
    pthread_mutex_lock(&ring->mutex);
    ring->emptied++;
    ring->stop = stop;
    pthread_cond_signal(&ring->changed);
    pthread_mutex_unlock(&ring->mutex);
}

static bool simulate_all(struct ring *ring, struct paje_simulator *simulator,
                         struct weft_job *job, uint64_t *records, struct weft_err *err)
{
    uint64_t size = weft_input_size(ring->lexer->input);
    for (bool last = false; !last;) {
        const struct paje_batch *batch = next_batch(ring);
        last = batch->last;
        *records += batch->n_events;
        bool go_on = weft_job_step(job, batch->taken, size, err);
        if (go_on)
            paje_simulate(simulator, batch);
        give_back(ring, !go_on);
        if (!go_on)
            return false;
    }
    return true;
}

/* Read the whole input once. */
static bool read_once(struct paje_lexer *lexer, struct paje_simulator *simulator,
                      struct weft_job *job, uint64_t *records, struct weft_err *err)
{
    struct ring ring = { .mutex = PTHREAD_MUTEX_INITIALIZER,
                         .changed = PTHREAD_COND_INITIALIZER,
                         .lexer = lexer };
    pthread_t thread;
    bool ok = pthread_create(&thread, NULL, lex_all, &ring) == 0;
    if (ok) {
        ok = simulate_all(&ring, simulator, job, records, err);
        pthread_join(thread, NULL);
    } else {
        weft_fail(err, WEFT_ERR_READ, "cannot start a thread");
    }
    for (size_t i = 0; i < RING; i++)
        paje_batch_free(&ring.batches[i]);
    return ok;
}

static uint64_t ticks_per_second(int decimals)
{
    uint64_t ticks = 1;
    while (decimals-- > 0)
        ticks *= 10;
    return ticks;
}

static int unit_of(const struct weft_read_options *options, struct weft_err *err)
{
    static const char *const units[] = { "s", "ms", "us", "ns" };
    if (!options || !options->time_unit)
        return 0;
    for (int i = 0; i < 4; i++)
        if (strcmp(options->time_unit, units[i]) == 0)
            return 3 * i;
    weft_fail(err, WEFT_ERR_USAGE, "unknown time unit \"%s\" (s, ms, us or ns)",
              options->time_unit);
    return -1;
}

/* One reading into a new store.  *again: it was in vain, CLOCK and LESSON know more now. */
static bool attempt(struct weft_input *input, struct paje_clock *clock,
                    struct paje_lesson *lesson, const char *store_path, bool *again,
                    struct weft_job *job, struct weft_err *err)
{
    struct weft_builder *builder = weft_builder_new(store_path, "paje", err);
    if (!builder)
        return false;
    weft_builder_resolution(builder, ticks_per_second(clock->decimals), 1);
    struct paje_lexer lexer;
    struct paje_simulator simulator;
    paje_lexer_init(&lexer, input, *clock);
    paje_simulator_init(&simulator, builder, &lexer, lesson);
    uint64_t records = 0;
    lesson->again = false;
    bool ok = read_once(&lexer, &simulator, job, &records, err);
    *clock = lexer.clock;
    *again = ok && (clock_is_wrong(clock) || lesson->again);
    if (ok && !*again) {
        paje_simulate_end(&simulator);
        weft_builder_records(builder, records);
        weft_tables_apply(builder);
    }
    paje_simulator_free(&simulator);
    paje_lexer_free(&lexer);
    if (ok && !*again)
        return weft_builder_finish(builder, job, err);
    weft_builder_abandon(builder);
    return ok;
}

static bool read_paje(struct weft_input *input, const struct weft_read_options *options,
                      const char *store_path, struct weft_job *job, struct weft_err *err)
{
    int unit = unit_of(options, err);
    if (unit < 0)
        return false;
    struct paje_clock clock = { COARSEST, unit, FINEST, COARSEST };
    struct paje_lesson lesson = { 0 };
    bool again = true, ok = true;
    while (ok && again) {
        ok = attempt(input, &clock, &lesson, store_path, &again, job, err);
        if (ok && again) {
            int fit = clock.wanted < clock.most ? clock.wanted : clock.most;
            clock.decimals = clock.wanted = fit;
            ok = weft_input_rewind(input, err);
        }
    }
    weft_id_map_free(&lesson.sorted);
    weft_id_map_free(&lesson.late);
    return ok;
}

static bool says_event_def(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    return end - at >= 8 && memcmp(at, "EventDef", 8) == 0;
}

static int probe(const unsigned char *head, size_t size)
{
    const char *at = (const char *)head, *end = at + size;
    bool first = true; /* only comments and blanks so far */
    while (at < end) {
        while (at < end && (*at == ' ' || (*at >= '\t' && *at <= '\r')))
            at++;
        if (at < end && *at == '%' && says_event_def(at + 1, end))
            return first ? 100 : 50;
        first &= at == end || *at == '#';
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        at = newline ? newline + 1 : end;
    }
    return 0;
}

const struct weft_reader weft_reader_paje = {
    .name = "paje",
    .description = "Paje trace (text)",
    .probe = probe,
    .read = read_paje,
};
