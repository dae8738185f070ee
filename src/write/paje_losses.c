/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the data of a trace that its Paje text cannot hold. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "read/roles/builtin_role_tables.h"
#include "write/losses.h"
#include "write/paje_lines.h"
#include "write/paje_losses.h"

/* Returns how many places lose their function, object file and address. */
static uint64_t count_places(const struct weft_schema *schema)
{
    uint64_t n = 0;
    for (uint32_t s = 0; s < schema->n_sites; s++) {
        const struct weft_site *site = &schema->sites[s];
        n += paje_site_is_short(site)
             && (site->address || site->object[0] || site->function[0]);
    }
    return n;
}

/* Notes are lost, except those that reading adds anew. */
static uint64_t count_notes(const struct weft_schema *schema)
{
    static const char *const made[] = { WEFT_NOTE_TOOL, WEFT_NOTE_ROLES, WEFT_NOTE_MAP };
    uint64_t n = schema->n_notes;
    for (uint32_t i = 0; i < schema->n_notes; i++)
        for (size_t m = 0; m < sizeof made / sizeof *made; m++)
            n -= strcmp(schema->notes[i].key, made[m]) == 0;
    return n;
}

/* The root has no line of its own in Paje: its facts and its type's role are lost. */
static uint64_t count_root(const struct weft_schema *schema)
{
    size_t n;
    weft_container_facts(schema, 0, &n);
    return n + (schema->types[0].role != WEFT_ROLE_NONE);
}

char *paje_losses(const struct weft_source *source, const struct paje_counts *counts)
{
    const struct weft_schema *schema = source->schema;
    char *losses;
    size_t size;
    FILE *text = weft_text_begin(&losses, &size);
    losses_add(text, source->ops->grid_rows(source, WEFT_GRID_DAG_NODES), "node",
               " of the task DAG");
    losses_add(text, source->ops->grid_rows(source, WEFT_GRID_ARRAY_PATTERNS), "pattern",
               " of references to arrays");
    losses_add(text, counts->unnamed, "field", " that name what cannot be named");
    losses_add(text, counts->changed, "text",
               " with quotes or control characters, which were replaced");
    losses_add(text, counts->not_finite, "sample", " without a finite value");
    losses_add(text, count_root(schema), "fact", " of the root");
    losses_add(text, count_places(schema), "function", " of places");
    losses_add(text, schema->n_hosts, "host", "");
    losses_add(text, schema->n_clocks, "clock", "");
    losses_add(text, count_notes(schema), "note", "");
    losses_add(text, counts->half, "half link", " for readers other than Weft");
    losses_add(text, counts->misplaced, "thing",
               " that their types do not allow there, for readers other than Weft");
    weft_text_end(text);
    return losses;
}
