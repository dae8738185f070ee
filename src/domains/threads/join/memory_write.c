/* SPDX-License-Identifier: Apache-2.0 */
/* Writes what a store has of memory: types, curves, and an event for each use. */
#include <stdlib.h>

#include "domains/threads/join/memory_join.h"
#include "read/recording/join/process_containers.h"

static const struct {
    const char *value, *variable;
    enum weft_role value_role, variable_role;
} kinds[MEMORY_KINDS] = {
    [MEMORY_HEAP] = { "heap", "Heap [bytes]", WEFT_ROLE_HEAP, WEFT_ROLE_LIVE_BYTES },
    [MEMORY_MAPPED] = { "mapped memory", "Mapped memory [bytes]", WEFT_ROLE_MAPPED_MEMORY,
                        WEFT_ROLE_MAPPED_BYTES },
    [MEMORY_FILE] = { "mapped file", "Mapped files [bytes]", WEFT_ROLE_MAPPED_FILE,
                      WEFT_ROLE_MAPPED_FILE_BYTES },
};

static uint32_t integer(struct join *join, uint32_t type, const char *name,
                        enum weft_role role)
{
    return join_field(join, type, name, WEFT_FIELD_INTEGER, role);
}

void memory_define_types(struct memory_join *memory)
{
    struct join *join = memory->join;
    struct memory_types *types = &memory->types;
    uint32_t event = join_type(join, WEFT_EVENT, join->process_type, "Allocations",
                               WEFT_ROLE_ALLOCATION);

    types->event = event;
    for (int kind = 0; kind < MEMORY_KINDS; kind++) {
        types->live[kind] = join_type(join, WEFT_VARIABLE, join->process_type,
                                      kinds[kind].variable, kinds[kind].variable_role);
        types->values[kind] =
            join_value_with_role(join, event, kinds[kind].value, kinds[kind].value_role);
    }
    types->site = join_field(join, event, "site", WEFT_FIELD_SITE, WEFT_ROLE_SITE);
    types->thread = join_field(join, event, "thread", WEFT_FIELD_CONTAINER,
                               WEFT_ROLE_ALLOCATING_THREAD);
    types->program = join_field(join, event, "program", WEFT_FIELD_TEXT, WEFT_ROLE_PROGRAM);
    types->image = integer(join, event, "number of the program", WEFT_ROLE_NUMBER);
    types->allocations = integer(join, event, "allocations", WEFT_ROLE_ALLOCATIONS);
    types->frees = integer(join, event, "frees", WEFT_ROLE_FREES);
    types->elsewhere =
        integer(join, event, "freed by other threads", WEFT_ROLE_FREES_ELSEWHERE);
    types->refusals = integer(join, event, "refused", WEFT_ROLE_REFUSALS);
    types->bytes = integer(join, event, "bytes", WEFT_ROLE_BYTES);
    types->largest = integer(join, event, "largest", WEFT_ROLE_LARGEST);
    types->at_end = integer(join, event, "live at the end", WEFT_ROLE_LIVE_AT_END);
    types->at_peak = integer(join, event, "live at the peak", WEFT_ROLE_LIVE_AT_PEAK);
    types->time = integer(join, event, "time in the allocator", WEFT_ROLE_ALLOCATOR_TIME);
    types->longest = integer(join, event, "longest call", WEFT_ROLE_LONGEST_CALL);
}

/* Returns VALUE as a number that a field holds. */
static int64_t clamped(uint64_t value)
{
    return value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

/* Returns how long TICKS of the image's clock are, in ns. */
static int64_t duration(const struct memory_join *memory, uint32_t image, uint64_t ticks)
{
    const struct recording *recording = memory->join->recording;
    uint64_t from = memory->images[image].first_ticks;

    if (ticks > UINT64_MAX - from)
        return INT64_MAX;
    return recording_ns(recording, image, from + ticks)
           - recording_ns(recording, image, from);
}

/* Returns the bytes of a use when its image had most. */
static uint64_t at_peak(const struct memory_join *memory, const struct use *use)
{
    return use->peaks == memory->images[use->image].totals[use->kind].peaks ? use->at_peak
                                                                            : use->live;
}

static void write_use(const struct memory_join *memory, const struct use *use)
{
    const struct memory_types *types = &memory->types;
    struct join *join = memory->join;
    const struct image *image = &join->recording->images[use->image];
    const struct join_process *process = &join->processes[image->process];
    uint32_t first = join->recording->processes[image->process].first_image;
    const char *program = lifecycle_program_name(image);
    struct weft_field_value fields[] = {
        { types->program, { .index = join_text(join, program) } },
        { types->image, { .integer = use->image - first } },
        { types->allocations, { .integer = clamped(use->allocations) } },
        { types->frees, { .integer = clamped(use->frees) } },
        { types->elsewhere, { .integer = clamped(use->frees_elsewhere) } },
        { types->refusals, { .integer = clamped(use->refusals) } },
        { types->bytes, { .integer = clamped(use->bytes) } },
        { types->largest, { .integer = clamped(use->largest) } },
        { types->at_end, { .integer = clamped(use->live) } },
        { types->at_peak, { .integer = clamped(at_peak(memory, use)) } },
        { types->time, { .integer = duration(memory, use->image, use->ticks) } },
        { types->longest, { .integer = duration(memory, use->image, use->longest) } },
        { 0 },
        { 0 },
    };
    size_t n = sizeof fields / sizeof *fields - 2;

    if (use->site != 0)
        fields[n++] = join_site_field(join, types->site, use->image, use->site);
    if (use->thread != WEFT_NONE)
        fields[n++] = (struct weft_field_value){ types->thread, { .index = use->thread } };
    (void)weft_builder_event(
        join->builder, weft_builder_track(join->builder, process->container, types->event),
        memory->images[use->image].last, types->values[use->kind], fields, n, NULL);
}

static void write_image(const struct memory_join *memory, uint32_t index)
{
    struct join *join = memory->join;
    uint32_t process = join->recording->images[index].process;
    uint32_t container = join->processes[process].container;
    const struct total *totals = memory->images[index].totals;

    for (int kind = 0; kind < MEMORY_KINDS; kind++)
        if (totals[kind].curve.n > 0)
            curve_write(
                &totals[kind].curve, join->builder,
                weft_builder_track(join->builder, container, memory->types.live[kind]));
}

/* Returns the uses in order of their images: [n_uses], to be freed. */
static uint32_t *sort_uses(const struct memory_join *memory)
{
    size_t *begins = weft_zalloc(memory->n_images + 1, sizeof *begins);
    uint32_t *sorted = weft_zalloc(memory->n_uses + 1, sizeof *sorted);

    for (size_t i = 0; i < memory->n_uses; i++)
        begins[memory->uses[i].image + 1]++;
    for (size_t i = 0; i < memory->n_images; i++)
        begins[i + 1] += begins[i];
    for (size_t i = 0; i < memory->n_uses; i++)
        sorted[begins[memory->uses[i].image]++] = (uint32_t)i;
    free(begins);
    return sorted;
}

void memory_write(struct memory_join *memory)
{
    uint32_t *sorted = sort_uses(memory);

    for (uint32_t i = 0; i < memory->n_images; i++)
        if (memory->images[i].seen)
            write_image(memory, i);
    for (size_t i = 0; i < memory->n_uses; i++) {
        const struct use *use = &memory->uses[sorted[i]];
        if (!use->of_recorder
            && (use->allocations > 0 || use->frees > 0 || use->refusals > 0))
            write_use(memory, use);
    }
    free(sorted);
}
