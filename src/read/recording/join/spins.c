/* SPDX-License-Identifier: Apache-2.0 */
#include "read/recording/join/spins.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/binary_search.h"
#include "read/recording/polling/polling_loop.h"

enum {
    /*
     * Samples that prove it, and processor time between the first and the last one.  A loop
     * that does something else in a third of its time has so many in a row once in 3,000.
     */
    LEAST_SAMPLES = 20,
    LEAST_NS = 20000000,
    LONGEST_GAP_NS = 50000000, /* of processor time between two samples */
    PLACES = 32,               /* instructions of one loop at which samples are compared */
    PAGE = 4096,
    RAX_TO_RDI = 8, /* registers that the kernel orders otherwise than instructions do */
};

/* The file that code was read from last, and a page of it. */
struct code_file {
    const struct maps *maps;
    char *path;
    int file;
    uint64_t offset; /* of `page` in the file */
    size_t n;        /* bytes in it */
    unsigned char page[PAGE + 16];
};

/* Samples of one loop, as they come. */
struct stretch {
    size_t n, proofs;    /* samples; those that are on their way round */
    int64_t first, last; /* times of samples */
    int64_t ran;         /* ns on a processor between them */
    size_t n_places;
    struct place {
        uint64_t address;
        uint64_t registers[17];
        uint32_t fixed;
    } places[PLACES];
};

struct finder {
    struct join *join;
    const struct join_thread *thread;
    struct observed_thread *observed;
    struct code_file code;
    struct stretch stretch;
    struct observed_switch *added; /* [n_added]: begin, end, begin, ... */
    size_t n_added, capacity;
};

static void close_code(struct code_file *code)
{
    if (code->path)
        close(code->file);
    free(code->path);
    code->path = NULL;
    code->n = 0;
}

/* Opens the regular file of LINE, unless it is open already. */
static bool open_code(struct code_file *code, const struct map_line *line)
{
    struct stat status;

    if (code->path && strlen(code->path) == line->path_size
        && memcmp(code->path, line->path, line->path_size) == 0)
        return true;
    close_code(code);
    if (line->path_size == 0 || line->path[0] != '/')
        return false;
    code->path = weft_strndup(line->path, line->path_size);
    code->file = open(code->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (code->file >= 0 && fstat(code->file, &status) == 0 && S_ISREG(status.st_mode))
        return true;
    if (code->file >= 0)
        close(code->file);
    free(code->path);
    code->path = NULL;
    return false;
}

/* A polling_code: reads the code of a process from its file. */
static size_t read_code(void *user, uint64_t address, unsigned char *to, size_t n)
{
    struct code_file *code = user;
    const struct map_line *line = maps_find(code->maps, address);
    uint64_t offset, within;

    if (!line || !open_code(code, line))
        return 0;
    offset = line->offset + (address - line->begin);
    if (code->n == 0 || offset / PAGE * PAGE != code->offset) {
        ssize_t got;
        code->offset = offset / PAGE * PAGE;
        got = pread(code->file, code->page, sizeof code->page, (off_t)code->offset);
        code->n = got > 0 ? (size_t)got : 0;
    }
    within = offset - code->offset;
    if (within >= code->n)
        return 0;
    if (n > code->n - within)
        n = code->n - within;
    if (n > line->end - address)
        n = (size_t)(line->end - address);
    memcpy(to, code->page + within, n);
    return n;
}

/* Sets *STATE to that of the sample; returns false if it has no registers. */
static bool state_of(const struct weft_schedule_place *sample, struct polling_state *state)
{
    /* rax, rbx, rcx, rdx, rsi, rdi, rbp, rsp by their numbers in instructions */
    static const uint8_t numbers[RAX_TO_RDI] = { 0, 3, 1, 2, 6, 7, 5, 4 };
    const uint64_t *registers = observed_registers(sample);

    if (!registers)
        return false;
    for (size_t i = 0; i < RAX_TO_RDI; i++)
        state->registers[numbers[i]] = registers[i];
    state->flags = registers[RAX_TO_RDI];
    memcpy(state->registers + 8, registers + RAX_TO_RDI + 1, 8 * sizeof *registers);
    state->address = sample->address;
    state->stack = observed_top_of_stack(sample, &state->stack_size);
    return true;
}

/* Returns true if the fixed registers are those of earlier samples at the same place. */
static bool fits(struct stretch *stretch, const struct polling_state *state, uint32_t fixed)
{
    struct place *place = NULL;

    for (size_t i = 0; i < stretch->n_places && !place; i++)
        if (stretch->places[i].address == state->address)
            place = &stretch->places[i];
    if (!place) {
        if (stretch->n_places == PLACES)
            return false;
        place = &stretch->places[stretch->n_places++];
        *place = (struct place){ .address = state->address, .fixed = fixed };
        memcpy(place->registers, state->registers, sizeof state->registers);
    }
    place->fixed &= fixed;
    for (unsigned i = 0; i < 16; i++)
        if (place->fixed >> i & 1 && place->registers[i] != state->registers[i])
            return false;
    return true;
}

/* Returns the switch with which the thread's latest change up to TIME began, or NULL. */
static const struct observed_switch *latest(const struct observed_thread *observed,
                                            int64_t time)
{
    size_t i =
        WEFT_FIRST(k, (size_t)0, observed->n_switches, observed->switches[k].time > time);

    return i > 0 ? &observed->switches[i - 1] : NULL;
}

/*
 * Returns the ns that the thread had a processor between two of its samples; -1 if it did
 * not only run, or was preempted, between them.
 */
static int64_t ran_between(const struct observed_thread *observed, int64_t from, int64_t to)
{
    size_t i =
        WEFT_FIRST(k, (size_t)0, observed->n_switches, observed->switches[k].time > from);
    int64_t ran = 0, since = from;
    bool runs = true;

    for (; i < observed->n_switches && observed->switches[i].time <= to; i++) {
        const struct observed_switch *at = &observed->switches[i];
        if (at->change != OBSERVED_IN && at->change != OBSERVED_PREEMPTED)
            return -1;
        ran += runs ? at->time - since : 0;
        runs = at->change == OBSERVED_IN;
        since = at->time;
    }
    return ran + (runs ? to - since : 0);
}

static void add(struct finder *finder, int64_t time, enum observed_change change)
{
    const struct observed_switch *at = latest(finder->observed, time);

    finder->added = weft_grow(finder->added, &finder->capacity, finder->n_added + 1,
                              sizeof *finder->added);
    finder->added[finder->n_added++] =
        (struct observed_switch){ time, at ? at->processor : OBSERVED_NO_PROCESSOR,
                                  change };
}

static void end_stretch(struct finder *finder)
{
    struct stretch *stretch = &finder->stretch;

    if (stretch->proofs >= LEAST_SAMPLES && stretch->ran >= LEAST_NS) {
        add(finder, stretch->first, OBSERVED_SPINNING);
        add(finder, stretch->last, OBSERVED_IN);
    }
    stretch->n = stretch->proofs = stretch->n_places = 0;
    stretch->ran = 0;
}

/* Sets *STATE to that of the sample, and *ROUND if it polls. */
static enum polling polls(struct finder *finder, const struct weft_schedule_place *sample,
                          struct polling_state *state, struct polling_round *round)
{
    return observed_is_code(finder->join->recording, finder->thread->image,
                            sample->sample.time, sample->address)
                   && state_of(sample, state)
               ? polling_examine(state, read_code, &finder->code, round)
               : POLLING_NO;
}

/* Adds a sample to the stretch, or ends that. */
static void examine(struct finder *finder, const struct weft_schedule_place *sample)
{
    struct stretch *stretch = &finder->stretch;
    struct polling_state state;
    struct polling_round round;
    enum polling found = polls(finder, sample, &state, &round);
    int64_t time = sample->sample.time;

    if (found == POLLING_NO) {
        end_stretch(finder);
        return;
    }
    if (stretch->n > 0) {
        int64_t ran = ran_between(finder->observed, stretch->last, time);
        if (ran < 0 || ran > LONGEST_GAP_NS)
            end_stretch(finder);
        else
            stretch->ran += ran;
    }
    if (!fits(stretch, &state, round.fixed)) {
        end_stretch(finder);
        (void)fits(stretch, &state, round.fixed);
    }
    if (stretch->n++ == 0)
        stretch->first = time;
    stretch->last = time;
    stretch->proofs += found == POLLING_YES;
}

/*
 * Examines the samples of the thread's program.  A long stretch has every tenth sample, so
 * those in between are skipped where that one does not poll.
 */
static void examine_all(struct finder *finder)
{
    enum { STEP = 10 };
    const struct observed_thread *observed = finder->observed;
    struct polling_state state;
    struct polling_round round;

    for (size_t i = 0; i < observed->n_samples; i += STEP) {
        size_t end = i + STEP < observed->n_samples ? i + STEP : observed->n_samples;
        if (finder->stretch.n == 0
            && polls(finder, observed->samples[end - 1], &state, &round) == POLLING_NO)
            continue;
        for (size_t k = i; k < end; k++)
            examine(finder, observed->samples[k]);
    }
    end_stretch(finder);
}

/* Merges what was added to the thread's switches, in order of time. */
static void merge(struct finder *finder)
{
    struct observed_thread *observed = finder->observed;
    size_t n = observed->n_switches + finder->n_added, i = observed->n_switches,
           k = finder->n_added;

    if (k == 0)
        return;
    observed->switches = weft_grow(observed->switches, &observed->switches_capacity, n,
                                   sizeof *observed->switches);
    while (k > 0) {
        const struct observed_switch *added = &finder->added[k - 1];
        if (i > 0 && observed->switches[i - 1].time > added->time) {
            observed->switches[--n] = observed->switches[--i];
            /* In front of an end, after its begin. */
            if (added->change == OBSERVED_SPINNING
                && observed->switches[n].change == OBSERVED_IN)
                observed->switches[n].change = OBSERVED_SPINNING;
            continue;
        }
        observed->switches[--n] = *added;
        k--;
    }
    observed->n_switches += finder->n_added;
    finder->n_added = 0;
}

static void find_in(struct finder *finder, const struct join_thread *thread)
{
    finder->thread = thread;
    finder->observed = thread->stream->observed;
    if (!finder->observed || finder->observed->n_samples < LEAST_SAMPLES)
        return;
    finder->code.maps = &finder->join->recording->images[thread->image].maps;
    examine_all(finder);
    merge(finder);
}

void spins_find(struct join *join)
{
    struct finder finder = { .join = join };

    for (size_t i = 0; i < join->n_threads; i++)
        find_in(&finder, join->threads[i]);
    close_code(&finder.code);
    free(finder.added);
}
