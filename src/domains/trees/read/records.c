/* SPDX-License-Identifier: Apache-2.0 */
/* Checks records against earlier ones and puts them into the store. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "domains/trees/read/vista_priv.h"

enum {
    FIELD_RECORD,
    FIELD_CLAUSE,
    FIELD_INDEX,
    FIELD_PARENT_PE,
    FIELD_PARENT_INDEX,
    FIELD_SITE,
    FIELDS
};
/*
 * Greatest clause number accepted without a source: names are made for all numbers up to
 * it.
 */
enum { MAX_CLAUSE = 1 << 20 };

static struct vista_seen *find(const struct vista_reading *reading, int64_t pe,
                               int64_t index)
{
    const struct vista_pe *of = &reading->pes[pe];
    if ((uint64_t)index < of->capacity && of->seen[index].line)
        return &of->seen[index];
    if (!reading->n_far)
        return NULL;
    uint32_t at = weft_id_map_get(&reading->far, (uint64_t)pe << 40 | (uint64_t)index);
    return at == WEFT_MAP_NONE ? NULL : &reading->far_seen[at];
}

/*
 * Adds a reduction and returns its entry. Indices count up on each PE, so they index an
 * array; an index far beyond twice the PE's reductions so far goes into a map, so that a
 * damaged number does not cost memory.
 */
static struct vista_seen *make(struct vista_reading *reading, int64_t pe, int64_t index)
{
    struct vista_pe *of = &reading->pes[pe];
    if ((uint64_t)index <= 2 * (uint64_t)of->n + 64) {
        size_t old = of->capacity;
        of->seen = weft_grow(of->seen, &of->capacity, (size_t)index + 1, sizeof *of->seen);
        if (of->capacity > old)
            memset(of->seen + old, 0, (of->capacity - old) * sizeof *of->seen);
        return &of->seen[index];
    }
    reading->far_seen = weft_grow(reading->far_seen, &reading->far_capacity,
                                  reading->n_far + 1, sizeof *reading->far_seen);
    weft_id_map_put(&reading->far, (uint64_t)pe << 40 | (uint64_t)index,
                    (uint32_t)reading->n_far);
    return &reading->far_seen[reading->n_far++];
}

void vista_begin(struct vista_reading *reading, int64_t time)
{
    static const struct {
        const char *name;
        enum weft_role role;
    } fields[FIELDS] = {
        [FIELD_RECORD] = { "record", WEFT_ROLE_RECORD_NUMBER },
        [FIELD_CLAUSE] = { "clause", WEFT_ROLE_CLAUSE },
        [FIELD_INDEX] = { "index", WEFT_ROLE_NUMBER },
        [FIELD_PARENT_PE] = { "parent_pe", WEFT_ROLE_PARENT_ROW },
        [FIELD_PARENT_INDEX] = { "parent_index", WEFT_ROLE_PARENT_NUMBER },
        [FIELD_SITE] = { "site", WEFT_ROLE_SITE },
    };
    struct weft_builder *b = reading->builder;
    struct weft_type type = { .kind = WEFT_CONTAINER,
                              .parent = 0,
                              .name = "PE",
                              .start_type = WEFT_NONE,
                              .end_type = WEFT_NONE };
    uint32_t pe_type = weft_builder_type(b, &type);
    type.kind = WEFT_STATE;
    type.parent = pe_type;
    type.name = "reduction";
    reading->type = weft_builder_type(b, &type);
    weft_builder_type_role(b, pe_type, WEFT_ROLE_WORKER);
    weft_builder_type_role(b, reading->type, WEFT_ROLE_REDUCTION);
    for (int i = 0; i < FIELDS; i++) {
        if (i == FIELD_SITE && !reading->program)
            continue;
        reading->fields[i] =
            weft_builder_field(b, reading->type, fields[i].name,
                               i == FIELD_SITE ? WEFT_FIELD_SITE : WEFT_FIELD_INTEGER);
        weft_builder_field_role(b, reading->fields[i], fields[i].role);
    }
    for (size_t pe = 0; pe < reading->n_pes; pe++) {
        char name[32];
        snprintf(name, sizeof name, "PE %zu", pe);
        uint32_t container = weft_builder_container(b, pe_type, 0, name, NULL, time);
        reading->pes[pe].track = weft_builder_track(b, container, reading->type);
        reading->pes[pe].last = INT64_MIN;
    }
}

static uint32_t value_of_clause(struct vista_reading *reading, uint32_t clause)
{
    if (clause >= reading->n_values) {
        size_t old = reading->n_values, need = clause + 1 > 2 * old ? clause + 1 : 2 * old;
        reading->values = weft_realloc(reading->values, need * sizeof *reading->values);
        reading->sites = weft_realloc(reading->sites, need * sizeof *reading->sites);
        memset(reading->values + old, 0xff, (need - old) * sizeof *reading->values);
        reading->n_values = need;
    }
    if (reading->values[clause] != WEFT_NONE)
        return reading->values[clause];
    uint32_t value = WEFT_NONE;
    if (reading->program) {
        const struct vista_clause *of = &reading->program->clauses[clause - 1];
        /* The clauses of a procedure share a value. */
        value = weft_text_map_get(&reading->procedures, of->name, strlen(of->name));
        if (value == WEFT_MAP_NONE) {
            value = weft_builder_value(reading->builder, reading->type, of->name, NULL, 0);
            weft_text_map_put(&reading->procedures, of->name, strlen(of->name), value);
        }
        reading->sites[clause] = weft_builder_site(
            reading->builder, &(struct weft_site){ .object = "",
                                                   .function = of->name,
                                                   .file = reading->source,
                                                   .line = of->line });
    } else {
        char name[32];
        snprintf(name, sizeof name, "clause %u", clause);
        value = weft_builder_value(reading->builder, reading->type, name, NULL, 0);
    }
    weft_builder_value_role(reading->builder, value, WEFT_ROLE_COMPUTING);
    return reading->values[clause] = value;
}

/*
 * Returns true if each number of the record is possible by itself; reports the first that
 * is not.
 */
static bool is_sound(struct vista_reading *reading, const struct vista_record *r)
{
    int64_t n = (int64_t)reading->n_pes;
    int64_t clauses =
        reading->program ? (int64_t)reading->program->n_clauses : (int64_t)MAX_CLAUSE;
    if (r->pe < 0 || r->pe >= n)
        vista_report(reading, VISTA_FAULT_PE, reading->line, r->pe, n);
    else if (r->parent_pe < 0 || r->parent_pe >= n)
        vista_report(reading, VISTA_FAULT_PE, reading->line, r->parent_pe, n);
    else if (r->index < 1 || r->index >= INT64_C(1) << 40)
        vista_report(reading, VISTA_FAULT_INDEX, reading->line, r->index, r->pe);
    else if (r->parent_index < 0 || r->parent_index >= INT64_C(1) << 40)
        vista_report(reading, VISTA_FAULT_INDEX, reading->line, r->parent_index,
                     r->parent_pe);
    else if (r->clause < 1 || r->clause > clauses)
        vista_report(reading, VISTA_FAULT_CLAUSE, reading->line, r->clause, clauses);
    else if (!weft_time_fits(r->time))
        vista_report(reading, VISTA_FAULT_TIME, reading->line, r->time, r->pe);
    else
        return true;
    return false;
}

/*
 * Returns true if the record is consistent with those before; else reports why not. *PARENT
 * is its parent's entry, NULL for the root.
 */
static bool fits(struct vista_reading *reading, const struct vista_record *r,
                 struct vista_seen **parent)
{
    *parent = NULL;
    if (find(reading, r->pe, r->index)) {
        vista_report(reading, VISTA_FAULT_DUPLICATE, reading->line, r->pe, r->index);
        return false;
    }
    if (r->parent_index == 0) {
        if (reading->root)
            vista_report(reading, VISTA_FAULT_SECOND_ROOT, reading->line, reading->root, 1);
        return !reading->root;
    }
    *parent = find(reading, r->parent_pe, r->parent_index);
    if (!*parent)
        vista_report(reading, VISTA_FAULT_PARENT, reading->line, r->parent_pe,
                     r->parent_index);
    return *parent;
}

static void check_parent(struct vista_reading *reading, const struct vista_record *r,
                         struct vista_seen *parent)
{
    if (r->time < parent->time)
        vista_report(reading, VISTA_FAULT_BEFORE_PARENT, reading->line, r->time,
                     parent->time);
    if (!reading->program)
        return;
    if (parent->left)
        parent->left--;
    else
        vista_report(reading, VISTA_FAULT_MANY_CHILDREN, reading->line, r->parent_pe,
                     r->parent_index);
}

static void store(struct vista_reading *reading, const struct vista_record *r, int64_t time)
{
    struct weft_field_value fields[FIELDS];
    size_t n = 0;
    const int64_t numbers[] = { reading->records, r->clause, r->index, r->parent_pe,
                                r->parent_index };
    uint32_t value = value_of_clause(reading, (uint32_t)r->clause);
    for (size_t i = 0; i < (r->parent_index ? 5u : 3u); i++)
        fields[n++] = (struct weft_field_value){ reading->fields[i], { numbers[i] } };
    if (reading->program)
        fields[n++] = (struct weft_field_value){ reading->fields[FIELD_SITE],
                                                 { .index = reading->sites[r->clause] } };
    /*
     * The trace has one time for each reduction: its state lasts until the next one of the
     * PE.
     */
    enum weft_build built = weft_builder_set(reading->builder, reading->pes[r->pe].track,
                                             time, value, fields, n, NULL);
    WEFT_REQUIRE(built == WEFT_BUILD_OK, "a record could not be stored");
}

void vista_add(struct vista_reading *reading, const struct vista_record *r)
{
    struct vista_seen *parent;
    if (!is_sound(reading, r) || !fits(reading, r, &parent))
        return;
    if (parent)
        check_parent(reading, r, parent);
    else
        reading->root = reading->records;
    struct vista_pe *pe = &reading->pes[r->pe];
    int64_t time = r->time;
    if (time < pe->last) {
        vista_report(reading, VISTA_FAULT_ORDER, reading->line, time, pe->last);
        time = pe->last;
    }
    pe->last = time;
    struct vista_seen *seen = make(reading, r->pe, r->index);
    uint32_t left =
        reading->program ? reading->program->clauses[r->clause - 1].children : 0;
    *seen = (struct vista_seen){ time, (uint32_t)reading->line, (uint16_t)left,
                                 (uint16_t)left };
    pe->n++;
    store(reading, r, time);
}

static void check_left(struct vista_reading *reading, const struct vista_seen *seen)
{
    if (seen->line && seen->left)
        vista_report(reading, VISTA_FAULT_FEW_CHILDREN, seen->line, seen->left,
                     seen->wanted);
}

/*
 * Ends the last state of each PE with length 0: the trace does not say when the reduction
 * ended, and it did not last until the end of the run.
 */
static void end_last(struct vista_reading *reading)
{
    for (size_t pe = 0; pe < reading->n_pes; pe++)
        if (weft_builder_open_states(reading->builder, reading->pes[pe].track))
            WEFT_REQUIRE(weft_builder_reset(reading->builder, reading->pes[pe].track,
                                            reading->pes[pe].last)
                             == WEFT_BUILD_OK,
                         "a PE ends before its last reduction");
}

void vista_end(struct vista_reading *reading)
{
    end_last(reading);
    if (!reading->program)
        return;
    for (size_t pe = 0; pe < reading->n_pes; pe++)
        for (size_t i = 0; i < reading->pes[pe].capacity; i++)
            check_left(reading, &reading->pes[pe].seen[i]);
    for (size_t i = 0; i < reading->n_far; i++)
        check_left(reading, &reading->far_seen[i]);
}

void vista_free(struct vista_reading *reading)
{
    for (size_t pe = 0; pe < reading->n_pes; pe++)
        free(reading->pes[pe].seen);
    free(reading->pes);
    free(reading->far_seen);
    weft_id_map_free(&reading->far);
    weft_text_map_free(&reading->procedures);
    free(reading->values);
    free(reading->sites);
}
