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

static struct vista_seen *find(const struct vista_import *import, int64_t pe, int64_t index)
{
    const struct vista_pe *of = &import->pes[pe];
    if ((uint64_t)index < of->capacity && of->seen[index].line)
        return &of->seen[index];
    if (!import->n_far)
        return NULL;
    uint32_t at = weft_id_map_get(&import->far, (uint64_t)pe << 40 | (uint64_t)index);
    return at == WEFT_MAP_NONE ? NULL : &import->far_seen[at];
}

/*
 * Adds a reduction and returns its entry. Indices count up on each PE, so they index an
 * array; an index far beyond twice the PE's reductions so far goes into a map, so that a
 * damaged number does not cost memory.
 */
static struct vista_seen *make(struct vista_import *import, int64_t pe, int64_t index)
{
    struct vista_pe *of = &import->pes[pe];
    if ((uint64_t)index <= 2 * (uint64_t)of->n + 64) {
        size_t old = of->capacity;
        of->seen = weft_grow(of->seen, &of->capacity, (size_t)index + 1, sizeof *of->seen);
        if (of->capacity > old)
            memset(of->seen + old, 0, (of->capacity - old) * sizeof *of->seen);
        return &of->seen[index];
    }
    import->far_seen = weft_grow(import->far_seen, &import->far_capacity, import->n_far + 1,
                                 sizeof *import->far_seen);
    weft_id_map_put(&import->far, (uint64_t)pe << 40 | (uint64_t)index,
                    (uint32_t)import->n_far);
    return &import->far_seen[import->n_far++];
}

void vista_begin(struct vista_import *import, int64_t time)
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
    struct weft_builder *b = import->builder;
    struct weft_type type = { .kind = WEFT_CONTAINER,
                              .parent = 0,
                              .name = "PE",
                              .start_type = WEFT_NONE,
                              .end_type = WEFT_NONE };
    uint32_t pe_type = weft_builder_type(b, &type);
    type.kind = WEFT_STATE;
    type.parent = pe_type;
    type.name = "reduction";
    import->type = weft_builder_type(b, &type);
    weft_builder_type_role(b, pe_type, WEFT_ROLE_WORKER);
    weft_builder_type_role(b, import->type, WEFT_ROLE_REDUCTION);
    for (int i = 0; i < FIELDS; i++) {
        if (i == FIELD_SITE && !import->program)
            continue;
        import->fields[i] =
            weft_builder_field(b, import->type, fields[i].name,
                               i == FIELD_SITE ? WEFT_FIELD_SITE : WEFT_FIELD_INTEGER);
        weft_builder_field_role(b, import->fields[i], fields[i].role);
    }
    for (size_t pe = 0; pe < import->n_pes; pe++) {
        char name[32];
        snprintf(name, sizeof name, "PE %zu", pe);
        uint32_t container = weft_builder_container(b, pe_type, 0, name, NULL, time);
        import->pes[pe].track = weft_builder_track(b, container, import->type);
        import->pes[pe].last = INT64_MIN;
    }
}

static uint32_t value_of_clause(struct vista_import *import, uint32_t clause)
{
    if (clause >= import->n_values) {
        size_t old = import->n_values, need = clause + 1 > 2 * old ? clause + 1 : 2 * old;
        import->values = weft_realloc(import->values, need * sizeof *import->values);
        import->sites = weft_realloc(import->sites, need * sizeof *import->sites);
        memset(import->values + old, 0xff, (need - old) * sizeof *import->values);
        import->n_values = need;
    }
    if (import->values[clause] != WEFT_NONE)
        return import->values[clause];
    uint32_t value = WEFT_NONE;
    if (import->program) {
        const struct vista_clause *of = &import->program->clauses[clause - 1];
        /* The clauses of a procedure share a value. */
        value = weft_text_map_get(&import->procedures, of->name, strlen(of->name));
        if (value == WEFT_MAP_NONE) {
            value = weft_builder_value(import->builder, import->type, of->name, NULL, 0);
            weft_text_map_put(&import->procedures, of->name, strlen(of->name), value);
        }
        import->sites[clause] =
            weft_builder_site(import->builder, &(struct weft_site){ .object = "",
                                                                    .function = of->name,
                                                                    .file = import->source,
                                                                    .line = of->line });
    } else {
        char name[32];
        snprintf(name, sizeof name, "clause %u", clause);
        value = weft_builder_value(import->builder, import->type, name, NULL, 0);
    }
    weft_builder_value_role(import->builder, value, WEFT_ROLE_COMPUTING);
    return import->values[clause] = value;
}

/*
 * Returns true if each number of the record is possible by itself; reports the first that
 * is not.
 */
static bool is_sound(struct vista_import *import, const struct vista_record *r)
{
    int64_t n = (int64_t)import->n_pes;
    int64_t clauses =
        import->program ? (int64_t)import->program->n_clauses : (int64_t)MAX_CLAUSE;
    if (r->pe < 0 || r->pe >= n)
        vista_report(import, VISTA_FAULT_PE, import->line, r->pe, n);
    else if (r->parent_pe < 0 || r->parent_pe >= n)
        vista_report(import, VISTA_FAULT_PE, import->line, r->parent_pe, n);
    else if (r->index < 1 || r->index >= INT64_C(1) << 40)
        vista_report(import, VISTA_FAULT_INDEX, import->line, r->index, r->pe);
    else if (r->parent_index < 0 || r->parent_index >= INT64_C(1) << 40)
        vista_report(import, VISTA_FAULT_INDEX, import->line, r->parent_index,
                     r->parent_pe);
    else if (r->clause < 1 || r->clause > clauses)
        vista_report(import, VISTA_FAULT_CLAUSE, import->line, r->clause, clauses);
    else if (!weft_time_fits(r->time))
        vista_report(import, VISTA_FAULT_TIME, import->line, r->time, r->pe);
    else
        return true;
    return false;
}

/*
 * Returns true if the record is consistent with those before; else reports why not. *PARENT
 * is its parent's entry, NULL for the root.
 */
static bool fits(struct vista_import *import, const struct vista_record *r,
                 struct vista_seen **parent)
{
    *parent = NULL;
    if (find(import, r->pe, r->index)) {
        vista_report(import, VISTA_FAULT_DUPLICATE, import->line, r->pe, r->index);
        return false;
    }
    if (r->parent_index == 0) {
        if (import->root)
            vista_report(import, VISTA_FAULT_SECOND_ROOT, import->line, import->root, 1);
        return !import->root;
    }
    *parent = find(import, r->parent_pe, r->parent_index);
    if (!*parent)
        vista_report(import, VISTA_FAULT_PARENT, import->line, r->parent_pe,
                     r->parent_index);
    return *parent;
}

static void check_parent(struct vista_import *import, const struct vista_record *r,
                         struct vista_seen *parent)
{
    if (r->time < parent->time)
        vista_report(import, VISTA_FAULT_BEFORE_PARENT, import->line, r->time,
                     parent->time);
    if (!import->program)
        return;
    if (parent->left)
        parent->left--;
    else
        vista_report(import, VISTA_FAULT_MANY_CHILDREN, import->line, r->parent_pe,
                     r->parent_index);
}

static void store(struct vista_import *import, const struct vista_record *r, int64_t time)
{
    struct weft_field_value fields[FIELDS];
    size_t n = 0;
    const int64_t numbers[] = { import->records, r->clause, r->index, r->parent_pe,
                                r->parent_index };
    uint32_t value = value_of_clause(import, (uint32_t)r->clause);
    for (size_t i = 0; i < (r->parent_index ? 5u : 3u); i++)
        fields[n++] = (struct weft_field_value){ import->fields[i], { numbers[i] } };
    if (import->program)
        fields[n++] = (struct weft_field_value){ import->fields[FIELD_SITE],
                                                 { .index = import->sites[r->clause] } };
    /*
     * The trace has one time for each reduction: its state lasts until the next one of the
     * PE.
     */
    enum weft_build built = weft_builder_set(import->builder, import->pes[r->pe].track,
                                             time, value, fields, n, NULL);
    WEFT_REQUIRE(built == WEFT_BUILD_OK, "a record could not be stored");
}

void vista_add(struct vista_import *import, const struct vista_record *r)
{
    struct vista_seen *parent;
    if (!is_sound(import, r) || !fits(import, r, &parent))
        return;
    if (parent)
        check_parent(import, r, parent);
    else
        import->root = import->records;
    struct vista_pe *pe = &import->pes[r->pe];
    int64_t time = r->time;
    if (time < pe->last) {
        vista_report(import, VISTA_FAULT_ORDER, import->line, time, pe->last);
        time = pe->last;
    }
    pe->last = time;
    struct vista_seen *seen = make(import, r->pe, r->index);
    uint32_t left = import->program ? import->program->clauses[r->clause - 1].children : 0;
    *seen =
        (struct vista_seen){ time, (uint32_t)import->line, (uint16_t)left, (uint16_t)left };
    pe->n++;
    store(import, r, time);
}

static void check_left(struct vista_import *import, const struct vista_seen *seen)
{
    if (seen->line && seen->left)
        vista_report(import, VISTA_FAULT_FEW_CHILDREN, seen->line, seen->left,
                     seen->wanted);
}

/*
 * Ends the last state of each PE with length 0: the trace does not say when the reduction
 * ended, and it did not last until the end of the run.
 */
static void end_last(struct vista_import *import)
{
    for (size_t pe = 0; pe < import->n_pes; pe++)
        if (weft_builder_open_states(import->builder, import->pes[pe].track))
            WEFT_REQUIRE(weft_builder_reset(import->builder, import->pes[pe].track,
                                            import->pes[pe].last)
                             == WEFT_BUILD_OK,
                         "a PE ends before its last reduction");
}

void vista_end(struct vista_import *import)
{
    end_last(import);
    if (!import->program)
        return;
    for (size_t pe = 0; pe < import->n_pes; pe++)
        for (size_t i = 0; i < import->pes[pe].capacity; i++)
            check_left(import, &import->pes[pe].seen[i]);
    for (size_t i = 0; i < import->n_far; i++)
        check_left(import, &import->far_seen[i]);
}

void vista_free(struct vista_import *import)
{
    for (size_t pe = 0; pe < import->n_pes; pe++)
        free(import->pes[pe].seen);
    free(import->pes);
    free(import->far_seen);
    weft_id_map_free(&import->far);
    weft_text_map_free(&import->procedures);
    free(import->values);
    free(import->sites);
}
