/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Paje: what is written reads back as the same entities, and pj_dump reads it.  Both sides are
 * described here, line by line, with names instead of indices; the description of what was
 * built goes through the two changes that dump_and_paje.h names: a " becomes ', a control
 * character a space.
 */
#include "support.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/reader.h"
#include "store/time.h"
#include "tests/random.h"
#include "write/dump_and_paje.h"

/* ---- A description of all that is in a trace ---- */

static struct {
    FILE *out;
    const struct weft_source *source;
    const char *type;
    bool cleaned; /* names as they look behind Paje */
} d;

static void put_name(const char *name)
{
    putc('<', d.out);
    for (; *name; name++) {
        bool control = (unsigned char)*name < ' ';
        putc(!d.cleaned ? *name : *name == '"' ? '\'' : control ? ' ' : *name, d.out);
    }
    putc('>', d.out);
}

static void put_time(int64_t ticks)
{
    char text[WEFT_TIME_TEXT];
    fprintf(d.out, " %s", weft_time_exact(d.source->schema, ticks, text));
}

static void put_value(uint32_t value)
{
    const struct weft_schema *schema = d.source->schema;
    if (value == WEFT_NONE)
        return;
    put_name(schema->values[value].name);
    fprintf(d.out, "%08" PRIx32 "%s", schema->values[value].color,
            weft_role_name(schema->values[value].role));
}

/* An entity, by its container, type and number. */
static void put_entity(uint64_t id)
{
    const struct weft_schema *schema = d.source->schema;
    if (id == WEFT_NO_ID)
        return;
    putc('@', d.out);
    if (weft_is_container_id(id)) {
        put_name(schema->containers[weft_entity_ordinal(id)].name);
        return;
    }
    const struct weft_track *track = &schema->tracks[weft_entity_track(id)];
    put_name(schema->containers[track->container].name);
    put_name(schema->types[track->type].name);
    fprintf(d.out, "%" PRIu64, weft_entity_ordinal(id));
}

static int by_name(const void *a, const void *b)
{
    const struct weft_field *fields = d.source->schema->fields;
    const struct weft_field_value *x = a, *y = b;
    return strcmp(fields[x->field].name, fields[y->field].name)
               ?: (int)fields[x->field].kind - (int)fields[y->field].kind;
}

static void put_site(const struct weft_site *site)
{
    put_name(site->file);
    put_name(site->function);
    put_name(site->object);
    fprintf(d.out, ":%" PRIu32 " %" PRIx64, site->line, site->address);
}

static void put_values(struct weft_field_value *values, size_t n)
{
    const struct weft_schema *schema = d.source->schema;
    qsort(values, n, sizeof *values, by_name);
    for (size_t i = 0; i < n; i++) {
        const struct weft_field *field = &schema->fields[values[i].field];
        char number[32];
        putc(' ', d.out);
        put_name(field->name);
        fprintf(d.out, "%s %d", weft_role_name(field->role), (int)field->kind);
        switch (field->kind) {
        case WEFT_FIELD_INTEGER: fprintf(d.out, "<%" PRId64 ">", values[i].integer); break;
        case WEFT_FIELD_REAL: put_name(weft_real_text(values[i].real, number)); break;
        case WEFT_FIELD_TEXT: put_name(schema->strings[values[i].index]); break;
        case WEFT_FIELD_SITE: put_site(&schema->sites[values[i].index]); break;
        case WEFT_FIELD_CONTAINER:
            put_name(schema->containers[values[i].index].name);
            break;
        case WEFT_FIELD_ENTITY: put_entity(values[i].entity); break;
        case WEFT_FIELD_KINDS: break;
        }
    }
    putc('\n', d.out);
}

static void put_fields(uint64_t id)
{
    struct weft_field_value values[512];
    put_values(values, d.source->ops->fields(d.source, id, values, 512));
}

static void put_facts(uint32_t container)
{
    struct weft_field_value values[512];
    size_t n;
    const struct weft_field_value *facts =
        weft_container_facts(d.source->schema, container, &n);
    memcpy(values, facts, n * sizeof *values);
    put_values(values, n);
}

static bool state_line(void *user, const struct weft_state *state)
{
    (void)user;
    fprintf(d.out, "  state %u", state->depth);
    put_time(state->begin);
    put_time(state->end);
    fprintf(d.out, " %x ", state->flags);
    put_value(state->value);
    put_fields(state->id);
    return true;
}

static bool event_line(void *user, const struct weft_event *event)
{
    (void)user;
    fputs("  event", d.out);
    put_time(event->time);
    putc(' ', d.out);
    put_value(event->value);
    put_fields(event->id);
    return true;
}

static bool sample_line(void *user, const struct weft_sample *sample)
{
    (void)user;
    fputs("  sample", d.out);
    put_time(sample->begin);
    put_time(sample->end);
    fprintf(d.out, " %a\n", sample->value);
    return true;
}

static bool link_line(void *user, const struct weft_link *link)
{
    const struct weft_schema *schema = d.source->schema;
    (void)user;
    fputs("  link", d.out);
    put_time(link->begin);
    put_time(link->end);
    putc(' ', d.out);
    put_value(link->value);
    put_name(link->from == WEFT_NONE ? "-" : schema->containers[link->from].name);
    put_name(link->to == WEFT_NONE ? "-" : schema->containers[link->to].name);
    if (link->key != WEFT_NONE)
        put_name(schema->strings[link->key]);
    put_entity(link->from_entity);
    put_entity(link->to_entity);
    put_fields(link->id);
    return true;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* In order of their lines: links that begin at one time may change places. */
static void put_links(uint32_t index, struct weft_span span)
{
    FILE *out = d.out;
    char *text, *lines[4096];
    size_t size, n = 0;
    d.out = open_memstream(&text, &size);
    d.source->ops->links(d.source, index, span, link_line, NULL);
    fclose(d.out);
    d.out = out;
    for (char *at = text, *end; (end = strchr(at, '\n')); at = end + 1) {
        assert_true(n < sizeof lines / sizeof *lines);
        *end = '\0';
        lines[n++] = at;
    }
    qsort(lines, n, sizeof *lines, by_text);
    for (size_t i = 0; i < n; i++)
        fprintf(d.out, "%s\n", lines[i]);
    free(text);
}

static void put_track(uint32_t index)
{
    const struct weft_schema *schema = d.source->schema;
    const struct weft_source_ops *ops = d.source->ops;
    const struct weft_track *track = &schema->tracks[index];
    struct weft_span all = { schema->span.begin, schema->span.end + 1 };
    if (!track->count)
        return; /* a track comes to be with its first entity */
    fputs(" track ", d.out);
    put_name(schema->types[track->type].name);
    fprintf(d.out, "%s\n", weft_role_name(schema->types[track->type].role));
    switch (schema->types[track->type].kind) {
    case WEFT_STATE: ops->states(d.source, index, all, state_line, NULL); break;
    case WEFT_EVENT: ops->events(d.source, index, all, event_line, NULL); break;
    case WEFT_VARIABLE: ops->samples(d.source, index, all, sample_line, NULL); break;
    case WEFT_LINK: put_links(index, all); break;
    case WEFT_CONTAINER: break;
    }
}

static char *describe(const struct weft_trace *trace, bool cleaned)
{
    char *text;
    size_t size;
    const struct weft_schema *schema = weft_trace_schema(trace);
    d.out = open_memstream(&text, &size);
    d.source = weft_trace_source(trace);
    d.cleaned = cleaned;
    for (uint32_t p = 0; p < schema->n_containers; p++) {
        const struct weft_container *container = &schema->containers[schema->preorder[p]];
        fprintf(d.out, "container %u %x ", container->depth, container->flags);
        if (p) { /* the root's name is the format's own */
            put_name(container->name);
            put_name(schema->types[container->type].name);
            fputs(weft_role_name(container->role), d.out);
        }
        put_time(container->begin);
        put_time(container->end);
        put_facts(schema->preorder[p]);
        for (uint32_t i = schema->track_begin[p]; i < schema->track_begin[p + 1]; i++) {
            uint32_t t = schema->track_at[i];
            put_track(t);
        }
    }
    fclose(d.out);
    return text;
}

/* pj_dump reads it with its default options, where it is installed. */
static void check_pj_dump(const char *path)
{
    char *command = weft_asprintf("command -v pj_dump >/dev/null || exit 0; "
                                  /* it reads some memory before it writes that */
                                  "env -u MALLOC_PERTURB_ pj_dump '%s' >'%s.dump' 2>&1",
                                  path, path);
    if (system(command) != 0)
        fail_msg("pj_dump refuses %s", path);
    free(command);
}

/* Write TRACE (closing it), read that, and compare; PROBLEMS: those that reading finds. */
static void check_round_trip(struct weft_trace *trace, uint32_t problems)
{
    struct weft_err err = { 0 };
    struct weft_read_options options = { 0 };
    FILE *stream = fopen(support_path("out.paje"), "wb");
    assert_non_null(stream);
    assert_true(weft_write_paje(weft_trace_source(trace), stream, NULL, NULL, &err));
    assert_int_equal(fclose(stream), 0);
    char *paje = strdup(support_path("out.paje"));
    check_pj_dump(paje);
    if (!weft_import(paje, &options, support_path("back"), NULL, &err))
        fail_msg("%s", err.message);
    struct weft_trace *back = weft_trace_open(support_path("back"), &err);
    assert_non_null(back);
    char *wanted = describe(trace, true), *got = describe(back, false);
    if (strcmp(wanted, got) != 0) {
        size_t at = 0;
        while (wanted[at] == got[at])
            at++;
        while (at && wanted[at - 1] != '\n')
            at--;
        fail_msg("wanted %.200s\ngot %.200s", wanted + at, got + at);
    }
    const struct weft_schema *schema = weft_trace_schema(back);
    uint32_t found = 0;
    for (uint32_t i = 0; i < schema->n_problems; i++)
        found += schema->problems[i].severity >= WEFT_WARNING;
    for (uint32_t i = 0; i < schema->n_problems && found != problems; i++)
        print_message("%s\n", schema->problems[i].message);
    assert_int_equal(found, problems);
    free(wanted);
    free(got);
    free(paje);
    weft_trace_close(back);
    weft_trace_close(trace);
}

/* ---- Stores ---- */

/* A type of links between containers of one type. */
static uint32_t link_type(struct weft_builder *b, uint32_t ends, const char *name)
{
    return weft_builder_type(
        b, &(struct weft_type){
               .kind = WEFT_LINK, .name = name, .start_type = ends, .end_type = ends });
}

/* What is hard in Paje: its own quotes, comments, keywords and separators, and no text. */
static const char *const names[] = {
    "plain",    "two words",   "tab\there",    "line\nbreak", "a \"b\" c", "\"",
    "",         " ",           "#5",           "# comment",   "%EventDef", "%EndEventDef",
    "0",        "c1",          "t0",           "v0",          "caf\xe9",   "\xff\xfe",
    "\x01\x1f", "back\\slash", "\xe2\x82\xac", "\x7f",        "'",         "\r\n",
};
enum { N_NAMES = sizeof names / sizeof *names };

static void test_names_of_everything_come_back(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_NAMES; i++) {
        const char *name = names[i];
        struct weft_builder *b = support_begin();
        uint32_t process = support_type(b, WEFT_CONTAINER, 0, name);
        uint32_t activity = support_type(b, WEFT_STATE, process, name);
        uint32_t mark = support_type(b, WEFT_EVENT, process, "Mark");
        uint32_t message = link_type(b, process, "Message");
        uint32_t p = weft_builder_container(b, process, 0, name, NULL, 0);
        uint32_t q = weft_builder_container(b, process, 0, "other", name, 0);
        uint32_t value = weft_builder_value(b, activity, name, NULL, 0xff112233);
        uint32_t track = weft_builder_track(b, p, activity);
        weft_builder_push(b, track, 1, value, NULL, 0, NULL);
        weft_builder_pop(b, track, 2, NULL);
        struct weft_field_value field = {
            weft_builder_field(b, mark, "word", WEFT_FIELD_TEXT), { 0 }
        };
        field.index = weft_builder_string(b, name, strlen(name));
        weft_builder_event(b, weft_builder_track(b, q, mark), 3,
                           weft_builder_value(b, mark, name, NULL, 0), &field, 1, NULL);
        struct weft_link link = support_link(b, message, WEFT_NONE, name, p, 4, q, 5);
        link.value = weft_builder_value(b, message, name, NULL, 0);
        weft_builder_link(b, &link, NULL, 0);
        check_round_trip(support_finish(b), 0);
    }
}

/* The same with names of fields of all kinds. */
static void test_names_of_fields_come_back(void **state)
{
    (void)state;
    struct weft_builder *b = support_begin();
    uint32_t mark = support_type(b, WEFT_EVENT, 0, "Mark");
    uint32_t value = weft_builder_value(b, mark, "here", NULL, 0);
    for (int kind = WEFT_FIELD_INTEGER; kind <= WEFT_FIELD_TEXT; kind++) {
        static const char *const kinds[] = { "int", "real", "text" };
        struct weft_field_value field = {
            weft_builder_field(b, mark, kinds[kind], (enum weft_field_kind)kind), { 0 }
        };
        if (kind == WEFT_FIELD_REAL)
            field.real = 0.1;
        else if (kind == WEFT_FIELD_INTEGER)
            field.integer = -INT64_MAX;
        else
            field.index = weft_builder_string(b, "x y", 3);
        weft_builder_event(b, weft_builder_track(b, 0, mark), kind, value, &field, 1, NULL);
    }
    struct weft_field_value site = { weft_builder_field(b, mark, "site", WEFT_FIELD_SITE),
                                     { 0 } };
    site.index = weft_builder_site(b, &(struct weft_site){ .file = "a b.c", .line = 77 });
    weft_builder_event(b, weft_builder_track(b, 0, mark), 9, value, &site, 1, NULL);
    check_round_trip(support_finish(b), 0);
}

static void test_hard_names_of_fields_come_back(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_NAMES; i++) {
        struct weft_builder *b = support_begin();
        uint32_t mark = support_type(b, WEFT_EVENT, 0, "Mark");
        struct weft_field_value fields[] = {
            { weft_builder_field(b, mark, names[i], WEFT_FIELD_INTEGER), { .integer = 5 } },
            { weft_builder_field(b, mark, "plainer", WEFT_FIELD_INTEGER), { .integer = 6 } }
        };
        weft_builder_event(b, weft_builder_track(b, 0, mark), 1,
                           weft_builder_value(b, mark, "here", NULL, 0), fields, 2, NULL);
        check_round_trip(support_finish(b), 0);
    }
}

/* Words of Paje's own, and of Weft's: all kinds of fields, of an event, a link and a container. */
static void test_paje_words_are_names_of_fields(void **state)
{
    static const char *const words[] = { "Time", "Key",      "Event",    "Role",
                                         "Line", "Filename", "DestType", "DestContainer",
                                         "Name", "",         "From",     "weft-Time",
                                         "a#b",  "Place",    "Color",    "EndEventDef" };
    (void)state;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        struct weft_builder *b = support_begin();
        uint32_t process = support_type(b, WEFT_CONTAINER, 0, "Process");
        uint32_t mark = support_type(b, WEFT_EVENT, process, "Mark");
        uint32_t message = link_type(b, process, "Message");
        uint32_t p = weft_builder_container(b, process, 0, "p", NULL, 0);
        uint32_t types[] = { process, mark, message };
        struct weft_field_value fields[3][5];
        for (int t = 0; t < 3; t++)
            for (int k = 0; k < 5; k++)
                fields[t][k] =
                    (struct weft_field_value){ weft_builder_field(b, types[t], words[i],
                                                                  (enum weft_field_kind)k),
                                               { 0 } };
        for (int t = 0; t < 3; t++) {
            fields[t][1].real = 0.1234567890123456789;
            fields[t][2].index = weft_builder_string(b, "", 0);
            fields[t][3].index =
                weft_builder_site(b, &(struct weft_site){ .file = "a:b c.c", .line = 3 });
            fields[t][4].index = p;
            weft_builder_field_role(b, fields[t][0].field, WEFT_ROLE_TAG);
        }
        for (int k = 0; k < 5; k++)
            weft_builder_container_field(b, p, &fields[0][k]);
        weft_builder_event(b, weft_builder_track(b, p, mark), 1, WEFT_NONE, fields[1], 5,
                           NULL);
        struct weft_link link = support_link(b, message, WEFT_NONE, "k", p, 1, p, 2);
        weft_builder_link(b, &link, fields[2], 5);
        check_round_trip(support_finish(b), 0);
    }
}

/* Places with all that they may have. */
static void test_places_come_back(void **state)
{
    static const struct weft_site sites[] = {
        { 0, "", "", "a.c", 3 },
        { 0x123456789abcdef0, "/lib/a b.so", "operator|(int, \"x\")", "", 0 },
        { 1, "", "", "", 0 },
        { 0, "", "main", "/a:b/c d.c:7", 2147483647 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof sites / sizeof *sites; i++) {
        struct weft_builder *b = support_begin();
        uint32_t mark = support_type(b, WEFT_EVENT, 0, "Mark");
        struct weft_field_value at = { weft_builder_field(b, mark, "at", WEFT_FIELD_SITE),
                                       { 0 } };
        at.index = weft_builder_site(b, &sites[i]);
        weft_builder_event(b, weft_builder_track(b, 0, mark), 1, WEFT_NONE, &at, 1, NULL);
        check_round_trip(support_finish(b), 0);
    }
}

/* Identifiers of values that other values have as names. */
static void test_names_may_look_like_identifiers(void **state)
{
    (void)state;
    struct weft_builder *b = support_begin();
    uint32_t mark = support_type(b, WEFT_EVENT, 0, "t1");
    uint32_t track = weft_builder_track(b, 0, mark);
    static const char *const similar[] = { "v1", "v0", "vv3", "v3", "vvv0" };
    for (int64_t i = 0; i < 5; i++)
        weft_builder_event(b, track, i, weft_builder_value(b, mark, similar[i], NULL, 0),
                           NULL, 0, NULL);
    check_round_trip(support_finish(b), 0);
}

/* A rank with a call, which a link, a field and a fact of another container name. */
static void test_what_names_mean_comes_back(void **state)
{
    (void)state;
    struct weft_builder *b = support_begin();
    uint32_t process = support_type(b, WEFT_CONTAINER, 0, "Thing");
    uint32_t group = support_type(b, WEFT_CONTAINER, 0, "Other thing");
    uint32_t call = support_type(b, WEFT_STATE, process, "Call");
    uint32_t operation = support_type(b, WEFT_EVENT, group, "Operation");
    uint32_t message = link_type(b, process, "Message");
    uint32_t send = weft_builder_value(b, call, "send", NULL, 0);
    uint32_t kind = weft_builder_value(b, message, "kind", NULL, 0);
    uint32_t p[3], world;
    for (int i = 0; i < 3; i++) {
        p[i] = weft_builder_container(b, process, 0, "same name", NULL, 0);
        weft_builder_container_place(b, p[i], (uint32_t[]){ 2, 0, 1 }[i]);
    }
    world = weft_builder_container(b, group, 0, "", NULL, 0);
    weft_builder_type_role(b, process, WEFT_ROLE_RANK);
    weft_builder_type_role(b, call, WEFT_ROLE_COMMUNICATION);
    weft_builder_type_role(b, operation, WEFT_ROLE_COLLECTIVE_OPERATION);
    weft_builder_type_role(b, message, WEFT_ROLE_MESSAGE);
    weft_builder_value_role(b, send, WEFT_ROLE_SENDING);
    weft_builder_value_role(b, kind, WEFT_ROLE_COLLECTIVE);
    weft_builder_container_role(b, p[1], WEFT_ROLE_DEVICE);
    struct weft_field_value number = {
        weft_builder_field(b, process, "number", WEFT_FIELD_INTEGER), { .integer = 7 }
    };
    struct weft_field_value at = { weft_builder_field(b, call, "at", WEFT_FIELD_ENTITY),
                                   { 0 } };
    struct weft_field_value in = { weft_builder_field(b, group, "in", WEFT_FIELD_CONTAINER),
                                   { .index = p[1] } };
    weft_builder_field_role(b, number.field, WEFT_ROLE_RANK_NUMBER);
    weft_builder_field_role(b, at.field, WEFT_ROLE_OPERATION);
    weft_builder_container_field(b, p[2], &number);
    weft_builder_container_field(b, world, &in);
    uint64_t operations[3], calls[3];
    for (int64_t i = 0; i < 3; i++)
        weft_builder_event(b, weft_builder_track(b, world, operation), i, WEFT_NONE, NULL,
                           0, &operations[i]);
    for (int i = 0; i < 3; i++) {
        uint32_t track = weft_builder_track(b, p[i], call);
        at.entity = operations[2 - i];
        weft_builder_push(b, track, i, send, &at, 1, NULL);
        at.entity = weft_container_id(p[1], false);
        weft_builder_push(b, track, i + 1, send, &at, 1, &calls[i]);
        weft_builder_pop(b, track, i + 2, NULL);
        weft_builder_pop(b, track, i + 3, NULL);
    }
    for (int i = 0; i < 3; i++) {
        struct weft_link link =
            support_link(b, message, i ? kind : WEFT_NONE, "", p[i], 5, p[2 - i], 9 - i);
        link.from_entity = i == 1 ? WEFT_NO_ID : calls[i];
        link.to_entity = i == 2 ? WEFT_NO_ID : calls[2 - i];
        weft_builder_link(b, &link, NULL, 0);
    }
    check_round_trip(support_finish(b), 0);
}

/* pj_dump refuses these, so they are for Weft alone; the reader tells of each. */
static void test_what_types_forbid_comes_back(void **state)
{
    (void)state;
    struct weft_builder *b = support_begin();
    uint32_t host = support_type(b, WEFT_CONTAINER, 0, "0");
    uint32_t thread = support_type(b, WEFT_CONTAINER, host, "Thread");
    uint32_t mark = support_type(b, WEFT_EVENT, thread, "Mark");
    uint32_t message = link_type(b, thread, "Message");
    uint32_t value = weft_builder_value(b, mark, "here", NULL, 0);
    uint32_t h = weft_builder_container(b, host, 0, "h", NULL, 0);
    uint32_t t = weft_builder_container(b, thread, h, "t", NULL, 0);
    uint32_t astray = weft_builder_container(b, thread, 0, "astray", NULL, 0);
    uint32_t places[] = { t, astray, h };
    for (int64_t i = 0; i < 3; i++) {
        weft_builder_event(b, weft_builder_track(b, places[i], mark), i, value, NULL, 0,
                           NULL);
        struct weft_link link = support_link(b, message, WEFT_NONE, "", t, i, places[i], i);
        weft_builder_link(b, &link, NULL, 0);
    }
    check_round_trip(support_finish(b), 2);
}

static void test_entities_of_many_fields_come_back(void **state)
{
    enum { MANY = 200 };
    struct weft_field_value fields[MANY];
    (void)state;
    struct weft_builder *b = support_begin();
    uint32_t mark = support_type(b, WEFT_EVENT, 0, "Mark");
    for (int i = 0; i < MANY; i++) {
        char name[16];
        snprintf(name, sizeof name, "f%03d", i);
        fields[i] = (struct weft_field_value){
            weft_builder_field(b, mark, name, WEFT_FIELD_INTEGER), { .integer = -i }
        };
    }
    weft_builder_event(b, weft_builder_track(b, 0, mark), 1,
                       weft_builder_value(b, mark, "here", NULL, 0), fields, MANY, NULL);
    check_round_trip(support_finish(b), 0);
}

static void test_times_at_the_ends_of_the_number_line(void **state)
{
    static const int64_t times[] = { -4000000000000000000, -1, 0, 1, 999999999, 1000000001,
                                     4000000000000000000 };
    (void)state;
    struct weft_builder *b = support_begin();
    uint32_t mark = support_type(b, WEFT_EVENT, 0, "Mark");
    uint32_t track = weft_builder_track(b, 0, mark);
    uint32_t value = weft_builder_value(b, mark, "now", NULL, 0);
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        weft_builder_event(b, track, times[i], value, NULL, 0, NULL);
    check_round_trip(support_finish(b), 0);
}

static void test_samples_come_back_to_the_last_bit(void **state)
{
    static const double values[] = { 0.1,      1.0 / 3, DBL_MAX,
                                     -DBL_MAX, DBL_MIN, 5e-324,
                                     1e21,     -0.5,    123456789012345680.0 };
    (void)state;
    struct weft_builder *b = support_begin();
    uint32_t track = weft_builder_track(b, 0, support_type(b, WEFT_VARIABLE, 0, "Load"));
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        weft_builder_sample(b, track, (int64_t)i, values[i]);
    check_round_trip(support_finish(b), 0);
}

static void check_links(const struct weft_link *links, size_t n, uint32_t problems,
                        struct weft_builder *b)
{
    for (size_t i = 0; i < n; i++)
        weft_builder_link(b, &links[i], NULL, 0);
    check_round_trip(support_finish(b), problems);
}

struct two_processes {
    struct weft_builder *builder;
    uint32_t message, data, p, q;
};

static struct two_processes two_processes(void)
{
    struct weft_builder *b = support_begin();
    uint32_t process = support_type(b, WEFT_CONTAINER, 0, "Process");
    uint32_t message = link_type(b, process, "Message");
    return (struct two_processes){
        b,
        message,
        weft_builder_value(b, message, "data", NULL, 0),
        weft_builder_container(b, process, 0, "p", NULL, 0),
        weft_builder_container(b, process, 0, "q", NULL, 0),
    };
}

static void test_half_links_and_tachyons_come_back(void **state)
{
    (void)state;
    struct two_processes t = two_processes();
    struct weft_builder *b = t.builder;
    const struct weft_link links[] = {
        support_link(b, t.message, t.data, "whole", t.p, 10, t.q, 20),
        support_link(b, t.message, t.data, "lost", t.p, 30, WEFT_NONE, 30),
        support_link(b, t.message, t.data, "found", WEFT_NONE, 40, t.q, 40),
        support_link(b, t.message, t.data, "back in time", t.q, 60, t.p, 50),
        support_link(b, t.message, t.data, "", t.q, 70, t.p, 80),
        support_link(b, t.message, t.data, "whole", t.p, 90, t.q, 95),
    };
    /* The reader tells of two halves, of the tachyon, and of the key that comes again. */
    check_links(links, sizeof links / sizeof *links, 4, b);
}

/* Links that share a key, one after another, inside one another, and beside half a one. */
static void test_links_of_one_key_keep_their_ends(void **state)
{
    static const int64_t times[][4] = {
        { 0, 10, 20, 30 }, { 0, 10, 5, 15 },  { 0, 10, 2, 5 },
        { 0, 10, 0, 5 },   { 0, 10, 10, 20 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        struct two_processes t = two_processes();
        const struct weft_link links[] = {
            support_link(t.builder, t.message, t.data, "k", t.p, times[i][0], t.q,
                         times[i][1]),
            support_link(t.builder, t.message, t.data, "k", t.q, times[i][2], t.p,
                         times[i][3]),
        };
        check_links(links, 2, 1, t.builder);
    }
    for (int start = 0; start < 2; start++) {
        struct two_processes t = two_processes();
        struct weft_builder *b = t.builder;
        const struct weft_link links[] = {
            start ? support_link(b, t.message, t.data, "k", t.p, 5, WEFT_NONE, 5)
                  : support_link(b, t.message, t.data, "k", WEFT_NONE, 5, t.q, 5),
            support_link(b, t.message, t.data, "k", t.q, 10, t.p, 20),
        };
        check_links(links, 2, 2, b);
    }
}

/* ---- Random stores ---- */

struct random_store {
    struct weft_builder *builder;
    uint32_t containers[12];
    size_t n_containers;
    uint32_t activity, mark, load, message;
    uint32_t values[2][6]; /* of states, of events */
    uint32_t fields[3];    /* of states: integer, real, text */
};

static void make_tables(struct random_store *r)
{
    struct weft_builder *b = r->builder;
    uint32_t host = support_type(b, WEFT_CONTAINER, 0, "Host");
    uint32_t thread = support_type(b, WEFT_CONTAINER, host, "Thread");
    r->activity = support_type(b, WEFT_STATE, thread, "Activity");
    r->mark = support_type(b, WEFT_EVENT, thread, "Mark");
    r->load = support_type(b, WEFT_VARIABLE, thread, "Load");
    r->message = link_type(b, thread, "Message");
    for (size_t i = 0; i < 6; i++) {
        const char *name = names[roll(N_NAMES)];
        r->values[0][i] =
            weft_builder_value(b, r->activity, name, NULL, 0xff000000u + (uint32_t)i);
        r->values[1][i] = weft_builder_value(b, r->mark, name, NULL, 0);
    }
    static const char *const words[] = { "count", "ratio", "word" };
    for (int i = 0; i < 3; i++)
        r->fields[i] =
            weft_builder_field(b, r->activity, words[i], (enum weft_field_kind)i);
    while (r->n_containers < 12) {
        char name[32];
        uint32_t of_host = weft_builder_container(b, host, 0, names[roll(N_NAMES)], NULL,
                                                  (int64_t)roll(9));
        for (int i = 0; i < 3; i++) {
            snprintf(name, sizeof name, "thread %zu", r->n_containers);
            r->containers[r->n_containers++] = weft_builder_container(
                b, thread, of_host, name, NULL, 10 + (int64_t)roll(9));
        }
    }
}

static void make_states(struct random_store *r, uint32_t container)
{
    struct weft_builder *b = r->builder;
    uint32_t track = weft_builder_track(b, container, r->activity);
    int64_t time = 20;
    for (uint64_t i = roll(300); i > 0; i--) {
        time += (int64_t)roll(5);
        const char *word = names[roll(N_NAMES)];
        struct weft_field_value fields[3] = {
            { r->fields[0], { .integer = (int64_t)roll(1000) - 500 } },
            { r->fields[1], { .real = (double)roll(1000) / 7 } },
            { r->fields[2], { .index = weft_builder_string(b, word, strlen(word)) } },
        };
        if (roll(5) < 3)
            weft_builder_push(b, track, time, r->values[0][roll(6)], fields, roll(4), NULL);
        else if (weft_builder_open_states(b, track))
            weft_builder_pop(b, track, time, NULL);
    }
}

static void make_the_rest(struct random_store *r, uint32_t container)
{
    struct weft_builder *b = r->builder;
    int64_t time = 20;
    for (uint64_t i = roll(50); i > 0; i--) {
        time += 1 + (int64_t)roll(50);
        uint64_t event;
        weft_builder_event(b, weft_builder_track(b, container, r->mark), time,
                           roll(4) ? r->values[1][roll(6)] : WEFT_NONE, NULL, 0, &event);
        weft_builder_sample(b, weft_builder_track(b, container, r->load), time,
                            (double)roll(100) / 3);
        struct weft_link link =
            support_link(b, r->message, WEFT_NONE, "", container, time,
                         r->containers[roll(12)], time + (int64_t)roll(99));
        if (roll(3))
            link.value = weft_builder_value(b, r->message, "data", NULL, 0);
        link.from_entity = roll(3) ? event : WEFT_NO_ID;
        weft_builder_link(b, &link, NULL, 0);
    }
}

static void test_random_stores_come_back(void **state)
{
    (void)state;
    for (uint64_t round = 1; round <= 60; round++) {
        roll_from(round);
        struct random_store r = { .builder = support_begin() };
        make_tables(&r);
        for (size_t i = 0; i < r.n_containers; i++) {
            make_states(&r, r.containers[i]);
            make_the_rest(&r, r.containers[i]);
            if (roll(2))
                weft_builder_destroy(r.builder, r.containers[i], 5000 + (int64_t)roll(99));
        }
        check_round_trip(support_finish(r.builder), 0);
    }
}

/* ---- A damaged store ---- */

struct seen_states { /* the states of a trace */
    struct weft_state list[4096];
    size_t n;
};

static bool see_state(void *user, const struct weft_state *state)
{
    struct seen_states *seen = user;
    assert_true(seen->n < sizeof seen->list / sizeof *seen->list);
    seen->list[seen->n++] = *state;
    return true;
}

static struct seen_states *see_states(const struct weft_trace *trace)
{
    const struct weft_source *source = weft_trace_source(trace);
    const struct weft_schema *schema = source->schema;
    struct weft_span all = { schema->span.begin, schema->span.end + 1 };
    struct seen_states *seen = calloc(1, sizeof *seen);
    for (uint32_t t = 0; t < schema->n_tracks; t++)
        if (schema->types[schema->tracks[t].type].kind == WEFT_STATE)
            source->ops->states(source, t, all, see_state, seen);
    return seen;
}

static void make_nested_store(void)
{
    struct weft_builder *b = support_begin();
    uint32_t type = support_type(b, WEFT_STATE, 0, "State"), value[4];
    for (int i = 0; i < 4; i++)
        value[i] =
            weft_builder_value(b, type, (const char *[]){ "a", "b", "c", "d" }[i], NULL, 0);
    uint32_t track = weft_builder_track(b, 0, type);
    for (int64_t time = 0; time < 4000; time += 1 + (int64_t)roll(3)) {
        size_t depth = weft_builder_open_states(b, track);
        if (depth < 4 && roll(2))
            weft_builder_push(b, track, time, value[roll(4)], NULL, 0, NULL);
        else if (depth)
            weft_builder_pop(b, track, time, NULL);
    }
    weft_trace_close(support_finish(b));
}

/* Write TRACE and read it back: all states that it still has are there, as it has them. */
static void check_states_come_back(const struct weft_trace *trace)
{
    struct weft_err err = { 0 };
    struct weft_read_options options = { 0 };
    FILE *stream = fopen(support_path("out.paje"), "wb");
    assert_non_null(stream);
    assert_true(weft_write_paje(weft_trace_source(trace), stream, NULL, NULL, &err));
    assert_int_equal(fclose(stream), 0);
    char *paje = strdup(support_path("out.paje"));
    assert_true(weft_import(paje, &options, support_path("back"), NULL, &err));
    struct weft_trace *back = weft_trace_open(support_path("back"), &err);
    assert_non_null(back);
    struct seen_states *wanted = see_states(trace), *got = see_states(back);
    assert_int_equal(got->n, wanted->n);
    for (size_t i = 0; i < wanted->n; i++) {
        assert_int_equal(got->list[i].begin, wanted->list[i].begin);
        assert_int_equal(got->list[i].end, wanted->list[i].end);
    }
    free(wanted);
    free(got);
    free(paje);
    weft_trace_close(back);
}

/* A state that damage cut off has no end; what follows it on its track is not inside of it. */
static void test_what_damage_cuts_off_holds_nothing(void **state)
{
    (void)state;
    struct weft_err err = { 0 };
    int n_damaged = 0;
    for (long at = 1500; at < 6000; at += 150) {
        make_nested_store();
        char *path = strdup(support_path("made"));
        FILE *file = fopen(path, "r+b");
        assert_non_null(file);
        fseek(file, at, SEEK_SET);
        int byte = fgetc(file);
        fseek(file, at, SEEK_SET);
        fputc(byte ^ 0x10, file);
        assert_int_equal(fclose(file), 0);
        struct weft_trace *trace = weft_trace_open(path, &err);
        if (trace) { /* it was no table that all depends on */
            struct seen_states *seen = see_states(trace);
            const struct weft_source *source = weft_trace_source(trace);
            struct weft_damage damage;
            n_damaged += source->ops->damage(source, 0, &damage, 1) > 0;
            free(seen);
            check_states_come_back(trace);
            weft_trace_close(trace);
        }
        free(path);
    }
    assert_true(n_damaged > 3);
}

static void test_it_says_when_it_cannot_write_or_shall_not(void **state)
{
    struct weft_err err = { 0 };
    (void)state;
    struct weft_builder *b = support_begin();
    uint32_t type = support_type(b, WEFT_EVENT, 0, "Mark");
    weft_builder_event(b, weft_builder_track(b, 0, type), 5, WEFT_NONE, NULL, 0, NULL);
    struct weft_trace *trace = support_finish(b);
    FILE *full = fopen("/dev/full", "w");
    if (full) {
        assert_false(weft_write_paje(weft_trace_source(trace), full, NULL, NULL, &err));
        assert_int_equal(err.code, WEFT_ERR_WRITE);
        fclose(full);
    }
    struct weft_job job = { .cancelled = true };
    FILE *out = fopen("/dev/null", "w");
    assert_false(weft_write_paje(weft_trace_source(trace), out, NULL, &job, &err));
    assert_int_equal(err.code, WEFT_ERR_CANCELLED);
    fclose(out);
    weft_trace_close(trace);
}

/* ---- What Paje has no place for ---- */

static void check_losses(struct weft_trace *trace, const char *expected)
{
    struct weft_err err;
    char *losses, *text;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    assert_true(weft_write_paje(weft_trace_source(trace), stream, &losses, NULL, &err));
    fclose(stream);
    assert_string_equal(losses, expected);
    free(losses);
    free(text);
    weft_trace_close(trace);
}

/* A call and a message, in the words of SimGrid's SMPI, whose roles one of Weft's tables has. */
static struct weft_trace *make_message(bool more)
{
    struct weft_builder *b = support_begin();
    uint32_t rank = support_type(b, WEFT_CONTAINER, 0, "MPI");
    uint32_t call = support_type(b, WEFT_STATE, rank, "MPI_STATE");
    uint32_t message = link_type(b, rank, "MPI_LINK");
    uint32_t one = weft_builder_container(b, rank, 0, "rank-0", NULL, 0);
    uint32_t send = weft_builder_value(b, call, "PMPI_Send", NULL, 0);
    uint64_t sent;
    weft_builder_type_role(b, rank, WEFT_ROLE_RANK);
    weft_builder_push(b, weft_builder_track(b, one, call), 1, send, NULL, 0, &sent);
    weft_builder_pop(b, weft_builder_track(b, one, call), 2, NULL);
    struct weft_link link = support_link(b, message, WEFT_NONE, "k", one, 1, one, 2);
    struct weft_field_value at = { weft_builder_field(b, message, "at", WEFT_FIELD_SITE),
                                   { 0 } };
    at.index = weft_builder_site(
        b, &(struct weft_site){ .file = "a.c", .line = 7, .function = more ? "f" : "" });
    link.from_entity = more ? sent : WEFT_NO_ID;
    weft_builder_link(b, &link, &at, 1);
    weft_builder_note(b, "tool", "smpi");
    if (more) {
        struct weft_field_value fact = {
            weft_builder_field(b, rank, "number", WEFT_FIELD_INTEGER), { .integer = 4 }
        };
        const struct weft_clock_knot knot = { 0, 5 };
        weft_builder_field_role(b, fact.field, WEFT_ROLE_RANK_NUMBER);
        weft_builder_container_field(b, one, &fact);
        weft_builder_value_role(b, send, WEFT_ROLE_BLOCKED_ON_MESSAGE);
        weft_builder_type_role(b, message, WEFT_ROLE_WAKE_UP);
        uint32_t host =
            weft_builder_host(b, &(struct weft_host){ .name = "h", .identity = "" });
        weft_builder_clock(b, &(struct weft_clock){ "c", host, &knot, 1, -1 });
        weft_builder_note(b, "command", "./a");
        weft_builder_note(b, "date", "today");
        for (int64_t i = 0; i < 3; i++)
            weft_builder_grid_row(b, WEFT_GRID_DAG_NODES, &i, 1);
        weft_builder_grid_row(b, WEFT_GRID_ARRAY_PATTERNS, (int64_t[]){ 1 }, 1);
    }
    return support_finish(b);
}

static void test_it_says_what_it_leaves_out(void **state)
{
    (void)state;
    check_losses(make_message(false), "");
    check_losses(
        make_message(true),
        "3 nodes of the task DAG, 1 pattern of references to arrays, 1 host, 1 clock, 2 notes");
}

static void test_it_says_that_it_cuts_places(void **state)
{
    (void)state;
    struct weft_builder *b = support_begin();
    uint32_t mark = support_type(b, WEFT_EVENT, 0, "Mark");
    struct weft_field_value at = { weft_builder_field(b, mark, "at", WEFT_FIELD_SITE),
                                   { 0 } };
    const struct weft_site site = { 1, "x", "f", "y|", 1 };
    at.index = weft_builder_site(b, &site);
    weft_builder_event(b, weft_builder_track(b, 0, mark), 1, WEFT_NONE, &at, 1, NULL);
    check_losses(support_finish(b), "1 function of places");
}

/* A name and a text of a field have what no quoted text can have. */
static void test_it_says_which_texts_it_changes(void **state)
{
    (void)state;
    struct weft_builder *b = support_begin();
    uint32_t mark = support_type(b, WEFT_EVENT, 0, "Mark");
    struct weft_field_value said = { weft_builder_field(b, mark, "said", WEFT_FIELD_TEXT),
                                     { .index = weft_builder_string(b, "a\nb", 3) } };
    uint32_t value = weft_builder_value(b, mark, "the \"first\"", NULL, 0);
    weft_builder_event(b, weft_builder_track(b, 0, mark), 1, value, &said, 1, NULL);
    check_losses(support_finish(b),
                 "2 texts with quotes or control characters, which were replaced");
}

/* Also numbers that are none: its readers refuse such a line. */
static void test_it_leaves_out_what_is_no_finite_number(void **state)
{
    (void)state;
    const double values[] = { 1, NAN, 2, INFINITY, -INFINITY, 3 };
    struct weft_builder *b = support_begin();
    uint32_t thread = support_type(b, WEFT_CONTAINER, 0, "thread");
    uint32_t variable = support_type(b, WEFT_VARIABLE, thread, "v");
    uint32_t one = weft_builder_container(b, thread, 0, "one", NULL, 0);
    uint32_t track = weft_builder_track(b, one, variable);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        weft_builder_sample(b, track, (int64_t)i, values[i]);
    check_losses(support_finish(b), "3 samples without a finite value");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_of_everything_come_back),
        cmocka_unit_test(test_names_of_fields_come_back),
        cmocka_unit_test(test_hard_names_of_fields_come_back),
        cmocka_unit_test(test_paje_words_are_names_of_fields),
        cmocka_unit_test(test_places_come_back),
        cmocka_unit_test(test_names_may_look_like_identifiers),
        cmocka_unit_test(test_what_names_mean_comes_back),
        cmocka_unit_test(test_what_types_forbid_comes_back),
        cmocka_unit_test(test_entities_of_many_fields_come_back),
        cmocka_unit_test(test_times_at_the_ends_of_the_number_line),
        cmocka_unit_test(test_samples_come_back_to_the_last_bit),
        cmocka_unit_test(test_half_links_and_tachyons_come_back),
        cmocka_unit_test(test_links_of_one_key_keep_their_ends),
        cmocka_unit_test(test_random_stores_come_back),
        cmocka_unit_test(test_what_damage_cuts_off_holds_nothing),
        cmocka_unit_test(test_it_says_when_it_cannot_write_or_shall_not),
        cmocka_unit_test(test_it_says_what_it_leaves_out),
        cmocka_unit_test(test_it_says_that_it_cuts_places),
        cmocka_unit_test(test_it_says_which_texts_it_changes),
        cmocka_unit_test(test_it_leaves_out_what_is_no_finite_number),
    };
    return cmocka_run_group_tests(tests, NULL, support_cleanup);
}
