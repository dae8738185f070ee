/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/arrays/model/advise.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/parallel.h"
#include "domains/arrays/model/advise_step_costs.h"

/* ---- What is evaluated ---- */

/* Returns true if any reference names its owner element. */
static bool names_owners(const struct weft_profile *profile)
{
    for (uint64_t i = 0; i < weft_profile_patterns(profile); i++) {
        struct weft_pattern pattern;
        weft_profile_pattern(profile, i, &pattern);
        if (pattern.owner_array != WEFT_NONE)
            return true;
    }
    return false;
}

/* The array with most references. */
static uint32_t most_used(const struct weft_profile *profile)
{
    uint32_t n = weft_profile_arrays(profile), most = 0;
    uint64_t *references = weft_zalloc(n, sizeof *references);
    for (uint64_t i = 0; i < weft_profile_patterns(profile); i++) {
        struct weft_pattern pattern;
        weft_profile_pattern(profile, i, &pattern);
        references[pattern.array] += weft_pattern_references(&pattern);
    }
    for (uint32_t a = 1; a < n; a++)
        if (references[a] > references[most])
            most = a;
    free(references);
    return most;
}

static void free_evaluation(struct weft_advice_evaluation *evaluation)
{
    candidates_free(&evaluation->candidates);
    free(evaluation->dimension);
    free(evaluation->steps);
    free(evaluation->step_of);
    free(evaluation->step_ns);
    free(evaluation);
}

void weft_advice_free(struct weft_advice *advice)
{
    if (!advice)
        return;
    free_evaluation(advice->evaluation);
    free(advice->rows);
    free(advice->phases);
    free(advice);
}

static bool check(const struct weft_advice_query *query, struct weft_err *err)
{
    if (!weft_profile_arrays(query->profile))
        return weft_fail(err, WEFT_ERR_FORMAT, "the profile has no arrays");
    if (query->processors < 1 || query->processors > WEFT_ADVICE_PROCESSORS)
        return weft_fail(err, WEFT_ERR_USAGE, "%llu processors are no number from 1 to %d",
                         (unsigned long long)query->processors, WEFT_ADVICE_PROCESSORS);
    return true;
}

/* Makes the steps and the alignments of arrays; the caller adds candidates. */
static struct weft_advice_evaluation *
begin_evaluation(const struct weft_profile *profile, uint32_t led,
                 const struct weft_distributions *distributions, const struct weft_job *job)
{
    struct weft_advice_evaluation *evaluation = weft_zalloc(1, sizeof *evaluation);
    uint32_t n = weft_profile_arrays(profile), n_steps = weft_profile_steps(profile);
    evaluation->profile = profile;
    evaluation->led = led;
    evaluation->dimension = weft_zalloc(n, sizeof *evaluation->dimension);
    for (uint32_t a = 0; a < n; a++)
        (void)advise_align(weft_profile_array(profile, a), weft_profile_array(profile, led),
                           evaluation->dimension[a]);
    evaluation->step_of = weft_alloc(n_steps * sizeof *evaluation->step_of);
    memset(evaluation->step_of, 0xff, n_steps * sizeof *evaluation->step_of);
    const struct weft_count_query all = { .profile = profile,
                                          .distributions = distributions,
                                          .after_step = n_steps };
    evaluation->steps = count_steps(&all, &evaluation->n_steps, evaluation->step_of, job);
    return evaluation;
}

/* ---- Side by side ---- */

/* The results of one thread, which handles every n-th step. */
struct thread_results {
    uint64_t *load; /* [candidates][processors] */
    struct advise_sums *sums;
    uint64_t left_out;
    struct array_work work; /* work of the thread */
};

struct thread_evaluation {
    struct weft_advice_evaluation *evaluation;
    const struct weft_advice_query *query;
    struct thread_results *shares;
    size_t n_shares;
    struct weft_job *job;
    _Atomic uint64_t taken; /* steps of work of all threads */
};

static void evaluate_share(void *user, size_t number)
{
    struct thread_evaluation *all = user;
    struct weft_advice_evaluation *evaluation = all->evaluation;
    size_t n = evaluation->candidates.n;
    struct thread_results *share = &all->shares[number];
    struct advise_stepping stepping;
    advise_stepping_begin(&stepping, evaluation, &all->query->costs, all->query->processors,
                          all->job, &all->taken);
    for (size_t s = number; s < evaluation->n_steps && array_work_goes_on(&stepping.effort);
         s += all->n_shares) {
        const struct count_step *step = &evaluation->steps[s];
        share->left_out += advise_step(&stepping, step->step) * step->times;
        for (size_t c = 0; c < n && array_work_look(&stepping.effort); c++)
            evaluation->step_ns[s * n + c] =
                advise_step_cost(&stepping, &evaluation->candidates.rows[c], step->times,
                                 share->load + c * all->query->processors, &share->sums[c]);
        if (number == 0)
            (void)weft_job_step(all->job, s, evaluation->n_steps, NULL);
    }
    share->work = stepping.effort;
    advise_stepping_end(&stepping);
}

static void add_up(const struct thread_evaluation *all, struct weft_advice *advice)
{
    const struct weft_advice_evaluation *evaluation = all->evaluation;
    uint64_t processors = all->query->processors;
    size_t n = evaluation->candidates.n;
    for (size_t c = 0; c < n; c++) {
        struct weft_advice_row *row = &advice->rows[c];
        row->number = (uint32_t)c;
        for (uint64_t p = 0; p < processors; p++) {
            uint64_t load = 0;
            for (size_t i = 0; i < all->n_shares; i++)
                load += all->shares[i].load[c * processors + p];
            row->max_load = load > row->max_load ? load : row->max_load;
        }
        for (size_t i = 0; i < all->n_shares; i++) {
            const struct advise_sums *sums = &all->shares[i].sums[c];
            row->references += sums->references;
            row->remote += sums->remote;
            row->messages += sums->messages;
            row->bytes += sums->bytes;
        }
    }
}

/* Counts the reads of the profile, and those that the ranking leaves out. */
static void count_reads(const struct weft_advice_evaluation *evaluation,
                        struct weft_advice *advice)
{
    const struct weft_profile *profile = evaluation->profile;
    for (uint64_t i = 0; i < weft_profile_patterns(profile); i++) {
        struct weft_pattern pattern;
        weft_profile_pattern(profile, i, &pattern);
        if (pattern.operation != WEFT_REFERENCE_READ)
            continue;
        uint64_t n = weft_pattern_references(&pattern);
        advice->reads += n;
        if (pattern.owner_array == WEFT_NONE)
            advice->reads_nobody += n;
        if (advise_leaves_out(evaluation, &pattern))
            advice->reads_left_out += n;
    }
}

bool weft_advice_is_sound(const struct weft_advice *advice)
{
    return advice->reads_left_out <= advice->reads / 10;
}

/* Adds up the times of all steps, in the order of step_ns. */
static void add_up_times(const struct weft_advice_evaluation *evaluation,
                         struct weft_advice *advice, const struct weft_job *job)
{
    size_t n = evaluation->candidates.n;
    for (size_t s = 0; s < evaluation->n_steps && !weft_job_cancelled(job); s++)
        for (size_t c = 0; c < n; c++)
            advice->rows[c].estimated_ns +=
                evaluation->step_ns[s * n + c] * (double)evaluation->steps[s].times;
}

/* Returns true if the times of all steps under all candidates fit into memory. */
static bool has_room(const struct weft_advice_evaluation *evaluation, struct weft_err *err)
{
    enum { MAX_LOADS = 1 << 27 /* of 8 bytes: 1 GiB */ };
    size_t n_steps = evaluation->n_steps, n = evaluation->candidates.n;
    return n_steps <= MAX_LOADS / (n + 1)
           || weft_fail(err, WEFT_ERR_LIMIT,
                        "%zu steps that differ and %zu distributions are more than can be "
                        "compared at once (%d): ask for fewer processors",
                        n_steps, n, MAX_LOADS);
}

static bool evaluate(const struct weft_advice_query *query, struct weft_advice *advice,
                     struct weft_job *job, struct weft_err *err)
{
    struct weft_advice_evaluation *evaluation = advice->evaluation;
    size_t n = evaluation->candidates.n, width = weft_parallel_width();
    if (!has_room(evaluation, err))
        return false;
    struct thread_evaluation all = { .evaluation = evaluation,
                                     .query = query,
                                     .n_shares = width < evaluation->n_steps ? width : 1,
                                     .job = job };
    all.shares = weft_zalloc(all.n_shares, sizeof *all.shares);
    for (size_t i = 0; i < all.n_shares; i++) {
        all.shares[i].load = weft_zalloc(n * query->processors, sizeof(uint64_t));
        all.shares[i].sums = weft_zalloc(n, sizeof *all.shares[i].sums);
    }
    evaluation->step_ns =
        weft_zalloc(evaluation->n_steps * n + 1, sizeof *evaluation->step_ns);
    advice->rows = weft_zalloc(n, sizeof *advice->rows);
    advice->n = n;
    weft_parallel(all.n_shares, 1, evaluate_share, &all);
    bool ok = !weft_job_cancelled(job) || weft_fail(err, WEFT_ERR_CANCELLED, "cancelled");
    for (size_t i = 0; i < all.n_shares && ok; i++)
        ok = array_work_end(&all.shares[i].work, err);
    if (ok) {
        add_up(&all, advice);
        count_reads(evaluation, advice);
        add_up_times(evaluation, advice, job);
        ok = !weft_job_cancelled(job) || weft_fail(err, WEFT_ERR_CANCELLED, "cancelled");
    }
    for (size_t i = 0; i < all.n_shares; i++) {
        advice->left_out += all.shares[i].left_out;
        free(all.shares[i].load);
        free(all.shares[i].sums);
    }
    free(all.shares);
    return ok;
}

/* ---- Ranks ---- */

/* Ties are broken by time, then remote references, then load. */
static int by_time(const void *left, const void *right)
{
    const struct weft_advice_row *a = left, *b = right;
    return WEFT_COMPARE(a->estimated_ns, b->estimated_ns)
           ?: WEFT_COMPARE(a->remote, b->remote) ?: WEFT_COMPARE(a->max_load, b->max_load)
           ?: WEFT_COMPARE(a->number, b->number);
}

static int by_remote(const void *left, const void *right)
{
    const struct weft_advice_row *a = left, *b = right;
    return WEFT_COMPARE(a->remote, b->remote) ?: by_time(a, b);
}

static int by_load(const void *left, const void *right)
{
    const struct weft_advice_row *a = left, *b = right;
    return WEFT_COMPARE(a->max_load, b->max_load) ?: by_time(a, b);
}

static int (*order_of(enum weft_advice_rank rank))(const void *, const void *)
{
    return rank == WEFT_ADVICE_REMOTE      ? by_remote
           : rank == WEFT_ADVICE_IMBALANCE ? by_load
                                           : by_time;
}

size_t weft_advice_insert(struct weft_advice *advice, const struct weft_advice_row *row,
                          enum weft_advice_rank rank)
{
    size_t at = 0;
    while (at < advice->n && order_of(rank)(&advice->rows[at], row) <= 0)
        at++;
    advice->rows = weft_realloc(advice->rows, (advice->n + 1) * sizeof *advice->rows);
    memmove(&advice->rows[at + 1], &advice->rows[at],
            (advice->n - at) * sizeof *advice->rows);
    advice->rows[at] = *row;
    advice->n++;
    for (size_t i = 0; i < advice->n_phases; i++)
        advice->phases[i].row += advice->phases[i].row >= at;
    return at;
}

static void rank(struct weft_advice *advice, enum weft_advice_rank rank)
{
    const struct weft_advice_evaluation *evaluation = advice->evaluation;
    qsort(advice->rows, advice->n, sizeof *advice->rows, order_of(rank));
    for (size_t i = 0; i < advice->n; i++)
        advice->rows[i].distribution = advise_distribution(
            &evaluation->candidates, &evaluation->candidates.rows[advice->rows[i].number],
            weft_profile_array(evaluation->profile, evaluation->led),
            evaluation->dimension[evaluation->led]);
}

struct weft_advice *weft_advice_make(const struct weft_advice_query *query,
                                     struct weft_job *job, struct weft_err *err)
{
    if (!check(query, err))
        return NULL;
    struct weft_advice *advice = weft_zalloc(1, sizeof *advice);
    advice->array = query->array == WEFT_NONE ? most_used(query->profile) : query->array;
    advice->processors = query->processors;
    advice->n_steps = weft_profile_steps(query->profile);
    advice->evaluation = begin_evaluation(query->profile, advice->array, NULL, job);
    bool ok = candidates_make(&advice->evaluation->candidates,
                              weft_profile_array(query->profile, advice->array),
                              query->processors)
              || weft_fail(err, WEFT_ERR_USAGE,
                           "there are more than 8,000 distributions over %llu processors: "
                           "ask for fewer",
                           (unsigned long long)query->processors);
    bool named = names_owners(query->profile);
    ok = ok && (!named || evaluate(query, advice, job, err));
    if (ok && (!named || !advice->rows[0].references))
        ok = weft_fail(err, WEFT_ERR_FORMAT,
                       "no reference to %s says on behalf of which element it was made, so "
                       "that nothing can be said of other distributions",
                       weft_profile_array(query->profile, advice->array)->name);
    if (ok)
        rank(advice, query->rank);
    if (ok && advise_phases(advice, &query->costs, job, err))
        return advice;
    weft_advice_free(advice);
    return NULL;
}

double weft_advice_step_ns(const struct weft_advice *advice, size_t row, uint32_t step)
{
    const struct weft_advice_evaluation *evaluation = advice->evaluation;
    uint32_t number = evaluation->step_of[step];
    return number == WEFT_NONE ? 0
                               : evaluation->step_ns[number * evaluation->candidates.n
                                                     + advice->rows[row].number];
}

double weft_advice_imbalance(const struct weft_advice_row *row, uint64_t processors)
{
    return row->references
               ? (double)row->max_load * (double)processors / (double)row->references
               : 1;
}

bool weft_advice_of(const struct weft_advice_query *query,
                    const struct weft_distributions *distributions,
                    struct weft_advice_row *out, double *step_ns, struct weft_job *job,
                    struct weft_err *err)
{
    const struct weft_profile *profile = query->profile;
    uint64_t processors = weft_distributions_processors(distributions);
    struct weft_advice_query checked = *query;
    checked.processors = processors;
    if (!check(&checked, err))
        return false;
    uint32_t led = query->array == WEFT_NONE ? most_used(profile) : query->array;
    struct weft_advice_evaluation *evaluation =
        begin_evaluation(profile, led, distributions, job);
    struct advise_stepping stepping;
    struct advise_sums sums = { 0 };
    uint64_t *load = weft_zalloc(processors, sizeof *load);
    double *costs = weft_zalloc(evaluation->n_steps + 1, sizeof *costs);
    const struct weft_distribution *first = weft_distributions_of(distributions, led, 0);
    memset(out, 0, sizeof *out);
    if (first)
        out->distribution = *first;
    out->number = WEFT_NONE;
    bool ok = true;
    advise_stepping_begin(&stepping, evaluation, &query->costs, processors, job, NULL);
    for (size_t s = 0; s < evaluation->n_steps && ok; s++) {
        const struct count_step *step = &evaluation->steps[s];
        ok = weft_job_step(job, s, evaluation->n_steps, err);
        (void)advise_step(&stepping, step->step);
        double ns =
            advise_step_by(&stepping, distributions, step->step, step->times, load, &sums);
        out->estimated_ns += (double)step->times * ns;
        costs[s] = ns;
        ok = ok && array_work_end(&stepping.effort, err);
    }
    advise_stepping_end(&stepping);
    for (uint64_t p = 0; p < processors; p++)
        out->max_load = load[p] > out->max_load ? load[p] : out->max_load;
    out->references = sums.references;
    out->remote = sums.remote;
    out->messages = sums.messages;
    out->bytes = sums.bytes;
    for (uint32_t i = 0; step_ns && i < weft_profile_steps(profile); i++)
        step_ns[i] =
            evaluation->step_of[i] == WEFT_NONE ? 0 : costs[evaluation->step_of[i]];
    free(costs);
    free(load);
    free_evaluation(evaluation);
    return ok;
}
