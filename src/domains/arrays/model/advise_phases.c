/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the steps at which redistribution pays: the cheapest path through all steps,
 * including the costs of moving, among the candidates that are best overall or in some part
 * of the run.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "domains/arrays/model/advise_step_costs.h"

enum {
    PARTS = 16, /* parts of the run, each of which adds its best candidate */
    BEST = 16,  /* candidates that are best overall */
    MAX_ROWS = PARTS + BEST,
};

/* The cost of moving all arrays from one candidate to another. */
struct move {
    double ns;
    uint64_t bytes, messages;
};

struct phase_search {
    struct weft_advice *advice;
    const struct weft_advice_costs *costs;
    uint32_t rows[MAX_ROWS];
    size_t n;
    uint32_t *steps; /* steps with references; the others cost nothing */
    uint32_t n_steps;
    struct array_work work;
    struct move moves[MAX_ROWS][MAX_ROWS];
};

static void add_row(struct phase_search *p, uint32_t row)
{
    for (size_t i = 0; i < p->n; i++)
        if (p->rows[i] == row)
            return;
    p->rows[p->n++] = row;
}

/* Chooses the candidates that are best overall or in some part of the run. */
static void choose_rows(struct phase_search *p)
{
    const struct weft_advice *advice = p->advice;
    double *sums = weft_alloc(advice->n * sizeof *sums);
    size_t best = 0;
    for (size_t row = 1; row < advice->n; row++)
        if (advice->rows[row].estimated_ns < advice->rows[best].estimated_ns)
            best = row;
    add_row(p, (uint32_t)best); /* first the best one without redistribution */
    for (size_t row = 0; row < advice->n && p->n < BEST; row++)
        add_row(p, (uint32_t)row);
    for (uint32_t part = 0; part < PARTS; part++) {
        uint32_t from = (uint32_t)((uint64_t)p->n_steps * part / PARTS);
        uint32_t to = (uint32_t)((uint64_t)p->n_steps * (part + 1) / PARTS);
        size_t least = 0;
        memset(sums, 0, advice->n * sizeof *sums);
        for (uint32_t i = from; i < to && array_work_report(&p->work, advice->n); i++)
            for (size_t row = 0; row < advice->n; row++)
                sums[row] += weft_advice_step_ns(advice, row, p->steps[i]);
        for (size_t row = 1; row < advice->n; row++)
            least = sums[row] < sums[least] ? row : least;
        if (from < to && p->n < MAX_ROWS)
            add_row(p, (uint32_t)least);
    }
    free(sums);
}

/* ---- Moving ---- */

/* Makes the box of all elements of an array. */
static void whole(const struct weft_array *array, struct array_box *box)
{
    memset(box, 0, sizeof *box);
    for (uint32_t d = 0; d < array->rank; d++) {
        if (array->shape[d] == 1)
            continue;
        box->extent[box->loops] = array->shape[d];
        box->stride[box->loops++][d] = 1;
    }
}

static void move_array(struct phase_search *p, uint32_t number,
                       const struct candidate *from, const struct candidate *to,
                       struct move *move, double *takes)
{
    const struct weft_advice_evaluation *evaluation = p->advice->evaluation;
    const struct weft_array *array = weft_profile_array(evaluation->profile, number);
    const int8_t *dimension = evaluation->dimension[number];
    struct weft_distribution before =
        advise_distribution(&evaluation->candidates, from, array, dimension);
    struct weft_distribution after =
        advise_distribution(&evaluation->candidates, to, array, dimension);
    struct array_box box;
    struct parts parts = { .work = &p->work };
    struct parts_pair pair;
    whole(array, &box);
    parts_begin(&parts, &box);
    parts_add(&parts, &before, array, false, false);
    parts_add(&parts, &after, array, false, true);
    parts_make(&parts, array);
    parts_first(&parts, &pair);
    do {
        if (pair.server == pair.requester)
            continue;
        uint64_t bytes = pair.turns * array->element_bytes;
        double ns = p->costs->message_ns + p->costs->byte_ns * (double)bytes;
        takes[pair.server] += ns;
        takes[pair.requester] += ns;
        move->bytes += bytes;
        move->messages++;
    } while (parts_next(&parts, &pair));
    parts_free(&parts);
}

static struct move move_all(struct phase_search *p, uint32_t from, uint32_t to)
{
    const struct weft_advice *advice = p->advice;
    const struct weft_advice_evaluation *evaluation = advice->evaluation;
    const struct candidate *rows = evaluation->candidates.rows;
    struct move move = { 0 };
    double *takes = weft_zalloc(advice->processors, sizeof *takes);
    for (uint32_t a = 0; a < weft_profile_arrays(evaluation->profile); a++)
        if (evaluation->dimension[a][0] != -2)
            move_array(p, a, &rows[advice->rows[from].number],
                       &rows[advice->rows[to].number], &move, takes);
    for (uint64_t i = 0; i < advice->processors; i++)
        move.ns = takes[i] > move.ns ? takes[i] : move.ns;
    free(takes);
    return move;
}

/* ---- The cheapest way ---- */

/* Finds the cheapest path; CAME[s][i] is the candidate in step s - 1 on the cheapest path
   to i in step s. */
static size_t find_way(struct phase_search *p, uint8_t (*came)[MAX_ROWS], double *least)
{
    const struct weft_advice *advice = p->advice;
    double costs[MAX_ROWS] = { 0 }, next[MAX_ROWS] = { 0 };
    for (size_t i = 0; i < p->n; i++)
        costs[i] = weft_advice_step_ns(advice, p->rows[i], p->steps[0]);
    for (uint32_t s = 1; s < p->n_steps && array_work_report(&p->work, p->n * p->n); s++) {
        for (size_t i = 0; i < p->n; i++) {
            next[i] = costs[i];
            came[s][i] = (uint8_t)i;
            for (size_t k = 0; k < p->n; k++)
                if (k != i && costs[k] + p->moves[k][i].ns < next[i]) {
                    next[i] = costs[k] + p->moves[k][i].ns;
                    came[s][i] = (uint8_t)k;
                }
            next[i] += weft_advice_step_ns(advice, p->rows[i], p->steps[s]);
        }
        memcpy(costs, next, sizeof costs);
    }
    size_t best = 0;
    for (size_t i = 1; i < p->n; i++)
        if (costs[i] < costs[best])
            best = i;
    *least = costs[best];
    return best;
}

/* Follows the path back from its end; each change of candidate begins a phase. */
static void follow(struct phase_search *p, uint8_t (*came)[MAX_ROWS], size_t at)
{
    struct weft_advice *advice = p->advice;
    size_t capacity = 0;
    for (uint32_t s = p->n_steps; s-- > 0;) {
        size_t before = s ? came[s][at] : at;
        if (s && before == at)
            continue;
        const struct move *move = &p->moves[before][at];
        advice->phases = weft_grow(advice->phases, &capacity, advice->n_phases + 1,
                                   sizeof *advice->phases);
        advice->phases[advice->n_phases++] =
            (struct weft_advice_phase){ s ? p->steps[s] : 0, p->rows[at],
                                        s ? move->bytes : 0, s ? move->messages : 0,
                                        s ? move->ns : 0 };
        at = before;
    }
    for (size_t i = 0; i < advice->n_phases / 2; i++) {
        struct weft_advice_phase swap = advice->phases[i];
        advice->phases[i] = advice->phases[advice->n_phases - 1 - i];
        advice->phases[advice->n_phases - 1 - i] = swap;
    }
}

bool advise_phases(struct weft_advice *advice, const struct weft_advice_costs *costs,
                   struct weft_job *job, struct weft_err *err)
{
    struct phase_search p = { .advice = advice, .costs = costs };
    p.steps = weft_alloc(advice->n_steps * sizeof *p.steps);
    for (uint32_t step = 0; step < advice->n_steps; step++)
        if (advice->evaluation->step_of[step] != WEFT_NONE)
            p.steps[p.n_steps++] = step;
    array_work_begin(&p.work, advice->evaluation->profile, job, NULL);
    choose_rows(&p);
    for (size_t i = 0; i < p.n; i++)
        for (size_t k = 0; k < p.n && array_work_look(&p.work); k++)
            if (i != k)
                p.moves[i][k] = move_all(&p, p.rows[i], p.rows[k]);
    bool ok = array_work_end(&p.work, err);
    if (ok) {
        uint8_t(*came)[MAX_ROWS] = weft_zalloc(p.n_steps, sizeof *came);
        size_t end = find_way(&p, came, &advice->phased_ns);
        ok = array_work_end(&p.work, err);
        if (ok)
            follow(&p, came, end);
        free(came);
    }
    free(p.steps);
    return ok;
}

/* ---- Directives ---- */

static void put_extents(FILE *out, const struct weft_distribution *distribution)
{
    for (uint32_t k = 0; k < distribution->rank; k++)
        fprintf(out, "%s%" PRIu64, k ? "," : "(", distribution->extent[k]);
    if (distribution->rank)
        fputc(')', out);
}

static void put_array(FILE *out, const struct weft_advice_evaluation *evaluation,
                      uint32_t a, const struct weft_distribution *led)
{
    const struct weft_array *array = weft_profile_array(evaluation->profile, a);
    const struct weft_array *leader =
        weft_profile_array(evaluation->profile, evaluation->led);
    const int8_t *dimension = evaluation->dimension[a];
    if (array->rank == leader->rank) {
        const char *end = strstr(led->text, " ONTO");
        fprintf(out, "DISTRIBUTE %s%.*s ONTO P\n", array->name, (int)(end - led->text),
                led->text);
        return;
    }
    fprintf(out, "ALIGN %s(", array->name);
    for (uint32_t k = 0; k < array->rank; k++)
        fprintf(out, "%sI%u", k ? "," : "", k);
    fprintf(out, ") WITH %s(", leader->name);
    for (uint32_t d = 0; d < leader->rank; d++) {
        fputs(d ? "," : "", out);
        uint32_t k = 0;
        while (k < array->rank && dimension[k] != (int8_t)d)
            k++;
        if (k < array->rank)
            fprintf(out, "I%u", k);
        else
            fputc('*', out);
    }
    fputs(")\n", out);
}

char *weft_advice_directives(const struct weft_advice *advice,
                             const struct weft_profile *profile, size_t row)
{
    char *text;
    size_t size;
    FILE *out = weft_text_begin(&text, &size);
    const struct weft_distribution *distribution = &advice->rows[row].distribution;
    fputs("PROCESSORS P", out);
    put_extents(out, distribution);
    fputc('\n', out);
    put_array(out, advice->evaluation, advice->array, distribution);
    for (uint32_t a = 0; a < weft_profile_arrays(profile); a++)
        if (a != advice->array && advice->evaluation->dimension[a][0] != -2)
            put_array(out, advice->evaluation, a, distribution);
    weft_text_end(out);
    return text;
}
