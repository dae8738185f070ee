/* SPDX-License-Identifier: Apache-2.0 */
/* Fits lines to samples of clocks. */
#include "read/recording/machines/clocks.h"

#include <stdlib.h>
#include <string.h>

#include "base/binary_search.h"
#include "base/compare.h"
#include "base/memory.h"

/* Times from damaged files are limited so that the sum of two cannot overflow. */
#define MAX_NS (INT64_C(1) << 61)
/*
 * Closer samples get no line of their own: clocks are read to about 50 ns, which over 100
 * ms changes a rate by at most half a millionth.
 */
#define MIN_DISTANCE_NS INT64_C(100000000)

static int64_t clamp(__int128 time)
{
    return (int64_t)(time > MAX_NS ? MAX_NS : time < -MAX_NS ? -MAX_NS : time);
}

void clock_domain_add(struct clock_domain *domain, const struct weft_clock_sample *sample)
{
    if (sample->ticks == 0 || sample->monotonic_ns < 0 || sample->monotonic_ns > MAX_NS
        || sample->realtime_ns < 0 || sample->realtime_ns > 2 * MAX_NS)
        return;
    domain->samples = weft_grow(domain->samples, &domain->samples_capacity,
                                domain->n_samples + 1, sizeof *sample);
    domain->samples[domain->n_samples++] = *sample;
}

static int compare(const void *a, const void *b)
{
    const struct weft_clock_sample *x = a, *y = b;

    return WEFT_COMPARE(x->ticks, y->ticks);
}

/* Draw the line from KNOT to the sample TO. */
static void draw(struct clock_piece *knot, const struct weft_clock_sample *to)
{
    unsigned __int128 ns = (unsigned __int128)(to->monotonic_ns - knot->ns);
    uint64_t ticks = to->ticks - knot->ticks;

    knot->whole = (uint64_t)(ns / ticks);
    knot->fraction = (uint64_t)(((ns % ticks) << 64) / ticks);
}

static void add_piece(struct clock_domain *domain, const struct weft_clock_sample *from)
{
    domain->pieces[domain->n_pieces++] =
        (struct clock_piece){ from->ticks, from->monotonic_ns, 1, 0, 0 };
}

/* Draw lines through samples far enough apart, and through the first and the last. */
static void draw_all(struct clock_domain *domain)
{
    const struct weft_clock_sample *samples = domain->samples;
    const struct weft_clock_sample *last = &samples[domain->n_samples - 1];

    add_piece(domain, &samples[0]);
    for (size_t i = 1; i < domain->n_samples; i++) {
        struct clock_piece *knot = &domain->pieces[domain->n_pieces - 1];
        const struct weft_clock_sample *sample = &samples[i];
        bool forward = sample->ticks > knot->ticks && sample->monotonic_ns >= knot->ns;
        bool far = sample->monotonic_ns - knot->ns >= MIN_DISTANCE_NS
                   && last->monotonic_ns - sample->monotonic_ns >= MIN_DISTANCE_NS;
        if (!forward || (!far && sample != last))
            continue;
        draw(knot, sample);
        if (sample != last)
            add_piece(domain, sample);
    }
}

/* Returns true if TICKS is in the piece AT; ticks before the first piece belong to it. */
static bool lies_in(const struct clock_domain *domain, size_t at, uint64_t ticks)
{
    const struct clock_piece *pieces = domain->pieces;

    return at < domain->n_pieces && (at == 0 || pieces[at].ticks <= ticks)
           && (at + 1 == domain->n_pieces || pieces[at + 1].ticks > ticks);
}

/* Returns the piece of TICKS: AT, or the next, else by binary search, as after damage. */
static size_t find_piece(const struct clock_domain *domain, size_t at, uint64_t ticks)
{
    if (lies_in(domain, at, ticks))
        return at;
    if (lies_in(domain, at + 1, ticks))
        return at + 1;
    return WEFT_LAST(i, 0, domain->n_pieces, domain->pieces[i].ticks <= ticks);
}

static int64_t unshifted_ns(const struct clock_domain *domain, uint64_t ticks,
                            size_t *piece)
{
    const struct clock_piece *pieces = domain->pieces;
    __int128 since, most = (__int128)1 << 62;

    if (domain->n_pieces == 0)
        return clamp(ticks);
    *piece = find_piece(domain, *piece, ticks);
    pieces += *piece;
    since = (__int128)ticks - pieces->ticks;
    since = since > most ? most : since < -most ? -most : since;
    return clamp(pieces->ns + since * (__int128)pieces->whole
                 + ((since * (__int128)pieces->fraction + ((__int128)1 << 63)) >> 64));
}

/*
 * Set the lengths within which the fast way cannot overflow: plausible times, ticks of at
 * most a millisecond, and at most 2^40 ticks (six minutes at 3 GHz).
 */
static void find_lengths(struct clock_domain *domain)
{
    for (size_t i = 0; i < domain->n_pieces; i++) {
        struct clock_piece *piece = &domain->pieces[i];
        uint64_t most = UINT64_C(1) << 40;
        uint64_t until =
            i + 1 < domain->n_pieces ? piece[1].ticks - piece->ticks : UINT64_MAX;
        if (piece->whole < 1000000 && piece->ns < MAX_NS / 2)
            piece->length = until < most ? until : most;
    }
}

/* Set the error: fit error at the samples off the lines, and the samples' own error. */
static void measure(struct clock_domain *domain)
{
    size_t piece = 0;

    for (size_t i = 0; i < domain->n_samples; i++) {
        const struct weft_clock_sample *sample = &domain->samples[i];
        uint64_t ticks = sample->ticks;
        int64_t at = unshifted_ns(domain, ticks, &piece);
        /* Billions of ticks are damage, not the error of a reading. */
        uint64_t wide_ticks = sample->error_ticks & UINT32_MAX;
        __int128 wide = (__int128)unshifted_ns(domain, ticks + wide_ticks, &piece) - at;
        __int128 off = (__int128)at - sample->monotonic_ns;
        int64_t error = clamp((off < 0 ? -off : off) + (wide < 0 ? 0 : wide));
        if (error > domain->error_ns)
            domain->error_ns = error;
    }
}

void clock_domain_fit(struct clock_domain *domain)
{
    const struct weft_clock_sample *first, *last;

    if (domain->n_samples == 0)
        return;
    qsort(domain->samples, domain->n_samples, sizeof *domain->samples, compare);
    first = &domain->samples[0];
    last = &domain->samples[domain->n_samples - 1];
    domain->set_ns = (last->realtime_ns - last->monotonic_ns)
                     - (first->realtime_ns - first->monotonic_ns);
    if (domain->clock != WEFT_CLOCK_TSC)
        return;
    domain->pieces = weft_zalloc(domain->n_samples, sizeof *domain->pieces);
    draw_all(domain);
    find_lengths(domain);
    measure(domain);
}

void clock_domain_align(struct clock_domain *domain, const struct clock_domain *first)
{
    const struct weft_clock_sample *a = domain->samples, *b = first->samples;

    if (domain->n_samples > 0 && first->n_samples > 0)
        domain->shift_ns = clamp((__int128)a->realtime_ns - a->monotonic_ns - b->realtime_ns
                                 + b->monotonic_ns);
}

int64_t clock_domain_ns(const struct clock_domain *domain, uint64_t ticks, size_t *piece)
{
    const struct clock_piece *at =
        *piece < domain->n_pieces ? &domain->pieces[*piece] : NULL;
    uint64_t since;
    int64_t ns;

    if (!at || ticks < at->ticks || ticks - at->ticks >= at->length)
        return clamp((__int128)unshifted_ns(domain, ticks, piece) + domain->shift_ns);
    /* The same in 64 bits: less than 2^60 + 2^60 + 2^61. */
    since = ticks - at->ticks;
    ns = at->ns + (int64_t)(since * at->whole) + domain->shift_ns;
    ns += (int64_t)(((unsigned __int128)since * at->fraction + (UINT64_C(1) << 63)) >> 64);
    return ns > MAX_NS ? MAX_NS : ns;
}

/* Returns the comparison at which the line of a time begins; or the only comparison. */
static const struct clock_comparison *line_at(const struct clock_domain *domain, int64_t ns)
{
    size_t n = domain->n_related > 1 ? domain->n_related - 1 : 1;

    return &domain->related[WEFT_LAST(i, 0, n, domain->related[i].ns <= ns)];
}

/* Convert a time of the domain's own clock to the clock that it is related to. */
static int64_t relate(const struct clock_domain *domain, int64_t ns)
{
    const struct clock_comparison *at;
    __int128 since;

    if (domain->n_related == 0)
        return ns;
    at = line_at(domain, ns);
    since = (__int128)ns - at->ns;
    if (domain->n_related > 1)
        since = since * ((__int128)at[1].other_ns - at->other_ns) / (at[1].ns - at->ns);
    return clamp(at->other_ns + since);
}

int64_t clock_domain_of_monotonic(const struct clock_domain *domain, int64_t ns)
{
    return clamp((__int128)relate(domain, ns) + domain->shift_ns);
}

/*
 * List the ticks where lines of the related clock begin: corners of the own lines, and of
 * the comparisons.  TICKS has room for all; returns their number, without duplicates.
 */
static size_t list_corners(const struct clock_domain *domain, uint64_t *ticks)
{
    size_t n = 0, own = 0, compared = 1;

    if (domain->n_pieces == 0)
        ticks[n++] = domain->related[0].ticks;
    while (own < domain->n_pieces || compared + 1 < domain->n_related) {
        uint64_t a = own < domain->n_pieces ? domain->pieces[own].ticks : UINT64_MAX;
        uint64_t b =
            compared + 1 < domain->n_related ? domain->related[compared].ticks : UINT64_MAX;
        uint64_t next = a < b ? a : b;
        own += own < domain->n_pieces && a == next;
        compared += compared + 1 < domain->n_related && b == next;
        if (n == 0 || next > ticks[n - 1])
            ticks[n++] = next;
    }
    return n;
}

/* Draw the lines of the related clock. */
static void redraw(struct clock_domain *domain)
{
    uint64_t *corners =
        weft_alloc((domain->n_pieces + domain->n_related + 1) * sizeof *corners);
    size_t n = list_corners(domain, corners), piece = 0;
    struct clock_piece *pieces = weft_zalloc(n, sizeof *pieces);

    for (size_t i = 0; i < n; i++) {
        /* The rate over a second of ticks, or up to the next corner. */
        uint64_t from = corners[i];
        uint64_t to = i + 1 < n ? corners[i + 1] : from + UINT64_C(1000000000);
        int64_t begin = relate(domain, unshifted_ns(domain, from, &piece));
        int64_t end = relate(domain, unshifted_ns(domain, to, &piece));
        struct weft_clock_sample sample = { .ticks = to, .monotonic_ns = end };
        pieces[i] = (struct clock_piece){ .ticks = from, .ns = begin };
        if (domain->n_pieces == 0)
            pieces[i].whole = 1;
        if (end > begin)
            draw(&pieces[i], &sample);
    }
    free(corners);
    free(domain->pieces);
    domain->pieces = pieces;
    domain->n_pieces = n;
    find_lengths(domain);
}

/*
 * Returns true if a line may join two comparisons.  Close ones tell nothing about drift,
 * and a drift above a thousandth is no clock's.
 */
static bool may_join(const struct clock_comparison *from, const struct clock_comparison *to)
{
    __int128 length = (__int128)to->ns - from->ns;
    __int128 apart = (__int128)to->other_ns - from->other_ns - length;

    return length >= MIN_DISTANCE_NS && apart * 1000 < length && -apart * 1000 < length;
}

/* Choose the corners: the first comparison, the last if possible, and others between. */
static void choose_corners(struct clock_domain *domain,
                           const struct clock_comparison *comparisons, size_t n)
{
    const struct clock_comparison *last = &comparisons[n - 1];
    struct clock_comparison *chosen = weft_alloc(n * sizeof *chosen);
    size_t n_chosen = 1;

    chosen[0] = comparisons[0];
    if (may_join(&comparisons[0], last)) {
        for (size_t i = 1; i + 1 < n; i++)
            if (may_join(&chosen[n_chosen - 1], &comparisons[i])
                && may_join(&comparisons[i], last))
                chosen[n_chosen++] = comparisons[i];
        chosen[n_chosen++] = *last;
    }
    free(domain->related);
    domain->related = chosen;
    domain->n_related = n_chosen;
}

/* Returns the largest error: of the comparisons themselves, and of those off the lines. */
static int64_t largest_error(const struct clock_domain *domain,
                             const struct clock_comparison *comparisons, size_t n)
{
    int64_t largest = 0;

    for (size_t i = 0; i < n; i++) {
        const struct clock_comparison *at = &comparisons[i];
        __int128 off = (__int128)relate(domain, at->ns) - at->other_ns;
        __int128 error = (off < 0 ? -off : off) + at->error_ns;
        /*
         * A comparison that no line may join is no reading of a clock, unless it is too
         * close.
         */
        if (i > 0 && at->ns - comparisons[0].ns >= MIN_DISTANCE_NS
            && !may_join(&comparisons[0], at))
            error = at->error_ns;
        if (error > largest)
            largest = clamp(error);
    }
    return largest;
}

void clock_domain_relate(struct clock_domain *domain,
                         const struct clock_comparison *comparisons, size_t n,
                         int64_t other_error_ns)
{
    struct clock_comparison *own;
    size_t piece = 0;

    if (n == 0)
        return;
    own = weft_alloc(n * sizeof *own);
    memcpy(own, comparisons, n * sizeof *own);
    for (size_t i = 0; i < n; i++)
        own[i].ns = unshifted_ns(domain, own[i].ticks, &piece);
    choose_corners(domain, own, n);
    domain->error_ns =
        clamp((__int128)domain->error_ns + largest_error(domain, own, n) + other_error_ns);
    domain->shift_ns = 0;
    redraw(domain);
    free(own);
}

void clock_domain_free(struct clock_domain *domain)
{
    free(domain->host);
    free(domain->boot);
    free(domain->samples);
    free(domain->pieces);
    free(domain->related);
}
