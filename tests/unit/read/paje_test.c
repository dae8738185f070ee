/* SPDX-License-Identifier: Apache-2.0 */
/* What Paje means, line by line; expected dumps follow from the rules of the format. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "store/time.h"
#include "write/dump_and_paje.h"

static void dump_is(struct weft_trace *trace, const char *entities)
{
    char *dump = support_dump(trace);
    /* Containers come first in the alphabet; what they are is tested elsewhere. */
    const char *at = dump;
    while (strncmp(at, "Container", 9) == 0)
        at = strchr(at, '\n') + 1;
    assert_string_equal(at, entities);
    free(dump);
}

static void check(const char *text, const char *entities)
{
    struct weft_trace *trace = support_read(text);
    dump_is(trace, entities);
    weft_trace_close(trace);
}

static void push_and_pop_nest(void **state)
{
    (void)state;
    check("10 1 a S x\n10 2 a S y\n11 3 a S\n11 4 a S\n",
          "State, one, State, 1, 4, 3, 0, x\nState, one, State, 2, 3, 1, 1, y\n");
}

static void set_closes_all_that_is_open(void **state)
{
    (void)state;
    check("10 1 a S x\n10 2 a S y\n12 3 a S z\n11 4 a S\n",
          "State, one, State, 1, 3, 2, 0, x\nState, one, State, 2, 3, 1, 1, y\n"
          "State, one, State, 3, 4, 1, 0, z\n");
}

static void states_without_end_last_to_the_end(void **state)
{
    (void)state;
    struct weft_trace *trace =
        support_read("10 1 a S x\n10 2 b S y\n8 5 P a\n13 9 b E z\n");
    dump_is(trace, "Event, two, Event, 9, z\nState, one, State, 1, 5, 4, 0, x\n"
                   "State, two, State, 2, 9, 7, 0, y\n");
    weft_trace_close(trace);
}

static void variables_are_steps(void **state)
{
    (void)state;
    /* At the time of the latest sample, set and add change it in place. */
    check("14 0 a V 10\n15 0 a V 1\n15 1 a V 2\n16 2 a V 0.5\n14 4 a V 7\n8 6 P a\n",
          "Variable, one, Variable, 0, 1, 1, 11\nVariable, one, Variable, 1, 2, 1, 13\n"
          "Variable, one, Variable, 2, 4, 2, 12.5\nVariable, one, Variable, 4, 6, 2, 7\n");
}

static void links_match_by_key_in_either_order(void **state)
{
    (void)state;
    check("17 1 0 L a m k1\n18 3 0 L b m k2\n18 2 0 L b m k1\n17 2.5 0 L a m k2\n",
          "Link, 0, Link, 1, 2, 1, m, one, two, k1\n"
          "Link, 0, Link, 2.5, 3, 0.5, m, one, two, k2\n");
}

/* Many links under way at once: the table of halves grows and gives back. */
static void many_links_at_once(void **state)
{
    (void)state;
    char *text = weft_alloc(1 << 20), *at = text;
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 5000; i++)
            at += sprintf(at, "17 %d 0 L a m k%d-%d\n", i, round, i);
        for (int i = 4999; i >= 0; i--)
            at += sprintf(at, "18 %d 0 L b m k%d-%d\n", 6000 + i, round, i);
    }
    struct weft_trace *trace = support_read(text);
    assert_int_equal(weft_trace_schema(trace)->n_problems, 0);
    assert_int_equal(weft_trace_schema(trace)->n_links, 10000);
    char *dump = support_dump(trace);
    /* Each lasts 6000 s: start i, end 6000 + i. */
    size_t n = 0;
    for (char *line = strstr(dump, "Link, "); line; line = strstr(line + 1, "\nLink, "))
        n += strstr(line, ", 6000, m, one, two, ") != NULL;
    assert_int_equal(n, 10000);
    free(dump);
    weft_trace_close(trace);
    free(text);
}

static void values_go_by_alias_or_name(void **state)
{
    (void)state;
    check("6 v1 S \"a value\" \"1 0 0\"\n13 1 a E v1\n10 1 a S v1\n11 2 a S\n"
          "10 3 a S \"a value\"\n11 4 a S\n10 5 a S \"\"\n11 6 a S\n",
          "Event, one, Event, 1, v1\nState, one, State, 1, 2, 1, 0, a value\n"
          "State, one, State, 3, 4, 1, 0, a value\nState, one, State, 5, 6, 1, 0, \n");
}

static void lines_out_of_order_are_sorted(void **state)
{
    (void)state;
    /* The second and third lines of a's states are exchanged; b's are in order. */
    struct weft_trace *trace = support_read("10 1 a S x\n11 4 a S\n10 2 a S y\n11 3 a S\n"
                                            "10 0 b S z\n11 1 b S\n");
    dump_is(trace, "State, one, State, 1, 4, 3, 0, x\nState, one, State, 2, 3, 1, 1, y\n"
                   "State, two, State, 0, 1, 1, 0, z\n");
    assert_int_equal(support_problems(trace, "out-of-order", NULL), 2);
    assert_int_equal(weft_trace_schema(trace)->n_problems, 2);
    weft_trace_close(trace);
}

static void late_lines_of_a_destroyed_container_are_kept(void **state)
{
    (void)state;
    struct weft_trace *trace =
        support_read("10 1 a S x\n8 5 P a\n11 3 a S\n10 6 a S never\n");
    dump_is(trace, "State, one, State, 1, 3, 2, 0, x\n");
    assert_int_equal(support_problems(trace, "use-after-destroy", NULL), 2);
    weft_trace_close(trace);
}

static void children_outlive_their_parent(void **state)
{
    (void)state;
    check("1 T P Thread\n2 R T Run\n7 0 t T a thread\n10 1 t R x\n8 2 P a\n11 3 t R\n",
          "State, thread, Run, 1, 3, 2, 0, x\n");
}

static void a_destroyed_name_can_be_used_again(void **state)
{
    (void)state;
    check("10 1 a S x\n8 2 P a\n7 3 a P 0 again\n10 4 a S y\n11 5 a S\n",
          "State, again, State, 4, 5, 1, 0, y\nState, one, State, 1, 2, 1, 0, x\n");
}

/* Each container's lines that were out of order come back to it, not to its namesake. */
static void lines_out_of_order_stay_with_their_container(void **state)
{
    (void)state;
    struct weft_trace *trace =
        support_read("10 1 a S x\n11 4 a S\n10 2 a S y\n11 3 a S\n8 5 P a\n"
                     "7 6 a P 0 again\n10 7 a S z\n11 8 a S\n8 9 P a\n");
    dump_is(trace, "State, again, State, 7, 8, 1, 0, z\n"
                   "State, one, State, 1, 4, 3, 0, x\nState, one, State, 2, 3, 1, 1, y\n");
    weft_trace_close(trace);
    /* And when nothing follows under that name. */
    trace = support_read("10 1 a S x\n11 4 a S\n10 2 a S y\n11 3 a S\n8 5 P a\n"
                         "7 6 a P 0 again\n");
    dump_is(trace, "State, one, State, 1, 4, 3, 0, x\nState, one, State, 2, 3, 1, 1, y\n");
    weft_trace_close(trace);
}

static void finer_times_lose_nothing(void **state)
{
    (void)state;
    struct weft_trace *trace = support_read("10 1 a S x\n11 1.000000000001 a S\n"
                                            "10 2.000000000000003 a S y\n11 3 a S\n");
    dump_is(trace, "State, one, State, 1, 1.000000000001, 0.000000000001, 0, x\n"
                   "State, one, State, 2.000000000000003, 3, 0.999999999999997, 0, y\n");
    assert_int_equal(weft_trace_schema(trace)->ticks_numerator, 1000000000000000);
    weft_trace_close(trace);
    /* What is fine and large at once is rounded, and said. */
    trace = support_read("10 1700000000 a S x\n11 1700000000.123456789012345 a S\n");
    assert_true(support_problems(trace, "time-too-fine", NULL) > 0);
    assert_int_equal(weft_trace_schema(trace)->n_states, 1);
    weft_trace_close(trace);
}

static void time_units(void **state)
{
    (void)state;
    char *text = weft_asprintf("%s10 1 a S x\n11 3.5 a S\n", support_header);
    struct weft_trace *trace = support_read_plain(text, "ms");
    dump_is(trace, "State, one, State, 0.001, 0.0035, 0.0025, 0, x\n");
    weft_trace_close(trace);
    free(text);
}

/* Old names of fields, glued and separate %, CR LF, comments, ids that are no numbers. */
static void old_and_odd_definitions(void **state)
{
    (void)state;
    struct weft_trace *trace = support_read_plain(
        "# a comment\r\n\r\n%EventDef\tPajeDefineContainerType\tone\r\n"
        "%\tName string\r\n%ContainerType string # who\r\n%EndEventDef\r\n"
        "% EventDef PajeDefineStateType 01\r\n%Name string\r\n%EntityType string\r\n"
        "%EndEventDef\r\n"
        "%EventDef PajeCreateContainer 1\r\n%Name string\r\n%Container string\r\n"
        "%Type string\r\n%Time date\r\n%Filename string\r\n%EndEventDef\r\n"
        "%EventDef PajeDestroyContainer 2\r\n%Time date\r\n%Container string\r\n"
        "%EndEventDef\r\n"
        "%EventDef PajeSetState 3\r\n%Value string\r\n%Type string\r\n%Container string\r\n"
        "%Time date\r\n%EndEventDef\r\n"
        "one P 0 # the only type\r\n01 S P\r\n1 \"the one\" 0 P 0.5 file.trc\r\n"
        "3 busy S \"the one\" 1\r\n"
        "%EventDef PajeResetState again\r\n%Time date\r\n%Type string\r\n"
        "%Container string\r\n%EndEventDef\r\n"
        "   again 2 S \"the one\"   \r\n2 4 \"the one\"\r\n",
        NULL);
    char *dump = support_dump(trace);
    assert_string_equal(dump, "Container, 0, 0, 0.5, 4, 3.5, 0\n"
                              "Container, 0, P, 0.5, 4, 3.5, the one\n"
                              "State, the one, S, 1, 2, 1, 0, busy\n");
    free(dump);
    assert_int_equal(weft_trace_schema(trace)->n_problems, 0);
    assert_int_equal(weft_trace_schema(trace)->n_records, 6);
    weft_trace_close(trace);
}

static const char with_fields[] =
    "%EventDef PajePushState 30\n% Time date\n% Type string\n% Container string\n"
    "% Value string\n% Size int\n% Load double\n% Tag hex\n% File string\n% Line int\n"
    "%EndEventDef\n"
    "30 1 S a x 42 2.50 ff main.c 17\n11 2 a S\n30 3 S a y none 1e3 \"\" main.c ?\n";

static const struct weft_field_value *field(const struct weft_schema *schema,
                                            const struct weft_field_value *values, size_t n,
                                            const char *name, enum weft_field_kind kind)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(schema->fields[values[i].field].name, name) == 0
            && schema->fields[values[i].field].kind == kind)
            return &values[i];
    print_message("no field %s\n", name);
    fail();
    return NULL;
}

static void fields_are(const struct weft_trace *trace)
{
    const struct weft_source *source = weft_trace_source(trace);
    const struct weft_schema *schema = source->schema;
    uint32_t track = 0;
    while (schema->types[schema->tracks[track].type].kind != WEFT_STATE)
        track++;
    struct weft_field_value values[16];
    size_t n = source->ops->fields(source, weft_entity_id(track, 0), values, 16);
    assert_int_equal(n, 4);
    assert_int_equal(field(schema, values, n, "Size", WEFT_FIELD_INTEGER)->integer, 42);
    assert_true(field(schema, values, n, "Load", WEFT_FIELD_REAL)->real == 2.5);
    assert_string_equal(
        schema->strings[field(schema, values, n, "Tag", WEFT_FIELD_TEXT)->index], "ff");
    const struct weft_site *site = NULL;
    for (size_t i = 0; i < n; i++)
        if (schema->fields[values[i].field].kind == WEFT_FIELD_SITE)
            site = &schema->sites[values[i].index];
    assert_non_null(site);
    assert_string_equal(site->file, "main.c");
    assert_int_equal(site->line, 17);
    /* What does not fit its declared type stays text. */
    n = source->ops->fields(source, weft_entity_id(track, 1), values, 16);
    assert_int_equal(n, 5);
    assert_string_equal(
        schema->strings[field(schema, values, n, "Size", WEFT_FIELD_TEXT)->index], "none");
    assert_true(field(schema, values, n, "Load", WEFT_FIELD_REAL)->real == 1000);
    assert_string_equal(
        schema->strings[field(schema, values, n, "Line", WEFT_FIELD_TEXT)->index], "?");
}

static struct weft_trace *write_and_read(struct weft_trace *trace)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    struct weft_err err = { 0 };
    assert_true(weft_write_paje(weft_trace_source(trace), stream, NULL, NULL, &err));
    assert_int_equal(fclose(stream), 0);
    struct weft_trace *again = support_read_plain(text, NULL);
    free(text);
    return again;
}

static void extra_fields_become_fields(void **state)
{
    (void)state;
    struct weft_trace *trace = support_read(with_fields);
    fields_are(trace);
    struct weft_trace *again = write_and_read(trace);
    fields_are(again);
    weft_trace_close(again);
    weft_trace_close(trace);
}

static void what_is_written_reads_back(void **state)
{
    (void)state;
    struct weft_trace *trace = support_read(
        "1 T P \"A thread\"\n2 R T Run\n6 r R \"runs, and runs\" \"0.2 0.4 0.6\"\n"
        "7 0.25 t T a \"\"\n10 1 t R r\n10 1 t R r\n11 1 t R\n12 2 t R q\n12 2 t R r\n"
        "14 0 a V -0.1\n14 3 a V 1e300\n13 1.000000001 a E \"two words\"\n"
        "17 1 0 L a m k\n18 0.5 0 L b m k\n17 1 0 L a m half\n8 4 T t\n10 4 b S open\n");
    struct weft_trace *again = write_and_read(trace);
    char *one = support_dump(trace), *two = support_dump(again);
    assert_string_equal(one, two);
    free(one);
    free(two);
    const struct weft_schema *a = weft_trace_schema(trace), *b = weft_trace_schema(again);
    assert_int_equal(a->n_links, b->n_links); /* the half one too */
    assert_int_equal(a->n_values, b->n_values);
    for (uint32_t i = 0; i < a->n_values; i++)
        assert_int_equal(a->values[i].color, b->values[i].color);
    weft_trace_close(again);
    weft_trace_close(trace);
}

/* Lines fall on either side of every boundary between blocks of text. */
static bool check_end(void *user, const struct weft_link *link)
{
    uint64_t *n = user;
    assert_int_equal(weft_entity_ordinal(link->from_entity), *n % 2);
    assert_int_equal(link->to_entity, WEFT_NO_ID);
    (*n)++;
    return true;
}

/* Comments of Weft: lines for others are none, the rest of a line for Weft is one. */
static void comments_of_weft_are_for_weft(void **state)
{
    enum { LINKS = 20000 }; /* of several parts */
    (void)state;
    check("#weft 13 1 a E e\n13 2 a E f #others\n13 3 a #weft E g\n13 4 a E \" \"\n"
          "13 5 a E \"#others\"\n# 13 6 a E h\n",
          "Event, one, Event, 1, e\nEvent, one, Event, 3, g\nEvent, one, Event, 4, \n"
          "Event, one, Event, 5, #others\n");
    char *text = weft_alloc(LINKS * 80), *at = text;
    at += sprintf(at, "%%EventDef PajeStartLink 90\n%% Time date\n%% Container string\n"
                      "%% Type string\n%% StartContainer string\n%% Value string\n"
                      "%% Key string\n#weft %% From string #weft none from\n%%EndEventDef\n"
                      "10 0 a S x\n10 0 a S y\n");
    for (int i = 0; i < LINKS; i++)
        at += sprintf(at, "90 %d 0 L a m %d #weft a/S/%d\n18 %d 0 L b m %d\n", i, i, i % 2,
                      i + 1, i);
    struct weft_trace *trace = support_read(text);
    const struct weft_source *source = weft_trace_source(trace);
    struct weft_span all = { 0, INT64_MAX };
    uint64_t n = 0;
    for (uint32_t t = 0; t < source->schema->n_tracks; t++)
        source->ops->links(source, t, all, check_end, &n);
    assert_int_equal(n, LINKS);
    weft_trace_close(trace);
    free(text);
}

static void blocks_are_seamless(void **state)
{
    (void)state;
    enum { LINES = 200000 };
    char *text = weft_alloc(LINES * 40), *at = text;
    for (int i = 0; i < LINES; i++)
        at += sprintf(at, "13 %d.%0*d a E x%d\n", i, 1 + i % 9, i % 10, i % 7);
    struct weft_trace *trace = support_read(text);
    assert_int_equal(weft_trace_schema(trace)->n_problems, 0);
    assert_int_equal(weft_trace_schema(trace)->n_events, LINES);
    weft_trace_close(trace);
    free(text);
}

static void nothing_but_definitions_still_opens(void **state)
{
    (void)state;
    struct weft_trace *trace = support_read_plain("%EventDef PajePopState 1\n", NULL);
    assert_true(weft_trace_schema(trace)->n_problems > 0);
    weft_trace_close(trace);
    assert_null(support_read_bytes("\177ELF\2\1\1\0\0\0\0", 11));
    assert_null(support_read_bytes("", 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(push_and_pop_nest),
        cmocka_unit_test(set_closes_all_that_is_open),
        cmocka_unit_test(states_without_end_last_to_the_end),
        cmocka_unit_test(variables_are_steps),
        cmocka_unit_test(links_match_by_key_in_either_order),
        cmocka_unit_test(many_links_at_once),
        cmocka_unit_test(values_go_by_alias_or_name),
        cmocka_unit_test(lines_out_of_order_are_sorted),
        cmocka_unit_test(late_lines_of_a_destroyed_container_are_kept),
        cmocka_unit_test(children_outlive_their_parent),
        cmocka_unit_test(a_destroyed_name_can_be_used_again),
        cmocka_unit_test(lines_out_of_order_stay_with_their_container),
        cmocka_unit_test(finer_times_lose_nothing),
        cmocka_unit_test(time_units),
        cmocka_unit_test(old_and_odd_definitions),
        cmocka_unit_test(extra_fields_become_fields),
        cmocka_unit_test(what_is_written_reads_back),
        cmocka_unit_test(comments_of_weft_are_for_weft),
        cmocka_unit_test(blocks_are_seamless),
        cmocka_unit_test(nothing_but_definitions_still_opens),
    };
    return cmocka_run_group_tests(tests, NULL, support_cleanup);
}
