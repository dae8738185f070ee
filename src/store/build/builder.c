/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/hash.h"
#include "store/build/builder_priv.h"

uint64_t weft_build_text(struct weft_builder *b, const char *text, size_t length)
{
    if (!text || !length)
        return 0; /* the text section begins with an empty string */
    b->text = weft_grow(b->text, &b->text_capacity, b->text_size + length + 1, 1);
    uint64_t at = b->text_size;
    memcpy(b->text + at, text, length);
    b->text[at + length] = '\0';
    b->text_size += length + 1;
    return at;
}

static uint64_t add_text(struct weft_builder *b, const char *text)
{
    return weft_build_text(b, text, text ? strlen(text) : 0);
}

struct weft_builder *weft_builder_new(const char *path, const char *format,
                                      struct weft_err *err)
{
    struct weft_writer *writer = weft_writer_new(path, err);
    if (!writer)
        return NULL;
    struct weft_builder *b = weft_zalloc(1, sizeof *b);
    b->writer = writer;
    b->folder = weft_atomic_file_folder(path);
    weft_builder_lanes(b, 0);
    weft_sort_runs_begin(&b->late.rows, b->folder);
    weft_spill_init(&b->links.rows);
    weft_spill_init(&b->links.fields);
    b->header.ticks_numerator = 1000000000;
    b->header.ticks_denominator = 1;
    b->text = weft_grow(NULL, &b->text_capacity, 1, 1);
    b->text[b->text_size++] = '\0';
    b->format = add_text(b, format);
    weft_builder_type(b, &(struct weft_type){ .kind = WEFT_CONTAINER,
                                              .parent = WEFT_NONE,
                                              .name = "0",
                                              .start_type = WEFT_NONE,
                                              .end_type = WEFT_NONE });
    weft_builder_container(b, 0, WEFT_NONE, "0", NULL, 0);
    b->has_time = false;
    return b;
}

static void free_track(struct build_track *track)
{
    free(track->times);
    free(track->operations);
    free(track->head);
    free(track->stack);
    free(track->codes);
    free(track->code_values);
    free(track->code_of);
    weft_id_map_free(&track->far_codes);
    weft_id_map_free(&track->far_columns);
    free(track->blocks);
    free(track->sample_blocks);
    free(track->reach);
    for (size_t i = 0; i < track->n_columns; i++) {
        free(track->columns[i].rows);
        free(track->columns[i].blocks);
    }
    free(track->columns);
}

void weft_builder_abandon(struct weft_builder *b)
{
    if (!b)
        return;
    weft_writer_abandon(b->writer);
    for (size_t i = 0; i < b->n_tracks; i++)
        free_track(&b->tracks[i]);
    free(b->string_index.slots);
    weft_text_map_free(&b->site_index);
    weft_text_map_free(&b->site_text_index);
    free(b->site_texts);
    weft_id_map_free(&b->track_index);
    free(b->folder);
    free(b->text);
    free(b->strings);
    free(b->types);
    free(b->type_values);
    free(b->values);
    free(b->value_position);
    free(b->fields);
    free(b->sites);
    free(b->containers);
    free(b->container_fields);
    free(b->hosts);
    free(b->clocks);
    free(b->knots);
    free(b->tracks);
    free(b->problems);
    free(b->problem_kinds);
    free(b->notes);
    weft_build_late_free(b);
    weft_build_links_free(b);
    weft_build_grids_free(b);
    weft_build_lanes_free(b);
    free(b);
}

void weft_builder_resolution(struct weft_builder *b, uint64_t numerator,
                             uint64_t denominator)
{
    WEFT_REQUIRE(numerator && denominator, "a resolution of 0");
    b->header.ticks_numerator = numerator;
    b->header.ticks_denominator = denominator;
}

void weft_builder_records(struct weft_builder *b, uint64_t count)
{
    b->header.n_records = count;
}

void weft_builder_note(struct weft_builder *b, const char *key, const char *text)
{
    b->notes = weft_grow(b->notes, &b->note_capacity, b->n_notes + 1, sizeof *b->notes);
    b->notes[b->n_notes++] = (struct weft_file_note){ add_text(b, key), add_text(b, text) };
}

const char *weft_builder_folder(const struct weft_builder *b)
{
    return b->folder;
}

uint32_t weft_builder_text(struct weft_builder *b, const char *text, size_t length)
{
    b->strings =
        weft_grow(b->strings, &b->string_capacity, b->n_strings + 1, sizeof *b->strings);
    b->strings[b->n_strings] = weft_build_text(b, text, length);
    return (uint32_t)b->n_strings++;
}

static bool is_string(const struct weft_builder *b, uint32_t string, const char *text,
                      size_t length)
{
    uint64_t at = b->strings[string];
    return length < b->text_size - at && memcmp(b->text + at, text, length) == 0
           && !b->text[at + length];
}

/* Returns the slot of a text, or the free slot where it belongs. */
static struct build_string_slot *string_slot(const struct weft_builder *b, const char *text,
                                             size_t length, uint32_t hash)
{
    size_t mask = b->string_index.capacity - 1;
    for (size_t i = hash & mask;; i = (i + 1) & mask) {
        struct build_string_slot *slot = &b->string_index.slots[i];
        if (slot->string == WEFT_NONE
            || (slot->hash == hash && is_string(b, slot->string, text, length)))
            return slot;
    }
}

/* Grows the table so that at most half of the slots are taken. */
static void widen_string_index(struct build_string_index *index)
{
    struct build_string_index wider = { .capacity =
                                            index->capacity ? 2 * index->capacity : 16,
                                        .count = index->count };
    wider.slots = weft_alloc(wider.capacity * sizeof *wider.slots);
    memset(wider.slots, 0xff, wider.capacity * sizeof *wider.slots); /* WEFT_NONE */
    for (size_t i = 0; i < index->capacity; i++) {
        size_t at = index->slots[i].hash & (wider.capacity - 1);
        if (index->slots[i].string == WEFT_NONE)
            continue;
        while (wider.slots[at].string != WEFT_NONE)
            at = (at + 1) & (wider.capacity - 1);
        wider.slots[at] = index->slots[i];
    }
    free(index->slots);
    *index = wider;
}

uint32_t weft_builder_string(struct weft_builder *b, const char *text, size_t length)
{
    if (2 * (b->string_index.count + 1) > b->string_index.capacity)
        widen_string_index(&b->string_index);
    uint32_t hash = (uint32_t)weft_hash_text(text, length);
    struct build_string_slot *slot = string_slot(b, text, length, hash);
    if (slot->string == WEFT_NONE) {
        *slot = (struct build_string_slot){ hash, weft_builder_text(b, text, length) };
        b->string_index.count++;
    }
    return slot->string;
}

uint32_t weft_builder_type(struct weft_builder *b, const struct weft_type *type)
{
    b->types = weft_grow(b->types, &b->type_capacity, b->n_types + 1, sizeof *b->types);
    b->type_values = weft_grow(b->type_values, &b->type_value_capacity, b->n_types + 1,
                               sizeof *b->type_values);
    b->type_values[b->n_types] = 0;
    b->types[b->n_types] = (struct weft_file_type){ .name = add_text(b, type->name),
                                                    .alias = add_text(b, type->alias),
                                                    .kind = type->kind,
                                                    .parent = type->parent,
                                                    .color = type->color,
                                                    .start_type = type->start_type,
                                                    .end_type = type->end_type };
    weft_builder_type_role(b, (uint32_t)b->n_types++, type->role);
    return (uint32_t)b->n_types - 1;
}

uint32_t weft_builder_value(struct weft_builder *b, uint32_t type, const char *name,
                            const char *alias, uint32_t color)
{
    WEFT_REQUIRE(type < b->n_types, "value of type %u", type);
    b->values =
        weft_grow(b->values, &b->value_capacity, b->n_values + 1, sizeof *b->values);
    b->value_position = weft_grow(b->value_position, &b->value_position_capacity,
                                  b->n_values + 1, sizeof *b->value_position);
    b->value_position[b->n_values] = b->type_values[type]++;
    b->values[b->n_values] = (struct weft_file_value){
        .name = add_text(b, name), .alias = add_text(b, alias), .type = type, .color = color
    };
    return (uint32_t)b->n_values++;
}

uint32_t weft_builder_field(struct weft_builder *b, uint32_t type, const char *name,
                            enum weft_field_kind kind)
{
    WEFT_REQUIRE(type < b->n_types, "field of type %u", type);
    b->fields =
        weft_grow(b->fields, &b->field_capacity, b->n_fields + 1, sizeof *b->fields);
    b->fields[b->n_fields] =
        (struct weft_file_field){ .name = add_text(b, name), .type = type, .kind = kind };
    return (uint32_t)b->n_fields++;
}

/* Adds the text of a site once, since thousands of sites share a file's name. */
static uint64_t add_site_text(struct weft_builder *b, const char *text)
{
    size_t length = text ? strlen(text) : 0;
    if (!length)
        return 0; /* the text section begins with an empty string */
    uint32_t index = weft_text_map_get(&b->site_text_index, text, length);
    if (index == WEFT_MAP_NONE) {
        b->site_texts = weft_grow(b->site_texts, &b->site_text_capacity,
                                  b->n_site_texts + 1, sizeof *b->site_texts);
        index = (uint32_t)b->n_site_texts++;
        b->site_texts[index] = weft_build_text(b, text, length);
        weft_text_map_put(&b->site_text_index, text, length, index);
    }
    return b->site_texts[index];
}

uint32_t weft_builder_site(struct weft_builder *b, const struct weft_site *site)
{
    const struct weft_file_site key = {
        site->address,
        add_site_text(b, site->object),
        add_site_text(b, site->function),
        add_site_text(b, site->file),
        site->line,
        0,
    };
    uint32_t index = weft_text_map_get(&b->site_index, &key, sizeof key);
    if (index == WEFT_MAP_NONE) {
        b->sites = weft_grow(b->sites, &b->site_capacity, b->n_sites + 1, sizeof *b->sites);
        index = (uint32_t)b->n_sites++;
        b->sites[index] = key;
        weft_text_map_put(&b->site_index, &key, sizeof key, index);
    }
    return index;
}

void weft_build_append_child(struct weft_builder *b, uint32_t container)
{
    struct build_container *parent = &b->containers[b->containers[container].parent];
    if (parent->last_child == WEFT_NONE)
        parent->first_child = container;
    else
        b->containers[parent->last_child].next_sibling = container;
    parent->last_child = container;
}

uint32_t weft_builder_container(struct weft_builder *b, uint32_t type, uint32_t parent,
                                const char *name, const char *alias, int64_t time)
{
    WEFT_REQUIRE(type < b->n_types && (parent < b->n_containers || !b->n_containers),
                 "container of type %u in %u", type, parent);
    b->containers = weft_grow(b->containers, &b->container_capacity, b->n_containers + 1,
                              sizeof *b->containers);
    uint32_t index = (uint32_t)b->n_containers++;
    b->containers[index] = (struct build_container){ .name = add_text(b, name),
                                                     .alias = add_text(b, alias),
                                                     .begin = time,
                                                     .end = time,
                                                     .type = type,
                                                     .parent = parent,
                                                     .clock = WEFT_NONE,
                                                     .first_track = WEFT_NONE,
                                                     .last_track = WEFT_NONE,
                                                     .first_child = WEFT_NONE,
                                                     .last_child = WEFT_NONE,
                                                     .next_sibling = WEFT_NONE };
    if (parent != WEFT_NONE) {
        b->containers[index].within =
            b->containers[parent].destroyed || b->containers[parent].within;
        weft_build_append_child(b, index);
        weft_build_time(b, time);
    }
    /*
     * The destroyed containers around it must be searched again when they are destroyed
     * again.
     */
    for (uint32_t at = parent;
         b->containers[index].within && at != WEFT_NONE && !b->containers[at].open;
         at = b->containers[at].parent)
        b->containers[at].open = true;
    return index;
}

void weft_builder_container_place(struct weft_builder *b, uint32_t container,
                                  uint32_t place)
{
    WEFT_REQUIRE(container < b->n_containers, "container %u", container);
    b->containers[container].place = place;
}

void weft_builder_rename(struct weft_builder *b, uint32_t container, const char *name)
{
    WEFT_REQUIRE(container < b->n_containers, "container %u", container);
    b->containers[container].name = add_text(b, name);
}

/* Returns false if the container was destroyed already, with all that it holds. */
static bool destroy_one(struct weft_builder *b, uint32_t index, int64_t time)
{
    struct build_container *container = &b->containers[index];
    bool open = container->open;
    container->open = false;
    if (container->destroyed)
        return open;
    container->destroyed = true;
    container->end = time < container->begin ? container->begin : time;
    for (uint32_t t = container->first_track; t != WEFT_NONE;) {
        struct build_track *track = &b->tracks[t];
        if (track->kind == WEFT_STATE)
            weft_build_close_states(b, track, container->end);
        t = track->next;
    }
    return true;
}

void weft_builder_destroy(struct weft_builder *b, uint32_t container, int64_t time)
{
    WEFT_REQUIRE(container < b->n_containers, "container %u", container);
    weft_build_time(b, time);
    /* Walk the subtree without recursion: it may be deep. */
    uint32_t at = container;
    for (;;) {
        if (destroy_one(b, at, time) && b->containers[at].first_child != WEFT_NONE) {
            at = b->containers[at].first_child;
            continue;
        }
        while (at != container && b->containers[at].next_sibling == WEFT_NONE)
            at = b->containers[at].parent;
        if (at == container)
            return;
        at = b->containers[at].next_sibling;
    }
}

uint32_t weft_builder_track(struct weft_builder *b, uint32_t container, uint32_t type)
{
    uint64_t key = (uint64_t)container << 32 | type;
    uint32_t index = weft_id_map_get(&b->track_index, key);
    if (index != WEFT_MAP_NONE)
        return index;
    WEFT_REQUIRE(container < b->n_containers && type < b->n_types, "track of container %u",
                 container);
    b->tracks =
        weft_grow(b->tracks, &b->track_capacity, b->n_tracks + 1, sizeof *b->tracks);
    index = (uint32_t)b->n_tracks++;
    struct build_track *track = &b->tracks[index];
    *track = (struct build_track){ .container = container,
                                   .type = type,
                                   .kind = (enum weft_kind)b->types[type].kind,
                                   .begin = INT64_MAX,
                                   .end = INT64_MIN,
                                   .next = WEFT_NONE };
    weft_id_map_put(&b->track_index, key, index);
    struct build_container *owner = &b->containers[container];
    if (owner->last_track == WEFT_NONE)
        owner->first_track = index;
    else
        b->tracks[owner->last_track].next = index;
    owner->last_track = index;
    return index;
}

void weft_builder_expect(const struct weft_builder *b, uint32_t index, bool near)
{
    enum { LINE = 64 };
    if (index >= b->n_tracks)
        return;
    const struct build_track *track = &b->tracks[index];
    if (!near) {
        for (size_t at = 0; at < offsetof(struct build_track, column_capacity); at += LINE)
            __builtin_prefetch((const char *)track + at, 1);
        return;
    }
    if (track->times)
        __builtin_prefetch(track->times + track->n, 1);
    if (track->operations)
        __builtin_prefetch(track->operations + track->n, 1);
    if (track->kind == WEFT_VARIABLE)
        return;
    __builtin_prefetch(track->codes, 1);
    __builtin_prefetch(track->codes + 2, 1);
    __builtin_prefetch(track->code_of);
    __builtin_prefetch(track->stack, 1);
    for (size_t i = 0; i < track->n_columns; i++)
        __builtin_prefetch(&track->columns[i], 1);
}

void weft_builder_expect_fields(const struct weft_builder *b, uint32_t index)
{
    if (index >= b->n_tracks)
        return;
    const struct build_track *track = &b->tracks[index];
    for (size_t i = 0; i < track->n_columns; i++)
        if (track->columns[i].n)
            __builtin_prefetch(&track->columns[i].rows[track->columns[i].n - 1], 1);
}

static struct build_problem_kind *problem_kind(struct weft_builder *b, const char *kind,
                                               enum weft_severity severity)
{
    for (size_t i = 0; i < b->n_problem_kinds; i++)
        if (strcmp(b->problem_kinds[i].kind, kind) == 0)
            return &b->problem_kinds[i];
    b->problem_kinds = weft_grow(b->problem_kinds, &b->problem_kind_capacity,
                                 b->n_problem_kinds + 1, sizeof *b->problem_kinds);
    struct build_problem_kind *fresh = &b->problem_kinds[b->n_problem_kinds++];
    *fresh = (struct build_problem_kind){ kind, 0, severity };
    return fresh;
}

WEFT_PRINTF(5, 0)
static void add_problem(struct weft_builder *b, enum weft_severity severity,
                        const char *kind, uint64_t line, const char *fmt, va_list args)
{
    struct build_problem_kind *of_kind = problem_kind(b, kind, severity);
    if (++of_kind->count > WEFT_PROBLEMS_KEPT)
        return;
    char message[512];
    vsnprintf(message, sizeof message, fmt, args);
    b->problems = weft_grow(b->problems, &b->problem_capacity, b->n_problems + 1,
                            sizeof *b->problems);
    b->problems[b->n_problems++] =
        (struct weft_file_problem){ .kind = add_text(b, kind),
                                    .message = add_text(b, message),
                                    .line = line,
                                    .count = 1,
                                    .severity = severity };
}

void weft_builder_problem(struct weft_builder *b, enum weft_severity severity,
                          const char *kind, uint64_t line, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    add_problem(b, severity, kind, line, fmt, args);
    va_end(args);
}

void weft_builder_fault(struct weft_builder *b, const struct weft_fault_kind *kind,
                        uint64_t line, ...)
{
    va_list args;
    va_start(args, line);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    add_problem(b, kind->severity, kind->name, line, kind->sentence, args);
#pragma GCC diagnostic pop
    va_end(args);
}
