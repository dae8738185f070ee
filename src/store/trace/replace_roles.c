/* SPDX-License-Identifier: Apache-2.0 */
/* Replaces the roles of an open file, and saves a file with other roles. */
#include <stdlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "store/trace/trace_priv.h"

static enum weft_role checked(enum weft_role role, enum weft_role_subject subject,
                              enum weft_role_subject other)
{
    WEFT_REQUIRE(role == WEFT_ROLE_NONE || weft_role_subject(role) == subject
                     || weft_role_subject(role) == other,
                 "role %s (%d) is not one of a %s", weft_role_name(role), (int)role,
                 weft_role_subject_name(subject));
    return role;
}

static void add_note(struct weft_trace *trace, const char *key, const char *text)
{
    struct weft_schema *schema = &trace->schema;
    struct weft_note *notes =
        weft_arena_alloc(&trace->arena, (schema->n_notes + 1) * sizeof *notes);
    for (uint32_t i = 0; i < schema->n_notes; i++)
        notes[i] = schema->notes[i];
    notes[schema->n_notes++] = (struct weft_note){ weft_arena_strdup(&trace->arena, key),
                                                   weft_arena_strdup(&trace->arena, text) };
    schema->notes = notes;
}

void weft_trace_set_roles(struct weft_trace *trace, const struct weft_trace_roles *roles)
{
    /* The tables are the trace's own; only users of the schema must not write. */
    struct weft_schema *schema = &trace->schema;
    struct weft_type *types = (struct weft_type *)schema->types;
    struct weft_value *values = (struct weft_value *)schema->values;
    struct weft_field *fields = (struct weft_field *)schema->fields;
    struct weft_container *containers = (struct weft_container *)schema->containers;
    for (uint32_t i = 0; i < schema->n_types; i++) {
        enum weft_role_subject subject = weft_kind_subject(types[i].kind);
        types[i].role = checked(roles->types[i], subject, subject);
    }
    for (uint32_t i = 0; i < schema->n_values; i++)
        values[i].role = checked(roles->values[i], WEFT_ROLE_OF_VALUE, WEFT_ROLE_OF_LINK);
    for (uint32_t i = 0; i < schema->n_fields; i++)
        fields[i].role = checked(roles->fields[i], WEFT_ROLE_OF_FIELD, WEFT_ROLE_OF_FIELD);
    for (uint32_t i = 0; i < schema->n_containers; i++) {
        enum weft_role own =
            checked(roles->containers[i], WEFT_ROLE_OF_CONTAINER, WEFT_ROLE_OF_CONTAINER);
        containers[i].role = own ? own : types[containers[i].type].role;
    }
    if (roles->origin)
        add_note(trace, "map", roles->origin);
}

/*
 * Writes a section with other rows in its place, and its checksum into HEADER; false if
 * that fails: the checksum is then not of the rows in the file.
 */
static bool put_section(FILE *stream, struct weft_file_header *header,
                        enum weft_section_kind kind, const void *rows)
{
    struct weft_file_section *section = &header->sections[kind];
    section->checksum = XXH3_64bits(rows, section->size);
    return !section->size
           || (fseeko(stream, (off_t)section->offset, SEEK_SET) == 0
               && fwrite(rows, section->size, 1, stream) == 1);
}

static void *copy_of(const struct weft_trace *trace, enum weft_section_kind kind)
{
    const struct weft_file_section *section = &trace->header->sections[kind];
    void *rows = weft_alloc(section->size + 1);
    memcpy(rows, trace->map.data + section->offset, section->size);
    return rows;
}

static bool put_types_and_fields(const struct weft_trace *trace, FILE *stream,
                                 struct weft_file_header *header)
{
    const struct weft_schema *schema = &trace->schema;
    struct weft_file_type *types = copy_of(trace, WEFT_SECTION_TYPES);
    struct weft_file_value *values = copy_of(trace, WEFT_SECTION_VALUES);
    struct weft_file_field *fields = copy_of(trace, WEFT_SECTION_FIELDS);
    for (uint32_t i = 0; i < schema->n_types; i++)
        types[i].role = schema->types[i].role;
    for (uint32_t i = 0; i < schema->n_values; i++)
        values[i].role = schema->values[i].role;
    for (uint32_t i = 0; i < schema->n_fields; i++)
        fields[i].role = schema->fields[i].role;
    bool ok = put_section(stream, header, WEFT_SECTION_TYPES, types)
              && put_section(stream, header, WEFT_SECTION_VALUES, values)
              && put_section(stream, header, WEFT_SECTION_FIELDS, fields);
    free(types);
    free(values);
    free(fields);
    return ok;
}

static bool put_containers(const struct weft_trace *trace, FILE *stream,
                           struct weft_file_header *header)
{
    const struct weft_schema *schema = &trace->schema;
    struct weft_file_container *containers = copy_of(trace, WEFT_SECTION_CONTAINERS);
    for (uint32_t i = 0; i < schema->n_containers; i++) {
        const struct weft_container *from = &schema->containers[i];
        enum weft_role of_type = schema->types[from->type].role;
        containers[i].role = from->role == of_type ? WEFT_ROLE_NONE : from->role;
    }
    bool ok = put_section(stream, header, WEFT_SECTION_CONTAINERS, containers);
    free(containers);
    return ok;
}

bool weft_trace_save(const struct weft_trace *trace, const char *path, struct weft_err *err)
{
    struct weft_output out;
    if (!weft_output_open(&out, path, err))
        return false;
    struct weft_file_header header = *trace->header;
    bool ok = fwrite(trace->map.data, trace->map.size, 1, out.stream) == 1
              && put_types_and_fields(trace, out.stream, &header)
              && put_containers(trace, out.stream, &header);
    header.checksum = 0;
    header.checksum = XXH3_64bits(&header, sizeof header);
    ok = ok && fseek(out.stream, 0, SEEK_SET) == 0
         && fwrite(&header, sizeof header, 1, out.stream) == 1 && !ferror(out.stream);
    if (!ok)
        weft_fail_errno(err, WEFT_ERR_WRITE, "cannot write \"%s\"", path);
    else if (weft_trace_intact(trace, err))
        return weft_output_commit(&out, err);
    weft_output_abandon(&out);
    return false;
}
