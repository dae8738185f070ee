/* SPDX-License-Identifier: Apache-2.0 */
/* Turns a recording's folders into a store. */
#include "read/recording/join/join.h"

#include <stdlib.h>
#include <string.h>

#include "read/recording/join/call_stack_texts.h"
#include "read/recording/join/first_pass.h"
#include "read/recording/join/process_containers.h"
#include "read/recording/join/processors.h"
#include "read/recording/join/report.h"
#include "read/recording/join/samples.h"
#include "read/recording/join/spins.h"
#include "read/recording/join/thread_counts.h"
#include "read/recording/join/thread_states.h"
#include "read/recording/machines/machines.h"

struct value_key {
    uint32_t type;
    char name[RECORD_TEXT];
};

uint32_t join_text(struct join *join, const char *text)
{
    return weft_builder_string(join->builder, text, strlen(text));
}

static void keep_value_name(struct join *join, uint32_t value, const char *name)
{
    join->value_names = weft_grow(join->value_names, &join->value_names_capacity,
                                  (size_t)value + 1, sizeof *join->value_names);
    while (join->n_value_names <= value)
        join->value_names[join->n_value_names++] = NULL;
    join->value_names[value] = weft_arena_strdup(&join->arena, name);
}

const char *join_value_name(const struct join *join, uint32_t value)
{
    const char *name = value < join->n_value_names ? join->value_names[value] : NULL;

    return name ? name : "";
}

uint32_t join_value(struct join *join, uint32_t type, const char *name)
{
    struct value_key key = { type, { 0 } };
    uint32_t value;
    size_t length = strnlen(name, sizeof key.name);

    memcpy(key.name, name, length);
    value = weft_text_map_get(&join->values, &key, sizeof key.type + length);
    if (value == WEFT_MAP_NONE) {
        value = weft_builder_value(join->builder, type, name, NULL, 0);
        weft_text_map_put(&join->values, &key, sizeof key.type + length, value);
        keep_value_name(join, value, name);
    }
    return value;
}

uint32_t join_type(struct join *join, enum weft_kind kind, uint32_t parent,
                   const char *name, enum weft_role role)
{
    return weft_builder_type(join->builder, &(struct weft_type){ .kind = kind,
                                                                 .parent = parent,
                                                                 .name = name,
                                                                 .alias = "",
                                                                 .start_type = WEFT_NONE,
                                                                 .end_type = WEFT_NONE,
                                                                 .slots = 16,
                                                                 .role = role });
}

uint32_t join_link_type(struct join *join, const char *name, enum weft_role role)
{
    return weft_builder_type(join->builder,
                             &(struct weft_type){ .kind = WEFT_LINK,
                                                  .parent = 0,
                                                  .name = name,
                                                  .alias = "",
                                                  .start_type = join->thread_type,
                                                  .end_type = join->thread_type,
                                                  .role = role });
}

uint32_t join_value_with_role(struct join *join, uint32_t type, const char *name,
                              enum weft_role role)
{
    uint32_t value = join_value(join, type, name);

    weft_builder_value_role(join->builder, value, role);
    return value;
}

uint32_t join_field(struct join *join, uint32_t type, const char *name,
                    enum weft_field_kind kind, enum weft_role role)
{
    uint32_t field = weft_builder_field(join->builder, type, name, kind);

    weft_builder_field_role(join->builder, field, role);
    return field;
}

struct weft_field_value join_site_field(struct join *join, uint32_t field, uint32_t image,
                                        uint64_t address)
{
    return (struct weft_field_value){
        field, { .index = sites_find(join->sites, image, address) }
    };
}

void join_object_named(struct join *join, struct join_thread *thread, uint64_t address,
                       const char *name, int64_t time)
{
    for (size_t i = 0; i < join->n_families; i++) {
        const struct join_family *family = join->families[i];
        if (family->object_named)
            family->object_named(join->states[family->number], thread, address, name, time);
    }
}

/* Collect the kinds of records that can be taken. */
static void know_families(struct join *join)
{
    const struct join_family *family;

    join->known.kinds[WEFT_FAMILY_CORE] = lifecycle_kinds;
    for (size_t i = 0; (family = join_family_at(i)); i++) {
        join->families[join->n_families++] = family;
        join->known.kinds[family->number] = family->kinds;
        join->by_number[family->number] = family;
    }
}

static void begin_families(struct join *join)
{
    lifecycle_define_containers(join);
    join->activities = activities_new(join);
    join->stacks = stacks_new(join);
    for (size_t i = 0; i < join->n_families; i++)
        join->states[join->families[i]->number] = join->families[i]->begin(join);
    lifecycle_define_types(join);
    if (join->recording->n_observed > 0)
        activities_define_observed(join->activities);
    join->samples = samples_new(join);
}

static void finish_families(struct join *join)
{
    for (size_t i = 0; i < join->n_families; i++)
        if (join->families[i]->finish)
            join->families[i]->finish(join->states[join->families[i]->number]);
}

static bool write_families(struct join *join, struct weft_job *job, struct weft_err *err)
{
    for (size_t i = 0; i < join->n_families; i++)
        if (join->families[i]->write
            && !join->families[i]->write(join->states[join->families[i]->number], job, err))
            return false;
    return true;
}

static void free_join(struct join *join)
{
    for (size_t i = 0; i < join->n_families; i++)
        if (join->families[i]->end && join->states[join->families[i]->number])
            join->families[i]->end(join->states[join->families[i]->number]);
    lifecycle_free(join);
    activities_free(join->activities);
    samples_free(join->samples);
    stacks_free(join->stacks);
    weft_text_map_free(&join->values);
    free(join->value_names);
    sites_free(join->sites);
    weft_arena_free(&join->arena);
}

static void name_root(struct join *join)
{
    const struct recording *recording = join->recording;
    const char *host = recording_fact(&join->arena, recording->facts, "host");

    if (recording->n_hosts > 1)
        host = weft_arena_printf(&join->arena, "%zu hosts", recording->n_hosts);
    else if (!host && recording->n_hosts == 1)
        host = recording->hosts[0].name;
    if (host && *host)
        weft_builder_rename(join->builder, 0, host);
}

static bool build(struct join *join, const char *store_path, struct weft_job *job,
                  struct weft_err *err)
{
    join->builder = weft_builder_new(store_path, "recording", err);
    if (!join->builder)
        return false;
    know_families(join);
    names_relate_clocks(join);
    names_collect(join);
    join->sites = sites_new(join->recording, join->builder);
    name_root(join);
    machines_define(join);
    lifecycle_prepare(join);
    spins_find(join);
    begin_families(join);
    if (!join_merge(join, job, err)) {
        weft_builder_abandon(join->builder);
        return false;
    }
    finish_families(join);
    if (!write_families(join, job, err)) {
        weft_builder_abandon(join->builder);
        return false;
    }
    lifecycle_end_processes(join);
    processors_write(join);
    counts_write(join);
    report_notes(join);
    report_problems(join);
    return weft_builder_finish(join->builder, job, err);
}

bool weft_recording_join(const char *const *folders, size_t n_folders,
                         const char *store_path, struct weft_recording_report *report,
                         struct weft_job *job, struct weft_err *err)
{
    struct recording recording;
    struct join join = { .recording = &recording };
    bool done;

    if (!recording_load(&recording, folders, n_folders, err))
        return false;
    done = build(&join, store_path, job, err);
    free_join(&join);
    if (report)
        *report = recording.report;
    recording_free(&recording);
    return done;
}
