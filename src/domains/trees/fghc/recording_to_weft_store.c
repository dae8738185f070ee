/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a recording as a store with the schema of model/tree.h, and with the data that
 * VISTA's file cannot hold: the variable that a goal waited for, since when, and the
 * reduction whose binding woke it.
 */
#include <stdlib.h>
#include <string.h>

#include "domains/trees/fghc/recording_convert.h"
#include "store/build/builder.h"

enum {
    FIELD_RECORD,
    FIELD_CLAUSE,
    FIELD_INDEX,
    FIELD_SITE,
    FIELD_PARENT_PE,
    FIELD_PARENT_INDEX,
    FIELD_SUSPENDED,
    FIELD_WOKEN,
    FIELD_SUSPENSIONS,
    FIELD_VARIABLE,
    FIELDS
};

enum { LOOK_EVERY = 1 << 16 }; /* records between two looks at the job */

struct clause_names {
    uint32_t value, site;
};

struct pe_writer {
    uint32_t container, track;
};

struct store_writer {
    struct weft_builder *builder;
    const struct program *program;
    struct fghc_recording *recording;
    struct fghc_order order;
    uint32_t type, link_type;
    uint32_t fields[FIELDS];
    struct clause_names *clauses; /* by number */
    struct pe_writer *pes;
    uint32_t record;
};

static void write_types(struct store_writer *w)
{
    static const struct {
        const char *name;
        enum weft_field_kind kind;
        enum weft_role role;
    } fields[FIELDS] = {
        [FIELD_RECORD] = { "record", WEFT_FIELD_INTEGER, WEFT_ROLE_RECORD_NUMBER },
        [FIELD_CLAUSE] = { "clause", WEFT_FIELD_INTEGER, WEFT_ROLE_CLAUSE },
        [FIELD_INDEX] = { "index", WEFT_FIELD_INTEGER, WEFT_ROLE_NUMBER },
        [FIELD_SITE] = { "site", WEFT_FIELD_SITE, WEFT_ROLE_SITE },
        [FIELD_PARENT_PE] = { "parent_pe", WEFT_FIELD_INTEGER, WEFT_ROLE_PARENT_ROW },
        [FIELD_PARENT_INDEX] = { "parent_index", WEFT_FIELD_INTEGER,
                                 WEFT_ROLE_PARENT_NUMBER },
        [FIELD_SUSPENDED] = { "suspended", WEFT_FIELD_INTEGER, WEFT_ROLE_SINCE },
        [FIELD_WOKEN] = { "woken", WEFT_FIELD_INTEGER, WEFT_ROLE_WOKEN },
        [FIELD_SUSPENSIONS] = { "suspensions", WEFT_FIELD_INTEGER, WEFT_ROLE_WAITS },
        [FIELD_VARIABLE] = { "variable", WEFT_FIELD_TEXT, WEFT_ROLE_OBJECT },
    };
    struct weft_type type = {
        .kind = WEFT_CONTAINER, .name = "PE", .start_type = WEFT_NONE, .end_type = WEFT_NONE
    };
    uint32_t pe_type = weft_builder_type(w->builder, &type);
    type.kind = WEFT_STATE;
    type.parent = pe_type;
    type.name = "reduction";
    w->type = weft_builder_type(w->builder, &type);
    weft_builder_type_role(w->builder, pe_type, WEFT_ROLE_WORKER);
    weft_builder_type_role(w->builder, w->type, WEFT_ROLE_REDUCTION);
    for (int i = 0; i < FIELDS; i++) {
        w->fields[i] =
            weft_builder_field(w->builder, w->type, fields[i].name, fields[i].kind);
        weft_builder_field_role(w->builder, w->fields[i], fields[i].role);
    }
    w->link_type =
        weft_builder_type(w->builder, &(struct weft_type){ .kind = WEFT_LINK,
                                                           .name = "data",
                                                           .start_type = pe_type,
                                                           .end_type = pe_type });
    weft_builder_type_role(w->builder, w->link_type, WEFT_ROLE_DATA_DEPENDENCE);
    for (unsigned i = 0; i < fghc_recording_pes(w->recording); i++) {
        char name[16];
        snprintf(name, sizeof name, "PE %u", i);
        struct pe_writer *pe = &w->pes[i];
        pe->container = weft_builder_container(w->builder, pe_type, 0, name, NULL, 0);
        pe->track = weft_builder_track(w->builder, pe->container, w->type);
    }
}

/*
 * Makes a value of each procedure name and a site of each clause.  Procedures of one name
 * share a value, like in VISTA's file read with its source.
 */
static void write_clauses(struct store_writer *w)
{
    const struct program *program = w->program;
    w->clauses = weft_zalloc(program->n_clauses + 1, sizeof *w->clauses);
    uint32_t *values = weft_alloc((program->n_names + 1) * sizeof *values);
    memset(values, 0xff, program->n_names * sizeof *values);
    for (uint32_t i = 0; i < program->n_procedures; i++) {
        const struct procedure *procedure = &program->procedures[i];
        const char *name = program->names[procedure->name];
        uint32_t *value = &values[procedure->name];
        for (uint32_t k = 0; k < procedure->n_clauses; k++) {
            const struct clause *clause = &procedure->clauses[k];
            if (!clause->number)
                continue;
            if (*value == WEFT_NONE) {
                *value = weft_builder_value(w->builder, w->type, name, NULL, 0);
                weft_builder_value_role(w->builder, *value, WEFT_ROLE_COMPUTING);
            }
            struct weft_site site = {
                .object = "", .function = name, .file = clause->path, .line = clause->line
            };
            w->clauses[clause->number] =
                (struct clause_names){ *value, weft_builder_site(w->builder, &site) };
        }
    }
    free(values);
}

/* Returns a text such as "RT, argument 1 of append/3", with the variable's name in the
 * caller's source. */
static uint32_t variable_text(const struct store_writer *w, const struct fghc_wait *wait)
{
    const struct call_site *site = &w->program->calls[wait->site];
    char text[300];
    int length;
    if (!wait->site)
        length = snprintf(text, sizeof text, "argument %u", wait->argument);
    else if (!wait->argument || wait->argument > site->goal->arity)
        length = snprintf(text, sizeof text, "a part of an argument of %s/%u",
                          w->program->names[site->goal->name], site->goal->arity);
    else {
        const struct node *node = &site->goal->arguments[wait->argument - 1];
        const char *name =
            node->kind == NODE_VARIABLE ? site->variables[node->variable] : NULL;
        length = snprintf(text, sizeof text, "%.100s%sargument %u of %s/%u",
                          name ? name : "", name ? ", " : "", wait->argument,
                          w->program->names[site->goal->name], site->goal->arity);
    }
    size_t most = sizeof text - 1;
    return weft_builder_string(w->builder, text,
                               (size_t)length < most ? (size_t)length : most);
}

/* Ends the state of a PE's latest reduction when the PE becomes idle. */
static void write_idle(struct store_writer *w, unsigned number)
{
    const struct pe_writer *pe = &w->pes[number];
    for (uint64_t begin; fghc_order_idle(&w->order, number, &begin);)
        if (weft_builder_open_states(w->builder, pe->track))
            WEFT_REQUIRE(weft_builder_reset(w->builder, pe->track, (int64_t)begin)
                             == WEFT_BUILD_OK,
                         "a PE is idle before its reduction");
}

/* Returns the id of a reduction's state: states of a track are numbered in order. */
static uint64_t state_of(const struct store_writer *w, unsigned pe, uint64_t index)
{
    return weft_entity_id(w->pes[pe].track, index - 1);
}

static void write_wakening(struct store_writer *w, const struct fghc_order *at)
{
    const struct fghc_wait *wait = &at->wait;
    if (!wait->by_index || !fghc_order_has(at, wait->by_pe, wait->by_index))
        return;
    weft_builder_link(
        w->builder,
        &(struct weft_link){ .type = w->link_type,
                             .value = WEFT_NONE,
                             .key = WEFT_NONE,
                             .from = w->pes[wait->by_pe].container,
                             .to = w->pes[at->pe].container,
                             .begin = (int64_t)wait->woken,
                             .end = (int64_t)at->record.time,
                             .from_entity = state_of(w, wait->by_pe, wait->by_index),
                             .to_entity = state_of(w, at->pe, at->index) },
        NULL, 0);
}

/* Fills in the fields of a reduction; returns their number. */
static size_t fill_fields(struct store_writer *w, const struct fghc_order *at,
                          struct weft_field_value fields[FIELDS])
{
    const struct fghc_record *record = &at->record;
    const struct fghc_wait *wait = &at->wait;
    const int64_t numbers[FIELDS] = {
        [FIELD_RECORD] = ++w->record,
        [FIELD_CLAUSE] = record->clause,
        [FIELD_INDEX] = (int64_t)at->index,
        [FIELD_PARENT_PE] = record->parent_pe,
        [FIELD_PARENT_INDEX] = record->parent_index,
        [FIELD_SUSPENDED] = (int64_t)wait->suspended,
        [FIELD_WOKEN] = (int64_t)wait->woken,
        [FIELD_SUSPENSIONS] = wait->count,
    };
    size_t n = 0;
    for (int i = 0; i < FIELDS; i++) {
        bool of_parent = i == FIELD_PARENT_PE || i == FIELD_PARENT_INDEX;
        if ((of_parent && !record->parent_index) || (i >= FIELD_SUSPENDED && !wait->count))
            continue;
        fields[n].field = w->fields[i];
        if (i == FIELD_SITE)
            fields[n++].index = w->clauses[record->clause].site;
        else if (i == FIELD_VARIABLE)
            fields[n++].index = variable_text(w, wait);
        else
            fields[n++].integer = numbers[i];
    }
    return n;
}

static void write_reduction(struct store_writer *w, const struct fghc_order *at)
{
    struct weft_field_value fields[FIELDS] = { 0 };
    size_t n = fill_fields(w, at, fields);
    uint64_t id;
    write_idle(w, at->pe);
    enum weft_build built =
        weft_builder_set(w->builder, w->pes[at->pe].track, (int64_t)at->record.time,
                         w->clauses[at->record.clause].value, fields, n, &id);
    WEFT_REQUIRE(built == WEFT_BUILD_OK && id == state_of(w, at->pe, at->index),
                 "a reduction could not be stored");
    if (at->wait.count)
        write_wakening(w, at);
}

static bool write_reductions(struct store_writer *w, struct weft_job *job,
                             struct weft_err *err)
{
    uint64_t all = fghc_recording_records(w->recording);
    while (fghc_order_next(&w->order)) {
        if (w->record % LOOK_EVERY == 0 && !weft_job_step(job, w->record, all, err))
            return false;
        if (w->record == UINT32_MAX)
            return weft_fail(err, WEFT_ERR_LIMIT,
                             "more than 4,294,967,295 reductions make no trace");
        write_reduction(w, &w->order);
    }
    if (fghc_order_failed(&w->order, err))
        return false;
    for (unsigned i = 0; i < fghc_recording_pes(w->recording); i++)
        write_idle(w, i);
    return true;
}

static void write_loss(struct store_writer *w)
{
    char text[300];
    switch (fghc_recording_loss(w->recording, text, sizeof text)) {
    case FGHC_WHOLE: break;
    case FGHC_UNFINISHED:
        weft_builder_problem(w->builder, WEFT_WARNING, "unfinished-recording", 0, "%s",
                             text);
        break;
    case FGHC_DAMAGED:
        weft_builder_problem(w->builder, WEFT_ERROR, "damaged-record", 0, "%s", text);
        break;
    }
}

bool fghc_write_store(struct fghc_recording *recording, const char *path,
                      struct weft_job *job, struct weft_err *err)
{
    struct weft_builder *builder = weft_builder_new(path, "fghc", err);
    if (!builder)
        return false;
    struct store_writer w = { .builder = builder,
                              .program = fghc_recording_program(recording),
                              .recording = recording };
    w.pes = weft_zalloc(fghc_recording_pes(recording), sizeof *w.pes);
    weft_builder_resolution(builder, 1000000000, 1);
    write_types(&w);
    write_clauses(&w);
    fghc_order_open(&w.order, recording);
    bool ok = write_reductions(&w, job, err);
    fghc_order_close(&w.order);
    free(w.pes);
    free(w.clauses);
    if (!ok) {
        weft_builder_abandon(builder);
        return false;
    }
    write_loss(&w);
    weft_builder_records(builder, w.record);
    weft_builder_note(builder, "program", w.program->path);
    return weft_builder_finish(builder, job, err);
}
