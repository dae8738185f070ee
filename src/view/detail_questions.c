/* SPDX-License-Identifier: Apache-2.0 */
/* The tables that a page shows below the facts about a thing. */
#include "analyse/activity_intervals.h"
#include "view/detail_maker.h"

void weft_maker_ask(struct weft_maker *maker, const char *title, const char *view,
                    const char *by, const char *selection)
{
    struct weft_detail *detail = maker->detail;
    WEFT_REQUIRE(detail->n_questions < WEFT_DETAIL_MAX_QUESTIONS, "too many questions");
    detail->questions[detail->n_questions++] =
        (struct weft_detail_question){ title, view, by, selection };
}

static bool has_value(const struct weft_schema *schema, enum weft_role role)
{
    for (uint32_t v = 0; v < schema->n_values; v++)
        if (weft_role_is(schema->values[v].role, role))
            return true;
    return false;
}

/* Returns true if states of the trace may name containers that they wait for. */
static bool names_objects(const struct weft_schema *schema)
{
    for (uint32_t t = 0; t < schema->n_types; t++)
        if (schema->types[t].kind == WEFT_STATE
            && weft_field_of_type(schema, t, WEFT_ROLE_OBJECT, WEFT_FIELD_CONTAINER)
                   != WEFT_NONE)
            return true;
    return false;
}

void weft_maker_set_questions(struct weft_maker *maker, uint32_t container)
{
    const struct weft_schema *schema = maker->schema;
    const struct weft_container *c = &schema->containers[container];
    if (!has_value(schema, WEFT_ROLE_BLOCKED))
        return;
    if (weft_role_is(c->role, WEFT_ROLE_SYNCHRONIZATION) && names_objects(schema)) {
        const char *waits =
            weft_arena_printf(maker->arena, "blocked and object = \"#%u\"", container);
        weft_maker_ask(maker, "waits for it, by line", "times", "site", waits);
        weft_maker_ask(maker, "by row", "times", "row", waits);
        weft_maker_ask(maker, "the longest", "instances", NULL, waits);
        if (weft_role_is(c->role, WEFT_ROLE_LOCK))
            weft_maker_ask(maker, "holders and wakers", "lock-summary", NULL,
                           weft_container_labels(schema, maker->arena)[container]);
    } else if (weft_is_activity_row(schema, container)) {
        const char *waits =
            weft_arena_printf(maker->arena, "blocked and row = \"#%u\"", container);
        weft_maker_ask(maker, "its waits, by object", "times", "object", waits);
        weft_maker_ask(maker, "by line", "times", "site", waits);
        weft_maker_ask(maker, "the longest", "instances", NULL, waits);
    }
}
