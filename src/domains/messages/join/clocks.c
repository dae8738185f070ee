/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Relates the clocks of hosts by the comparisons with rank 0's clock that ranks recorded.
 */
#include <stdlib.h>

#include "base/compare.h"
#include "domains/messages/join/mpi_join.h"

struct clock_note { /* a comparison with rank 0's clock, or the rank 0 of a run */
    uint64_t run;   /* identity */
    uint32_t domain;
    bool is_rank_0;
    uint64_t ticks, other_ticks, error_ticks;
};

struct comparisons {
    struct clock_note *notes;
    size_t n, capacity;
    struct weft_id_map references; /* clock domain of the first rank 0, by run */
    uint64_t run;                  /* of the process that STREAM is from */
    const struct stream *stream;
};

void mpi_compare_clocks(struct recording *recording, const struct stream *stream,
                        const struct record *record)
{
    struct comparisons *all = recording->comparisons;
    struct clock_note note = { .domain = recording->images[stream->image].domain };

    if (!all)
        all = recording->comparisons = weft_zalloc(1, sizeof *all);
    if (record->kind == WEFT_RECORD_MPI_RANK) {
        all->run = record->words[1];
        all->stream = stream;
        note.is_rank_0 = record->words[0] >> 32 == 0;
        if (!note.is_rank_0)
            return;
        if (weft_id_map_get(&all->references, all->run) == WEFT_MAP_NONE)
            weft_id_map_put(&all->references, all->run, note.domain);
    } else {
        if (all->stream != stream) /* its record of the rank was lost */
            return;
        note.ticks = record->words[0];
        note.other_ticks = record->words[1];
        note.error_ticks = record->words[2];
    }
    note.run = all->run;
    all->notes = weft_grow(all->notes, &all->capacity, all->n + 1, sizeof *all->notes);
    all->notes[all->n++] = note;
}

/* Returns the clock domain of the run's rank 0, or WEFT_NONE. */
static uint32_t reference_of(const struct comparisons *all, uint64_t run)
{
    return weft_id_map_get(&all->references, run); /* WEFT_MAP_NONE is WEFT_NONE */
}

static int by_ticks(const void *a, const void *b)
{
    const struct clock_comparison *x = a, *y = b;

    return WEFT_COMPARE(x->ticks, y->ticks);
}

/* Relate a clock domain to the reference by its comparisons. */
static void relate(struct recording *recording, const struct comparisons *all,
                   uint32_t domain, uint32_t reference)
{
    struct clock_domain *own = &recording->domains[domain];
    const struct clock_domain *other = &recording->domains[reference];
    struct clock_comparison *found = weft_zalloc(all->n + 1, sizeof *found);
    size_t n = 0, piece = 0, other_piece = 0;

    for (size_t i = 0; i < all->n; i++) {
        const struct clock_note *note = &all->notes[i];
        if (note->is_rank_0 || note->domain != domain
            || reference_of(all, note->run) != reference)
            continue;
        found[n++] = (struct clock_comparison){
            .ticks = note->ticks,
            .other_ns = clock_domain_ns(other, note->other_ticks, &other_piece),
            .error_ns = clock_domain_ns(own, note->ticks + note->error_ticks, &piece)
                        - clock_domain_ns(own, note->ticks, &piece),
        };
    }
    qsort(found, n, sizeof *found, by_ticks);
    clock_domain_relate(own, found, n, other->error_ns);
    free(found);
}

void mpi_relate_clocks(struct recording *recording)
{
    struct comparisons *all = recording->comparisons;
    uint32_t reference = WEFT_NONE;

    /*
     * One reference for all: a run whose rank 0 was on another host keeps the time of day.
     */
    for (size_t i = 0; all && i < all->n && reference == WEFT_NONE; i++)
        if (!all->notes[i].is_rank_0)
            reference = reference_of(all, all->notes[i].run);
    for (uint32_t i = 0; reference != WEFT_NONE && i < recording->n_domains; i++)
        if (i != reference)
            relate(recording, all, i, reference);
    if (all) {
        weft_id_map_free(&all->references);
        free(all->notes);
    }
    free(all);
    recording->comparisons = NULL;
}
