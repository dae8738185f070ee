/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The runs of MPI: which process is which rank of which run, and which groups of different
 * runs met.  A meeting is a spawn, or a connect and an accept: a process knows only how
 * many processes the other group has, not which ones.  That follows from the records of
 * both groups, and is needed for the first message, so it is found out before the join
 * begins.
 *
 * A group of n that spawned or connected to m others met a group of m that was spawned by,
 * or accepted, n others.  If several fit, the nearest in time is taken, since no group goes
 * on before both have met.
 */
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/hash.h"
#include "base/hash_map.h"
#include "domains/messages/join/mpi_join.h"

struct rank {
    uint32_t process, rank, size;
    uint64_t identity;
    int64_t time;
};

/* One member's record of a meeting. */
struct meeting {
    uint32_t process;
    bool answers, by_port;
    int64_t time;
    uint64_t *runs; /* its own group: runs (weft_mpi_run) of ranks in its MPI_COMM_WORLD */
    uint32_t n_runs, n_own, n_others;
    uint64_t order;   /* position among the meetings read */
    uint32_t partner; /* the meeting of the other group's first member; WEFT_NONE */
    bool first;       /* the process is the first member of its group */
};

struct mpi_scanned {
    struct rank *ranks;
    size_t n_ranks, ranks_capacity;
    struct meeting *meetings;
    size_t n_meetings, meetings_capacity;
    struct meeting now; /* the meeting whose records are being read */
    size_t runs_capacity;
    bool known; /* both groups' members are known, or the own group's are not: no meeting */
};

/* ---- Reading ---- */

static void scan_rank(struct mpi_scanned *all, uint32_t process,
                      const struct record *record, int64_t time)
{
    struct rank rank = { .process = process,
                         .rank = (uint32_t)(record->words[0] >> 32),
                         .size = (uint32_t)record->words[0],
                         .identity = record->words[1],
                         .time = time };

    if (rank.rank >= rank.size || rank.size > MPI_SIZE_MAX)
        return; /* damage */
    all->ranks =
        weft_grow(all->ranks, &all->ranks_capacity, all->n_ranks + 1, sizeof *all->ranks);
    all->ranks[all->n_ranks++] = rank;
}

static void add_run(struct mpi_scanned *all, uint64_t run, bool other)
{
    struct meeting *now = &all->now;
    uint32_t count = weft_mpi_run_count(run);
    bool stranger = weft_mpi_run_first(run) == WEFT_MPI_NOT_IN_WORLD;

    if (other) {
        all->known |= !stranger;
        now->n_others += count <= MPI_SIZE_MAX ? count : 0;
        return;
    }
    all->known |= stranger; /* the own group is not known */
    now->runs =
        weft_grow(now->runs, &all->runs_capacity, now->n_runs + 1u, sizeof *now->runs);
    now->runs[now->n_runs++] = run;
    now->n_own += count <= MPI_SIZE_MAX ? count : 0;
}

static void scan_communicator(struct mpi_scanned *all, uint32_t process,
                              const struct record *record, int64_t time)
{
    uint32_t flags = (uint32_t)record->words[2];
    struct meeting *now = &all->now;

    if (!(flags & (WEFT_MPI_ASKED | WEFT_MPI_ANSWERED)))
        return;
    all->known |= (flags & WEFT_MPI_OF_OLD) != 0;
    for (uint32_t i = 3; i < record->n_words; i++)
        add_run(all, record->words[i], (flags & WEFT_MPI_OTHER) != 0);
    if (flags & WEFT_MPI_MORE)
        return;
    now->process = process;
    now->answers = (flags & WEFT_MPI_ANSWERED) != 0;
    now->by_port = (flags & WEFT_MPI_BY_PORT) != 0;
    now->time = time;
    now->order = all->n_meetings;
    now->partner = WEFT_NONE;
    if (!all->known && now->n_own > 0 && now->n_others > 0) {
        all->meetings = weft_grow(all->meetings, &all->meetings_capacity,
                                  all->n_meetings + 1, sizeof *all->meetings);
        all->meetings[all->n_meetings++] = *now;
    } else {
        free(now->runs);
    }
    *now = (struct meeting){ 0 };
    all->runs_capacity = 0;
    all->known = false;
}

void mpi_scan_worlds(struct recording *recording, const struct stream *stream,
                     const struct record *record)
{
    struct mpi_scanned *all = recording->worlds;
    const struct image *image = &recording->images[stream->image];
    size_t piece = 0;
    int64_t time =
        clock_domain_ns(&recording->domains[image->domain], record->ticks, &piece);

    if (!all)
        all = recording->worlds = weft_zalloc(1, sizeof *all);
    if (record->kind == WEFT_RECORD_MPI_RANK)
        scan_rank(all, image->process, record, time);
    else
        scan_communicator(all, image->process, record, time);
}

/* ---- Ranks ---- */

static int earlier_rank(const void *a, const void *b)
{
    const struct rank *x = a, *y = b;

    return WEFT_COMPARE(x->time, y->time) ?: WEFT_COMPARE(x->process, y->process);
}

/*
 * The parent that started a rank.  All ranks of a run on one machine have one parent, the
 * launcher.
 */
struct launch {
    uint32_t host, parent, size, unused;
};

static struct launch launch_of(const struct recording *recording, const struct rank *rank)
{
    const struct process *process = &recording->processes[rank->process];
    const struct image *image = &recording->images[process->first_image];

    return (struct launch){ image->host, image->header.parent_pid, rank->size, 0 };
}

/*
 * Some launchers give a run no name.  Such ranks get their launcher as the run's identity
 * if it started exactly as many ranks as the run has.  Other ranks without a name are
 * grouped by mpi_find_world in order of time.
 */
static void name_launches(const struct recording *recording, struct mpi_scanned *all)
{
    struct weft_text_map started = { 0 };

    for (size_t i = 0; i < all->n_ranks; i++) {
        struct launch by = launch_of(recording, &all->ranks[i]);
        uint32_t n = weft_text_map_get(&started, &by, sizeof by);
        weft_text_map_put(&started, &by, sizeof by, n == WEFT_MAP_NONE ? 1 : n + 1);
    }
    for (size_t i = 0; i < all->n_ranks; i++) {
        struct rank *rank = &all->ranks[i];
        struct launch by = launch_of(recording, rank);
        if (rank->identity == 0
            && weft_text_map_get(&started, &by, sizeof by) == rank->size)
            rank->identity = (uint64_t)(by.host + 1) << 32 | by.parent;
    }
    weft_text_map_free(&started);
}

static void assign_ranks(struct mpi_join *mpi, struct mpi_scanned *all)
{
    name_launches(mpi->join->recording, all);
    if (all->n_ranks > 0)
        qsort(all->ranks, all->n_ranks, sizeof *all->ranks, earlier_rank);
    for (size_t i = 0; i < all->n_ranks; i++) {
        const struct rank *rank = &all->ranks[i];
        struct mpi_process *process = &mpi->processes[rank->process];
        if (process->processor != WEFT_NONE)
            continue; /* a program that it executed later became a rank, too */
        uint32_t world = mpi_find_world(mpi, rank->identity, rank->rank, rank->size);
        if (world == WEFT_NONE)
            continue;
        process->world = world;
        process->processor = mpi->worlds[process->world].first + rank->rank;
        mpi->process_of[process->processor] = rank->process;
    }
}

/* ---- Meetings ---- */

static int by_process(const void *a, const void *b)
{
    const struct meeting *x = a, *y = b;

    return WEFT_COMPARE(x->process, y->process) ?: WEFT_COMPARE(x->time, y->time)
           ?: WEFT_COMPARE(x->order, y->order);
}

static uint64_t distance(int64_t a, int64_t b)
{
    return a < b ? (uint64_t)b - (uint64_t)a : (uint64_t)a - (uint64_t)b;
}

static bool fits(const struct meeting *asks, const struct meeting *answers)
{
    return asks->first && answers->first && !asks->answers && answers->answers
           && asks->partner == WEFT_NONE && asks->by_port == answers->by_port
           && asks->n_own == answers->n_others && asks->n_others == answers->n_own;
}

/* Pair the meetings of the first members of groups. */
static void pair_meetings(struct mpi_join *mpi, struct mpi_scanned *all)
{
    for (uint32_t i = 0; i < all->n_meetings; i++) {
        struct meeting *answers = &all->meetings[i];
        uint32_t best = WEFT_NONE;
        for (uint32_t k = 0; answers->first && answers->answers && k < all->n_meetings
                             && join_may_look(mpi->join);
             k++) {
            const struct meeting *asks = &all->meetings[k];
            if (fits(asks, answers)
                && (best == WEFT_NONE
                    || distance(asks->time, answers->time)
                           < distance(all->meetings[best].time, answers->time)))
                best = k;
        }
        if (best == WEFT_NONE)
            continue;
        answers->partner = best;
        all->meetings[best].partner = i;
    }
}

/* Equal for all members of a group that record the same meeting: it is their Nth one. */
struct meeting_key {
    uint64_t runs; /* hash of the group */
    uint32_t world, kind, process, n;
};

/* COUNTS holds, for each process, how many meetings with an equal key it had so far. */
static struct meeting_key key_of(const struct mpi_join *mpi, struct weft_text_map *counts,
                                 const struct meeting *meeting)
{
    static const struct meeting_key none; /* all bytes are hashed: no padding may differ */
    struct meeting_key key = none;
    uint32_t n;

    key.runs = weft_hash(meeting->runs, meeting->n_runs * sizeof *meeting->runs);
    key.world = mpi->processes[meeting->process].world;
    key.kind = (uint32_t)meeting->answers << 1 | (uint32_t)meeting->by_port;
    key.process = meeting->process;
    n = weft_text_map_get(counts, &key, sizeof key);
    n = n == WEFT_MAP_NONE ? 0 : n + 1;
    weft_text_map_put(counts, &key, sizeof key, n);
    key.n = n;
    key.process = 0;
    return key;
}

/* Give all members of a group the partner that its first member has. */
static void share_partners(const struct mpi_join *mpi, struct mpi_scanned *all)
{
    struct weft_text_map firsts = { 0 }, counts = { 0 }, again = { 0 };

    for (uint32_t i = 0; i < all->n_meetings; i++) {
        struct meeting_key key = key_of(mpi, &counts, &all->meetings[i]);
        if (all->meetings[i].first)
            weft_text_map_put(&firsts, &key, sizeof key, i);
    }
    for (uint32_t i = 0; i < all->n_meetings; i++) {
        struct meeting_key key = key_of(mpi, &again, &all->meetings[i]);
        uint32_t first = weft_text_map_get(&firsts, &key, sizeof key);
        if (first != WEFT_MAP_NONE)
            all->meetings[i].partner = all->meetings[first].partner;
    }
    weft_text_map_free(&firsts);
    weft_text_map_free(&counts);
    weft_text_map_free(&again);
}

void mpi_make_worlds(struct mpi_join *mpi)
{
    struct mpi_scanned *all = mpi->join->recording->worlds;

    mpi->scanned = all;
    mpi->join->recording->worlds = NULL;
    if (!all)
        return;
    assign_ranks(mpi, all);
    if (all->n_meetings == 0)
        return;
    qsort(all->meetings, all->n_meetings, sizeof *all->meetings, by_process);
    for (uint32_t i = 0; i < all->n_meetings; i++) {
        struct meeting *meeting = &all->meetings[i];
        struct mpi_process *process = &mpi->processes[meeting->process];
        if (process->n_meetings++ == 0)
            process->meetings = i;
        meeting->first = process->processor != WEFT_NONE
                         && process->processor
                                == mpi->worlds[process->world].first
                                       + weft_mpi_run_first(meeting->runs[0]);
    }
    pair_meetings(mpi, all);
    share_partners(mpi, all);
}

bool mpi_meet(struct mpi_join *mpi, uint32_t process, uint32_t *members, uint32_t n)
{
    struct mpi_process *by = &mpi->processes[process];
    const struct meeting *other;
    const struct mpi_world *world;
    uint32_t partner, at = 0;

    if (by->n_meetings == 0)
        return false;
    by->n_meetings--;
    partner = mpi->scanned->meetings[by->meetings++].partner;
    if (partner == WEFT_NONE || mpi->scanned->meetings[partner].n_own != n)
        return false;
    other = &mpi->scanned->meetings[partner];
    world = &mpi->worlds[mpi->processes[other->process].world];
    for (uint32_t i = 0; i < other->n_runs; i++) {
        int64_t rank = weft_mpi_run_first(other->runs[i]);
        for (uint32_t k = weft_mpi_run_count(other->runs[i]); k > 0 && at < n; k--) {
            members[at++] =
                rank >= 0 && rank < world->size ? world->first + (uint32_t)rank : WEFT_NONE;
            rank += weft_mpi_run_step(other->runs[i]);
        }
    }
    return true;
}

void mpi_free_worlds(struct mpi_join *mpi)
{
    struct mpi_scanned *all = mpi->scanned;

    for (size_t i = 0; all && i < all->n_meetings; i++)
        free(all->meetings[i].runs);
    if (all) {
        free(all->meetings);
        free(all->ranks);
        free(all->now.runs);
    }
    free(all);
    mpi->scanned = NULL;
}
