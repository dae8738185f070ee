/* SPDX-License-Identifier: Apache-2.0 */
#include "read/roles/builtin_role_tables.h"

#include <string.h>

#include "read/roles/rules.h"

static struct weft_rules *parse(const struct weft_text *table)
{
    struct weft_err err = { 0 };
    struct weft_rules *rules =
        weft_rules_parse(table->text, strlen(table->text), table->name, &err);
    WEFT_REQUIRE(rules, "%s.roles:%u: %s", table->name, (unsigned)err.line, err.message);
    return rules;
}

/* The tables that fit the trace. */
struct fitting_tables {
    const struct weft_rules **rules;
    const char **names;
    size_t *found; /* [n], roles that each table gave */
    size_t n;
    bool name_containers;
};

static void find_fitting(struct fitting_tables *fitting, const struct weft_schema *schema,
                         struct weft_arena *arena)
{
    size_t most = weft_role_tables_n;
    fitting->rules = weft_arena_zalloc(arena, most, sizeof *fitting->rules);
    fitting->names = weft_arena_zalloc(arena, most, sizeof *fitting->names);
    fitting->found = weft_arena_zalloc(arena, most, sizeof *fitting->found);
    for (size_t i = 0; i < most; i++) {
        struct weft_rules *rules = parse(&weft_role_tables[i]);
        if (!weft_rules_fit(rules, schema, NULL, NULL)) {
            weft_rules_free(rules);
            continue;
        }
        fitting->names[fitting->n] = weft_role_tables[i].name;
        fitting->rules[fitting->n++] = rules;
        fitting->name_containers |= weft_rules_name_containers(rules);
    }
}

/*
 * Note the tables that gave roles, and the tool of the first that names one.  Returns true
 * if that tool's times are milliseconds.
 */
static bool note(struct weft_builder *builder, const struct fitting_tables *fitting,
                 struct weft_arena *arena)
{
    const char *names = "", *tool = NULL;
    bool milliseconds = false;
    for (size_t i = 0; i < fitting->n; i++) {
        if (!fitting->found[i])
            continue;
        names = weft_arena_printf(arena, "%s%s%s", names, *names ? ", " : "",
                                  fitting->names[i]);
        if (!tool)
            milliseconds = weft_rules_milliseconds(fitting->rules[i]);
        tool = tool ? tool : weft_rules_tool(fitting->rules[i]);
    }
    if (tool)
        weft_builder_note(builder, WEFT_NOTE_TOOL, tool);
    if (*names)
        weft_builder_note(builder, WEFT_NOTE_ROLES, names);
    return milliseconds;
}

static void give(struct weft_builder *builder, const struct weft_schema *schema,
                 const struct weft_roles *roles)
{
    for (uint32_t i = 0; i < schema->n_types; i++)
        if (roles->types[i] != schema->types[i].role)
            weft_builder_type_role(builder, i, roles->types[i]);
    for (uint32_t i = 0; i < schema->n_values; i++)
        if (roles->values[i] != schema->values[i].role)
            weft_builder_value_role(builder, i, roles->values[i]);
    for (uint32_t i = 0; i < schema->n_fields; i++)
        if (roles->fields[i] != schema->fields[i].role)
            weft_builder_field_role(builder, i, roles->fields[i]);
    for (uint32_t i = 0; i < schema->n_containers; i++)
        if (roles->containers[i] != schema->containers[i].role)
            weft_builder_container_role(builder, i, roles->containers[i]);
}

static void end(const struct fitting_tables *fitting)
{
    for (size_t i = 0; i < fitting->n; i++)
        weft_rules_free((struct weft_rules *)fitting->rules[i]);
}

bool weft_tables_apply(struct weft_builder *builder)
{
    bool milliseconds;
    struct weft_arena arena = { 0 };
    struct weft_schema schema;
    struct weft_roles roles;
    struct fitting_tables fitting = { 0 };
    weft_builder_names(builder, false, &arena, &schema);
    find_fitting(&fitting, &schema, &arena);
    if (fitting.name_containers)
        weft_builder_names(builder, true, &arena, &schema);
    weft_roles_init(&roles, &schema);
    weft_rules_apply(fitting.rules, fitting.n, &schema, false, &roles, fitting.found, NULL);
    give(builder, &schema, &roles);
    milliseconds = note(builder, &fitting, &arena);
    weft_roles_free(&roles);
    end(&fitting);
    weft_arena_free(&arena);
    return milliseconds;
}
