/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a trace.  Rounds of text go through three concurrent stages; the file is read again
 * if the first pass finds finer times, or tracks out of order.
 */
#include "read/paje/paje.h"

#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "read/paje/apply_records.h"
#include "read/paje/lex.h"
#include "read/roles/builtin_role_tables.h"

enum {
    COARSEST = 9, /* least decimals of a second: most tracers write ns */
    FINEST = 15,  /* times up to nine days fit */
    STAGES = 3,   /* concurrent rounds: one is read, one lexed, one in its lanes */
};

/* 300 to 500 KiB for the lines of a part; some 40 MiB for three rounds with records. */
static const struct paje_sizes usual_sizes = { .part = 128 << 10, .round = 4 << 20 };

struct paje_pipeline {
    struct paje_cutter cutter;
    struct paje_names names;
    struct paje_definitions definitions;
    struct paje_simulator simulator;
    struct paje_findings found; /* faults of the text itself */
    struct paje_clock clock;
    uint64_t line;    /* first line of the next part */
    uint64_t records; /* event lines so far */
    struct paje_round rounds[STAGES];
};

/* The work that threads do concurrently; all but the lanes may be absent. */
struct step {
    struct paje_pipeline *pipeline;
    struct paje_round *next;    /* to be read, or NULL */
    struct paje_round *current; /* to be lexed */
    struct paje_known known;
    size_t n_lanes; /* 0 if no part waits */
};

static void work(void *user, size_t i)
{
    struct step *step = user;
    if (step->next && i-- == 0) {
        paje_cut(&step->pipeline->cutter, step->next);
        return;
    }
    if (i < step->n_lanes)
        paje_lane_run(&step->pipeline->simulator, i);
    else
        paje_lex(&step->current->parts[i - step->n_lanes], &step->known,
                 &step->pipeline->definitions, false);
}

static struct paje_known known(const struct paje_pipeline *pipeline)
{
    const struct paje_simulator *s = &pipeline->simulator;
    return (struct paje_known){ .names = &pipeline->names,
                                .direct = s->direct,
                                .n_direct = s->n_tracks,
                                .values = s->tables.values,
                                .n_values = s->tables.n_values,
                                .clock = pipeline->clock,
                                .epoch = s->epoch };
}

/* Lex again, in order, from the first part with a definition on. */
static void lex_alone(struct paje_pipeline *pipeline, struct paje_round *round,
                      const struct paje_known *known, size_t first)
{
    for (size_t i = first; i < round->n_parts; i++)
        paje_lex(&round->parts[i], known, &pipeline->definitions, true);
}

/*
 * Lex CURRENT, and concurrently read NEXT and run the waiting lanes.  If no event is
 * defined yet, or a definition is open, the lines of CURRENT depend on each other.
 */
static void run_step(struct paje_pipeline *pipeline, struct paje_round *current,
                     struct paje_round *next)
{
    struct step step = { .pipeline = pipeline,
                         .next = next,
                         .current = current,
                         .known = known(pipeline),
                         .n_lanes = pipeline->simulator.n_waiting ? PAJE_LANE_TASKS : 0 };
    bool alone = !pipeline->definitions.n || pipeline->definitions.open;
    size_t n_parts = alone ? 0 : current->n_parts;
    weft_parallel((next != NULL) + step.n_lanes + n_parts, 1, work, &step);
    if (step.n_lanes)
        paje_lanes_settle(&pipeline->simulator);
    size_t good = 0;
    while (good < n_parts && !current->parts[good].defines)
        good++;
    lex_alone(pipeline, current, &step.known, good);
}

/* Join a round; returns false if the file must be read again anyway. */
static bool join_round(struct paje_pipeline *pipeline, struct paje_round *round,
                       const struct weft_job *job)
{
    paje_findings_move(&pipeline->found, &round->findings, pipeline->line);
    pipeline->line += round->n_dropped;
    for (size_t i = 0; i < round->n_parts && !weft_job_cancelled(job); i++) {
        struct paje_part *part = &round->parts[i];
        part->first_line = pipeline->line;
        paje_findings_move(&pipeline->found, &part->findings, pipeline->line);
        pipeline->line += part->n_lines;
        pipeline->records += part->n_events;
        if (paje_clock_is_wrong(&part->clock)) {
            pipeline->clock = part->clock;
            return false;
        }
        paje_part_adopt(part, &pipeline->names);
        paje_join(&pipeline->simulator, part);
    }
    if (round->damage.message[0])
        paje_note_line(&pipeline->found, pipeline->line > 1 ? pipeline->line - 1 : 1,
                       PAJE_FAULT_DAMAGED, round->damage.message,
                       strlen(round->damage.message));
    if (round->last && pipeline->definitions.open)
        paje_definition_close(&pipeline->definitions, &pipeline->found, pipeline->line,
                              true);
    return true;
}

/* Returns true if the file could not be read; damaged compression is a trace's fault. */
static bool is_unread(const struct paje_round *round, struct weft_err *err)
{
    if (round->damage.code == WEFT_OK || round->damage.code == WEFT_ERR_FORMAT)
        return false;
    if (err)
        *err = round->damage;
    return true;
}

static bool read_rounds(struct paje_pipeline *pipeline, struct weft_job *job,
                        struct weft_err *err)
{
    uint64_t size = weft_input_size(pipeline->cutter.input);
    struct paje_round *current = &pipeline->rounds[0];
    paje_cut(&pipeline->cutter, current);
    for (size_t n = 1;; n++) {
        struct paje_round *next = current->last ? NULL : &pipeline->rounds[n % STAGES];
        run_step(pipeline, current, next);
        if (!weft_job_step(job, current->taken, size, err))
            return false;
        if (is_unread(current, err))
            return false;
        if (!join_round(pipeline, current, job) || !next)
            return weft_job_step(job, current->taken, size, err);
        current = next;
    }
}

static void begin_reading(struct paje_pipeline *pipeline, struct weft_input *input,
                          const struct paje_sizes *sizes, struct paje_clock clock,
                          struct paje_lesson *lesson, struct weft_builder *builder)
{
    pipeline->cutter.input = input;
    pipeline->cutter.sizes = *sizes;
    pipeline->clock = clock;
    pipeline->line = 1;
    pipeline->names.pairs.has_rows = pipeline->names.choices.has_rows = true;
    static const char root[17] = "0"; /* symbol 0: the root container and its type */
    struct paje_key key = paje_key(root, 1);
    paje_symbol_add(&pipeline->names.symbols, &key, root, 1);
    paje_simulator_init(&pipeline->simulator, builder, &pipeline->names,
                        &pipeline->definitions, lesson);
}

static void free_reading(struct paje_pipeline *pipeline)
{
    for (size_t i = 0; i < STAGES; i++)
        paje_round_free(&pipeline->rounds[i]);
    paje_simulator_free(&pipeline->simulator);
    paje_cutter_free(&pipeline->cutter);
    paje_names_free(&pipeline->names);
    paje_definitions_free(&pipeline->definitions);
    paje_findings_free(&pipeline->found);
    free(pipeline);
}

/* Finish a pass: the end of the trace, then its problems, first those of the text. */
static bool end_reading(struct paje_pipeline *pipeline, struct weft_builder *builder,
                        struct weft_job *job, struct weft_err *err)
{
    struct paje_simulator *simulator = &pipeline->simulator;
    for (size_t i = 0; simulator->n_waiting && i < PAJE_LANE_TASKS; i++)
        paje_lane_run(simulator, i);
    paje_lanes_settle(simulator);
    if (simulator->lesson->again)
        return true;
    if (!paje_simulate_end(simulator, job, err))
        return false;
    if (!pipeline->records)
        paje_note(&pipeline->found, pipeline->line > 1 ? pipeline->line - 1 : 1,
                  PAJE_FAULT_NO_EVENT, "", 0);
    paje_findings_tell(&pipeline->found, builder);
    paje_findings_tell(&simulator->found, builder);
    weft_builder_records(builder, pipeline->records);
    return true;
}

/*
 * Gives roles to what was read.  Times are seconds, as the format says, unless the user
 * says otherwise; a tool that is known to write milliseconds is told of.
 */
static void give_meaning(struct weft_builder *builder, bool unit_is_known)
{
    if (weft_tables_apply(builder) && !unit_is_known)
        weft_builder_problem(builder, WEFT_NOTE, "time-unit", 0,
                             "the tool that wrote this trace writes times in "
                             "milliseconds; they are read as seconds, as Paje's are: "
                             "--time-unit ms");
}

/* Read the file once into a new store.  *again: in vain, but CLOCK and LESSON learned. */
static bool attempt(struct weft_input *input, const struct paje_sizes *sizes,
                    struct paje_clock *clock, struct paje_lesson *lesson,
                    bool unit_is_known, const char *store_path, bool *again,
                    struct weft_job *job, struct weft_err *err)
{
    struct weft_builder *builder = weft_builder_new(store_path, "paje", err);
    if (!builder)
        return false;
    weft_builder_resolution(builder, weft_decimal_ticks(clock->decimals), 1);
    struct paje_pipeline *pipeline = weft_zalloc(1, sizeof *pipeline);
    begin_reading(pipeline, input, sizes, *clock, lesson, builder);
    lesson->again = false;
    bool ok = read_rounds(pipeline, job, err);
    *clock = pipeline->clock;
    *again = ok && paje_clock_is_wrong(clock);
    if (ok && !*again) {
        ok = end_reading(pipeline, builder, job, err);
        *again = ok && lesson->again;
        if (ok && !*again) {
            weft_input_tell(input, builder);
            give_meaning(builder, unit_is_known);
            paje_give_told_roles(&pipeline->simulator);
        }
    }
    free_reading(pipeline);
    if (ok && !*again)
        return weft_builder_finish(builder, job, err);
    weft_builder_abandon(builder);
    return ok;
}

bool paje_read(struct weft_input *input, const struct weft_read_options *options,
               const struct paje_sizes *sizes, const char *store_path, struct weft_job *job,
               struct weft_err *err)
{
    int unit = weft_time_unit_decimals(options, 0, err);
    if (unit < 0)
        return false;
    struct paje_clock clock = { COARSEST, unit, FINEST, COARSEST };
    struct paje_lesson lesson = { 0 };
    bool again = true, ok = true;
    while (ok && again) {
        ok = attempt(input, sizes, &clock, &lesson, options && options->time_unit,
                     store_path, &again, job, err);
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

static bool read_paje(struct weft_input *input, const struct weft_read_options *options,
                      const char *store_path, struct weft_job *job, struct weft_err *err)
{
    return paje_read(input, options, &usual_sizes, store_path, job, err);
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
        if (memchr(at, 0, (size_t)((newline ? newline : end) - at)))
            return 0; /* binary: perhaps an archive with a trace in it */
        at = newline ? newline + 1 : end;
    }
    return 0;
}

const struct weft_reader weft_reader_paje = {
    .name = "paje",
    .description = "Paje trace",
    .probe = probe,
    .read = read_paje,
};
