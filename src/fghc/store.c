/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recording as a store: what model/tree.h says of reductions, with what VISTA's file cannot
 * hold (what a goal waited for, since when, and whose binding woke it).
 */
#include <stdlib.h>
#include <string.h>

#include "fghc/trace.h"
#include "store/builder.h"

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

struct clause_names {
    uint32_t value, site;
};

struct pe_writing {
    uint32_t container, track;
    size_t n_waits, n_idles; /* that have been written */
    uint64_t *ids;           /* of the states, by the reduction's index less 1 */
};

struct writing {
    struct weft_builder *builder;
    const struct program *program;
    const struct fghc_result *result;
    uint32_t type, link_type;
    uint32_t fields[FIELDS];
    struct clause_names *clauses; /* by number */
    struct pe_writing *pes;
    uint32_t record;
};

static void write_types(struct writing *w)
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
    for (unsigned i = 0; i < w->result->pes; i++) {
        char name[16];
        snprintf(name, sizeof name, "PE %u", i);
        struct pe_writing *pe = &w->pes[i];
        pe->container = weft_builder_container(w->builder, pe_type, 0, name, NULL, 0);
        pe->track = weft_builder_track(w->builder, pe->container, w->type);
        pe->ids = weft_alloc((w->result->recordings[i].n_records + 1) * sizeof *pe->ids);
    }
}

/*
 * Procedures of one name share a value, as they do when VISTA's file is read with its source;
 * each clause has its place in the source.
 */
static void write_clauses(struct writing *w)
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
                .object = "", .function = name, .file = program->path, .line = clause->line
            };
            w->clauses[clause->number] =
                (struct clause_names){ *value, weft_builder_site(w->builder, &site) };
        }
    }
    free(values);
}

/* "RT, argument 1 of append/3": the name that the caller's source has for it. */
static uint32_t variable_text(const struct writing *w, const struct fghc_wait *wait)
{
    const struct call_site *site = &w->program->calls[wait->site];
    char text[300];
    int length;
    if (!wait->site)
        length = snprintf(text, sizeof text, "argument %u", wait->argument);
    else if (!wait->argument)
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

/*
 * Write a PE's idle times before UNTIL; the state of its last reduction ends at the first.
 */
static void write_idle(struct writing *w, unsigned number, uint64_t until)
{
    struct pe_writing *pe = &w->pes[number];
    const struct fghc_recording *recording = &w->result->recordings[number];
    for (; pe->n_idles < recording->n_idles; pe->n_idles++) {
        uint64_t begin = recording->idles[pe->n_idles].begin;
        if (begin > until)
            return;
        if (weft_builder_open_states(w->builder, pe->track))
            WEFT_REQUIRE(weft_builder_reset(w->builder, pe->track, (int64_t)begin)
                             == WEFT_BUILD_OK,
                         "a PE is idle before its reduction");
    }
}

static void write_wakening(struct writing *w, unsigned number, uint64_t id,
                           const struct fghc_record *record, const struct fghc_wait *wait)
{
    if (!wait->by_index)
        return;
    weft_builder_link(
        w->builder,
        &(struct weft_link){ .type = w->link_type,
                             .value = WEFT_NONE,
                             .key = WEFT_NONE,
                             .from = w->pes[wait->by_pe].container,
                             .to = w->pes[number].container,
                             .begin = (int64_t)wait->woken,
                             .end = (int64_t)record->time,
                             .from_entity = w->pes[wait->by_pe].ids[wait->by_index - 1],
                             .to_entity = id },
        NULL, 0);
}

static void write_reduction(struct writing *w, const struct fghc_order *at)
{
    const struct fghc_record *record = at->record;
    const struct fghc_recording *recording = &w->result->recordings[at->pe];
    struct pe_writing *pe = &w->pes[at->pe];
    const struct clause_names *clause = &w->clauses[record->clause];
    const struct fghc_wait *wait = NULL;
    if (pe->n_waits < recording->n_waits
        && recording->waits[pe->n_waits].index == at->index)
        wait = &recording->waits[pe->n_waits++];
    struct weft_field_value fields[FIELDS] = {
        [FIELD_RECORD] = { w->fields[FIELD_RECORD], { .integer = ++w->record } },
        [FIELD_CLAUSE] = { w->fields[FIELD_CLAUSE], { .integer = record->clause } },
        [FIELD_INDEX] = { w->fields[FIELD_INDEX], { .integer = (int64_t)at->index } },
        [FIELD_SITE] = { w->fields[FIELD_SITE], { .index = clause->site } },
    };
    size_t n = FIELD_PARENT_PE;
    if (record->parent_index) {
        fields[n++] = (struct weft_field_value){ w->fields[FIELD_PARENT_PE],
                                                 { .integer = record->parent_pe } };
        fields[n++] = (struct weft_field_value){ w->fields[FIELD_PARENT_INDEX],
                                                 { .integer = record->parent_index } };
    }
    if (wait) {
        fields[n++] = (struct weft_field_value){ w->fields[FIELD_SUSPENDED],
                                                 { .integer = (int64_t)wait->suspended } };
        fields[n++] = (struct weft_field_value){ w->fields[FIELD_WOKEN],
                                                 { .integer = (int64_t)wait->woken } };
        fields[n++] = (struct weft_field_value){ w->fields[FIELD_SUSPENSIONS],
                                                 { .integer = wait->count } };
        fields[n++] = (struct weft_field_value){ w->fields[FIELD_VARIABLE],
                                                 { .index = variable_text(w, wait) } };
    }
    write_idle(w, at->pe, record->time);
    uint64_t *id = &pe->ids[at->index - 1];
    enum weft_build built = weft_builder_set(w->builder, pe->track, (int64_t)record->time,
                                             clause->value, fields, n, id);
    WEFT_REQUIRE(built == WEFT_BUILD_OK, "a reduction could not be stored");
    if (wait)
        write_wakening(w, at->pe, *id, record, wait);
}

bool fghc_write_store(const struct fghc_result *result, const struct program *program,
                      const char *path, struct weft_err *err)
{
    struct weft_builder *builder = weft_builder_new(path, "fghc", err);
    if (!builder)
        return false;
    struct writing w = { .builder = builder, .program = program, .result = result };
    struct fghc_order order;
    w.pes = weft_zalloc(result->pes, sizeof *w.pes);
    weft_builder_resolution(builder, 1000000000, 1);
    write_types(&w);
    write_clauses(&w);
    fghc_order_open(&order, result);
    while (fghc_order_next(&order))
        write_reduction(&w, &order);
    fghc_order_close(&order);
    for (unsigned i = 0; i < result->pes; i++) {
        write_idle(&w, i, UINT64_MAX);
        free(w.pes[i].ids);
    }
    free(w.pes);
    free(w.clauses);
    weft_builder_records(builder, w.record);
    weft_builder_note(builder, "program", program->path);
    return weft_builder_finish(builder, NULL, err);
}
