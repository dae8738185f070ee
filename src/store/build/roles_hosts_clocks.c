/* SPDX-License-Identifier: Apache-2.0 */
/* Roles, facts about containers, hosts and clocks. */
#include <stdlib.h>
#include <string.h>

#include "base/radix_sort.h"
#include "store/build/builder_priv.h"

static uint64_t add_text(struct weft_builder *b, const char *text)
{
    return weft_build_text(b, text, text ? strlen(text) : 0);
}

static void check_role(enum weft_role role, enum weft_role_subject subject)
{
    WEFT_REQUIRE(role == WEFT_ROLE_NONE || weft_role_subject(role) == subject,
                 "role %s (%d) is not one of a %s", weft_role_name(role), (int)role,
                 weft_role_subject_name(subject));
}

void weft_builder_type_role(struct weft_builder *b, uint32_t type, enum weft_role role)
{
    WEFT_REQUIRE(type < b->n_types, "type %u", type);
    check_role(role, weft_kind_subject((enum weft_kind)b->types[type].kind));
    b->types[type].role = role;
}

void weft_builder_value_role(struct weft_builder *b, uint32_t value, enum weft_role role)
{
    WEFT_REQUIRE(value < b->n_values, "value %u", value);
    /* The values of links may tell kinds of links apart. */
    if (weft_role_subject(role) != WEFT_ROLE_OF_LINK)
        check_role(role, WEFT_ROLE_OF_VALUE);
    b->values[value].role = role;
}

void weft_builder_field_role(struct weft_builder *b, uint32_t field, enum weft_role role)
{
    WEFT_REQUIRE(field < b->n_fields, "field %u", field);
    check_role(role, WEFT_ROLE_OF_FIELD);
    b->fields[field].role = role;
}

void weft_builder_container_role(struct weft_builder *b, uint32_t container,
                                 enum weft_role role)
{
    WEFT_REQUIRE(container < b->n_containers, "container %u", container);
    check_role(role, WEFT_ROLE_OF_CONTAINER);
    b->containers[container].role = role;
}

static const char *text_of(const struct weft_builder *b, uint64_t offset)
{
    return b->text + offset;
}

static void name_types(const struct weft_builder *b, struct weft_arena *arena,
                       struct weft_schema *out)
{
    struct weft_type *types = weft_arena_zalloc(arena, b->n_types, sizeof *types);
    for (size_t i = 0; i < b->n_types; i++) {
        const struct weft_file_type *from = &b->types[i];
        types[i] = (struct weft_type){ .kind = (enum weft_kind)from->kind,
                                       .parent = from->parent,
                                       .name = text_of(b, from->name),
                                       .alias = text_of(b, from->alias),
                                       .start_type = from->start_type,
                                       .end_type = from->end_type,
                                       .role = (enum weft_role)from->role };
    }
    out->types = types;
    out->n_types = (uint32_t)b->n_types;
}

static void name_values(const struct weft_builder *b, struct weft_arena *arena,
                        struct weft_schema *out)
{
    struct weft_value *values = weft_arena_zalloc(arena, b->n_values + 1, sizeof *values);
    struct weft_field *fields = weft_arena_zalloc(arena, b->n_fields + 1, sizeof *fields);
    for (size_t i = 0; i < b->n_values; i++)
        values[i] = (struct weft_value){ .type = b->values[i].type,
                                         .name = text_of(b, b->values[i].name),
                                         .alias = text_of(b, b->values[i].alias),
                                         .role = (enum weft_role)b->values[i].role };
    for (size_t i = 0; i < b->n_fields; i++)
        fields[i] = (struct weft_field){ .type = b->fields[i].type,
                                         .name = text_of(b, b->fields[i].name),
                                         .kind = (enum weft_field_kind)b->fields[i].kind,
                                         .role = (enum weft_role)b->fields[i].role };
    out->values = values;
    out->n_values = (uint32_t)b->n_values;
    out->fields = fields;
    out->n_fields = (uint32_t)b->n_fields;
}

void weft_builder_names(const struct weft_builder *b, bool containers,
                        struct weft_arena *arena, struct weft_schema *out)
{
    *out = (struct weft_schema){ .format = text_of(b, b->format) };
    name_types(b, arena, out);
    name_values(b, arena, out);
    if (!containers)
        return;
    struct weft_container *list =
        weft_arena_zalloc(arena, b->n_containers + 1, sizeof *list);
    for (size_t i = 0; i < b->n_containers; i++)
        list[i] = (struct weft_container){ .type = b->containers[i].type,
                                           .parent = b->containers[i].parent,
                                           .role = (enum weft_role)b->containers[i].role,
                                           .name = text_of(b, b->containers[i].name),
                                           .alias = text_of(b, b->containers[i].alias) };
    out->containers = list;
    out->n_containers = (uint32_t)b->n_containers;
}

void weft_builder_index_field(struct weft_builder *b, uint32_t field)
{
    WEFT_REQUIRE(field < b->n_fields, "field %u", field);
    b->fields[field].flags |= WEFT_FIELD_IS_INDEXED;
}

void weft_builder_container_field(struct weft_builder *b, uint32_t container,
                                  const struct weft_field_value *value)
{
    WEFT_REQUIRE(container < b->n_containers && value->field < b->n_fields,
                 "field %u of container %u", value->field, container);
    WEFT_REQUIRE(b->fields[value->field].type == b->containers[container].type,
                 "field %u is not one of container %u", value->field, container);
    b->container_fields = weft_grow(b->container_fields, &b->container_field_capacity,
                                    b->n_container_fields + 1, sizeof *b->container_fields);
    b->container_fields[b->n_container_fields++] =
        (struct weft_file_container_field){ container, value->field,
                                            weft_build_field_bits(b, value) };
}

uint32_t weft_builder_host(struct weft_builder *b, const struct weft_host *host)
{
    b->hosts = weft_grow(b->hosts, &b->host_capacity, b->n_hosts + 1, sizeof *b->hosts);
    b->hosts[b->n_hosts] =
        (struct weft_file_host){ add_text(b, host->name), add_text(b, host->identity),
                                 host->processors, 0 };
    return (uint32_t)b->n_hosts++;
}

uint32_t weft_builder_clock(struct weft_builder *b, const struct weft_clock *clock)
{
    WEFT_REQUIRE(clock->host == WEFT_NONE || clock->host < b->n_hosts, "host %u",
                 clock->host);
    WEFT_REQUIRE(weft_clock_knots_valid(clock->knots, clock->n_knots),
                 "a correction that runs backwards");
    b->clocks =
        weft_grow(b->clocks, &b->clock_capacity, b->n_clocks + 1, sizeof *b->clocks);
    b->clocks[b->n_clocks] = (struct weft_file_clock){ .name = add_text(b, clock->name),
                                                       .first_knot = b->n_knots,
                                                       .n_knots = clock->n_knots,
                                                       .error = clock->error,
                                                       .host = clock->host };
    b->knots = weft_grow(b->knots, &b->knot_capacity, b->n_knots + clock->n_knots,
                         sizeof *b->knots);
    for (size_t i = 0; i < clock->n_knots; i++)
        b->knots[b->n_knots++] =
            (struct weft_file_clock_knot){ clock->knots[i].raw, clock->knots[i].corrected };
    return (uint32_t)b->n_clocks++;
}

void weft_builder_container_clock(struct weft_builder *b, uint32_t container,
                                  uint32_t clock)
{
    WEFT_REQUIRE(container < b->n_containers && clock < b->n_clocks,
                 "clock %u of container %u", clock, container);
    b->containers[container].clock = clock;
}

/* Sorts by container, then field; keeps only the last of repeated values. */
static void order_container_fields(struct weft_builder *b)
{
    size_t n = b->n_container_fields, kept = 0;
    struct weft_sort_item *order = weft_alloc((n + 1) * sizeof *order);
    struct weft_file_container_field *sorted = weft_alloc((n + 1) * sizeof *sorted);
    for (size_t i = 0; i < n; i++) {
        const struct weft_file_container_field *row = &b->container_fields[i];
        order[i] =
            (struct weft_sort_item){ (uint64_t)row->container << 32 | row->field, i };
    }
    weft_sort(order, n); /* stable: a later value stays behind an earlier one */
    for (size_t i = 0; i < n; i++)
        if (i + 1 == n || order[i].key != order[i + 1].key)
            sorted[kept++] = b->container_fields[order[i].payload];
    free(order);
    free(b->container_fields);
    b->container_fields = sorted;
    b->n_container_fields = kept;
}

void weft_build_facts(struct weft_builder *b)
{
    order_container_fields(b);
    weft_build_section(b, WEFT_SECTION_CONTAINER_FIELDS, b->container_fields,
                       b->n_container_fields * sizeof *b->container_fields);
    weft_build_section(b, WEFT_SECTION_HOSTS, b->hosts, b->n_hosts * sizeof *b->hosts);
    weft_build_section(b, WEFT_SECTION_CLOCKS, b->clocks, b->n_clocks * sizeof *b->clocks);
    weft_build_section(b, WEFT_SECTION_CLOCK_KNOTS, b->knots,
                       b->n_knots * sizeof *b->knots);
}
