/* SPDX-License-Identifier: Apache-2.0 */
/* Turns clock domains into the store's clocks. */
#include "read/recording/machines/machines.h"

#include <stdlib.h>
#include <string.h>

/* Collect the number of processors of each host by name, as weft record wrote it there. */
static void collect_processors(struct join *join, struct weft_text_map *processors)
{
    const struct recording *recording = join->recording;

    for (size_t i = 0; i < recording->n_folders; i++) {
        const char *facts = recording->all_facts[i];
        const char *name = recording_fact(&join->arena, facts, "host");
        const char *number = recording_fact(&join->arena, facts, "processors");
        if (name && number
            && weft_text_map_get(processors, name, strlen(name)) == WEFT_MAP_NONE)
            weft_text_map_put(processors, name, strlen(name),
                              (uint32_t)strtoul(number, NULL, 10));
    }
}

static void define_hosts(struct join *join)
{
    const struct recording *recording = join->recording;
    struct weft_text_map processors = { 0 };

    collect_processors(join, &processors);
    for (size_t i = 0; i < recording->n_hosts; i++) {
        const struct host *host = &recording->hosts[i];
        uint32_t n = weft_text_map_get(&processors, host->name, strlen(host->name));
        (void)weft_builder_host(
            join->builder,
            &(struct weft_host){ host->name, host->boot, n == WEFT_MAP_NONE ? 0 : n });
    }
    weft_text_map_free(&processors);
}

/* Returns a host of the domain; several may share one clock (containers of one machine). */
static uint32_t host_of(const struct recording *recording,
                        const struct clock_domain *domain)
{
    for (uint32_t i = 0; i < recording->n_hosts; i++)
        if (strcmp(recording->hosts[i].name, domain->host) == 0
            && strcmp(recording->hosts[i].boot, domain->boot) == 0)
            return i;
    return WEFT_NONE;
}

/* Add a knot at a corner or end of the correction, if both its times have grown. */
static void add_knot(struct weft_clock *clock, struct weft_clock_knot *knots,
                     const struct clock_domain *domain, uint64_t ticks)
{
    size_t piece = 0, n = clock->n_knots;
    struct weft_clock_knot knot = { (int64_t)ticks,
                                    clock_domain_ns(domain, ticks, &piece) };

    if (ticks > INT64_MAX
        || (n > 0
            && (knot.raw <= knots[n - 1].raw || knot.corrected <= knots[n - 1].corrected)))
        return;
    knots[n] = knot;
    clock->n_knots++;
}

static uint32_t define_clock(struct join *join, const struct clock_domain *domain)
{
    struct weft_clock_knot *knots = weft_zalloc(domain->n_pieces + 2, sizeof *knots);
    /* Another machine, not compared: the agreement on the time of day is unknown. */
    struct weft_clock clock = { .name = domain->clock == WEFT_CLOCK_TSC
                                            ? "time-stamp counter"
                                            : "CLOCK_MONOTONIC",
                                .host = host_of(join->recording, domain),
                                .knots = knots,
                                .error = domain->shift_ns != 0 ? -1 : domain->error_ns };
    uint32_t index;

    for (size_t i = 0; i < domain->n_pieces; i++)
        add_knot(&clock, knots, domain, domain->pieces[i].ticks);
    if (domain->n_related > 1)
        add_knot(&clock, knots, domain, domain->related[domain->n_related - 1].ticks);
    if (domain->n_samples > 0 && (domain->n_pieces > 0 || domain->shift_ns != 0))
        add_knot(&clock, knots, domain, domain->samples[domain->n_samples - 1].ticks);
    index = weft_builder_clock(join->builder, &clock);
    free(knots);
    return index;
}

void machines_define(struct join *join)
{
    const struct recording *recording = join->recording;

    define_hosts(join);
    join->clocks =
        weft_arena_zalloc(&join->arena, recording->n_domains + 1, sizeof *join->clocks);
    for (size_t i = 0; i < recording->n_domains; i++)
        join->clocks[i] = define_clock(join, &recording->domains[i]);
}
