/* SPDX-License-Identifier: Apache-2.0 */
/*
 * However the text is cut and however many threads read it, a trace means the same.  What it
 * means is taken from the reading that leaves nothing to order: one part, which defines things,
 * and so is simulated record by record.
 */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "read/paje/paje.h"
#include "tests/random.h"
#include "write/dump_and_paje.h"

enum { WHOLE = 1 << 24, ROOM = 1 << 16 };

/* Read text that is cut into parts; the store is at support_path("parts"). */
static bool read_in_parts(const char *text, size_t size, struct paje_sizes sizes,
                          const char *threads)
{
    char *path = weft_strdup(support_path("cut")),
         *store = weft_strdup(support_path("parts"));
    support_write(path, text, size);
    assert_int_equal(setenv("WEFT_THREADS", threads, 1), 0);
    struct weft_err err = { 0 };
    struct weft_input *input = weft_input_open(path, NULL, &err);
    assert_non_null(input);
    bool ok = paje_read(input, NULL, &sizes, store, NULL, &err);
    weft_input_close(input);
    free(path);
    free(store);
    return ok;
}

static void put_problems(const struct weft_schema *schema, FILE *out)
{
    for (uint32_t i = 0; i < schema->n_problems; i++) {
        const struct weft_problem *problem = &schema->problems[i];
        fprintf(out, "%llu %s %d %llu: %s\n", (unsigned long long)problem->line,
                problem->kind, (int)problem->severity, (unsigned long long)problem->count,
                problem->message);
    }
    for (uint32_t i = 0; i < schema->n_values; i++)
        fprintf(out, "value %u: %s of %u\n", i, schema->values[i].name,
                schema->values[i].type);
}

/* All that a reader of the store can see: entities with their fields, names, problems. */
static char *meaning(void)
{
    struct weft_err err = { 0 };
    struct weft_trace *trace = weft_trace_open(support_path("parts"), &err);
    assert_non_null(trace);
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    const struct weft_source *source = weft_trace_source(trace);
    assert_true(weft_write_dump(source, out, NULL, &err));
    assert_true(weft_write_paje(source, out, NULL, NULL, &err));
    put_problems(source->schema, out);
    fprintf(out, "%llu records\n", (unsigned long long)source->schema->n_records);
    assert_int_equal(fclose(out), 0);
    weft_trace_close(trace);
    return text;
}

static void *store_bytes(size_t *size)
{
    FILE *file = fopen(support_path("parts"), "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *size = (size_t)ftell(file);
    rewind(file);
    void *bytes = weft_alloc(*size);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    assert_int_equal(fclose(file), 0);
    return bytes;
}

static void check_meaning(const char *wanted, struct paje_sizes sizes, const char *text)
{
    char *got = meaning();
    if (strcmp(got, wanted) != 0)
        print_message("parts of %zu, rounds of %zu of:\n%s\nwanted:\n%s\ngot:\n%s\n",
                      sizes.part, sizes.round, text, wanted, got);
    assert_string_equal(got, wanted);
    free(got);
}

/* The same meaning for these sizes, and the same bytes for any number of threads. */
static void check_sizes(const char *text, size_t size, const char *wanted,
                        struct paje_sizes sizes)
{
    static const char *const threads[] = { "1", "2", "3", "8" };
    size_t first_size = 0;
    void *first = NULL;
    for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
        assert_true(read_in_parts(text, size, sizes, threads[t]));
        if (!first) {
            first = store_bytes(&first_size);
            check_meaning(wanted, sizes, text);
            continue;
        }
        size_t other_size;
        void *other = store_bytes(&other_size);
        assert_int_equal(other_size, first_size);
        assert_memory_equal(other, first, first_size);
        free(other);
    }
    free(first);
}

static void sweep(const char *text, size_t size)
{
    static const size_t parts[] = { 1, 2, 5, 16, 33, 64, 150, 1000, WHOLE };
    static const size_t rounds[] = { 1, 3, 40 };
    assert_true(read_in_parts(text, size, (struct paje_sizes){ WHOLE, WHOLE }, "1"));
    char *wanted = meaning();
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++)
        for (size_t r = 0; r < sizeof rounds / sizeof *rounds; r++)
            check_sizes(text, size, wanted,
                        (struct paje_sizes){ parts[p], parts[p] * rounds[r] });
    free(wanted);
}

/* Lines after the usual header, in which containers a and b exist. */
static void sweep_lines(const char *lines)
{
    char *text = weft_asprintf("%s%s", support_header, lines);
    sweep(text, strlen(text));
    free(text);
}

static const char *const traces[] = {
    /* Names that are new everywhere, in each kind of entity. */
    "10 1 a S x1\n10 2 b S x2\n13 2 a E e1\n14 2 a V 5\n10 3 a S x3\n11 4 a S\n"
    "13 5 b E e2\n15 6 a V 2\n16 7 b V 1\n12 8 b S x4\n17 8 0 L a m1 k\n18 9 0 L b m1 k\n"
    "17 9 0 L a m2 k2\n18 9.5 0 L b m3 k2\n13 10 a E e1\n",
    /* Definitions among the lines, open ones too, and events of them before and after. */
    "99 1 a S x\n%EventDef PajePushState 99\n% Time date\n99 1.5 a S z\n% Container string\n"
    "# between\n\n% Type string\n% Value string\n% Note string\n%EndEventDef\n"
    "99 2 a S x \"a note\"\n10 3 a S y\n99 4 a S x another\n"
    "%EventDef PajeNewEvent longer_than_8\n% Time date\n% Container string\n% Type string\n"
    "% Value string\nlonger_than_8 5 b E v\nlonger_than_8 6 b E w\n%EndEventDef\n"
    "%EventDef PajeSetState 77\n% Time date",
    /* CRLF, tabs, comments, blank lines, quotes, empty names, long names. */
    "10 1 a S \"a name with blanks\"\r\n\r\n\t10\t2  a S x # why\r\n#10 3 a S no\r\n"
    "   # nothing\n10 3 a S \"\"\n13 4 a E \"#\"\n13 4 a E 50%\n13 5 a E \"% Time\"\n"
    "13 6 a E a_name_that_is_longer_than_sixteen_bytes\n"
    "13 7 a E a_name_that_is_longer_than_sixteen_bytez\n"
    "13 8 a E \"a line of more than sixty four characters, which no mask of words holds\"\n",
    /* Containers that come and go, and one that comes again by its name. */
    "10 1 a S x\n7 2 c P 0 three\n10 2 c S x\n13 2 c E e\n8 3 P c\n10 3.5 c S y\n10 4 a S y\n"
    "7 5 c P 0 three\n10 5 c S z\n11 6 a S\n8 7 P c\n7 8 d P a four\n10 9 d S x\n8 9.5 P a\n"
    "10 10 d S y\n10 11 b S x\n8 12 P d\n",
    /* Tracks out of order, and one with events after its container's end: read again. */
    "10 1 a S x\n10 3 a S y\n10 2 b S x\n11 2 a S\n13 5 b E e\n13 4 b E f\n10 6 b S z\n"
    "8 9 P b\n13 8 b E late\n13 10 b E never\n11 11 a S\n",
    /* Finer and larger times than nanoseconds allow: read again with other ticks. */
    "10 1.5 a S x\n10 1.500000000001 a S y\n11 2 a S\n11 9000000 a S\n13 9000000.25 b E e\n",
    "13 1 a E e\n13 1.0000000000000001 a E f\n13 2 a E g\n13 1e10 b E far\n",
    /* Faults of many kinds, among good lines. */
    "10 1 a S x\n11 1 b S\n10 soon a S x\n14 2 a V NA\n15 2 a V 1\n10 2 nobody S x\n"
    "10 2 a T x\n13 3 a S x\n17 3 a S a m k\n10 3 a L x\n6 v S value mauve\n11 3 a S\n11 4 a S\n"
    "88 1\n10 5 a\n10 5 a S x y z\n13 6 a E \"open\n13 6 a\001 E x\n17 7 0 L a m half\n"
    "17 8 0 L nobody m k\n18 9 0 L b m back\n17 10 0 L a n back\n17 11 0 L a m back\n"
    "2 S P State\n6 v S value \"1 0 0\"\n6 v S value \"1 0 0\"\n8 12 P b\n8 13 P b\n11 12 b S\n"
    "7 1 a P 0 again\n18 14 0 L b m late\n10 0.5 x S y\n13 1",
    /* Values that are defined, by alias and by name, after some were used. */
    "10 1 a S v\n6 v S value \"1 0 0\"\n10 2 a S v\n10 3 a S value\n10 4 a S w\n"
    "6 w S v2 \"0 1 0\"\n10 5 a S w\n",
    /* Files of Weft: what is for it, what is for others, and names of entities. */
    "%EventDef PajeStartLink 90\n% Time date\n% Container string\n% Type string\n"
    "% StartContainer string\n% Value string\n% Key string\n"
    "% From string #weft none from\n#weft % To string #weft none to\n%EndEventDef\n"
    "%EventDef PajeNewEvent 91\n% Time date\n% Container string\n% Type string\n"
    "% Value string\n% weft-Time string #weft tag entity Time\n"
    "#weft % Where string #weft site site\n%EndEventDef\n"
    "10 1 a S x\n10 1 b S x\n10 2 a S x\n10 2 b S x\n"
    "90 1 0 L a m k1 a/S/0 #weft b/S/1\n18 2 0 L b m k1\n"
    "90 2 0 L a m k2 a/S/1 #weft b/S/0\n18 3 0 L b m k2\n"
    "90 3 0 L a m k3 a/S #weft no/S/0\n18 4 0 L b m k3 #others\n#weft 18 5 0 L b m k3\n"
    "91 4 a E e a/S/1 #weft \"a b.c:7\"\n91 5 a E \" \" a #weft \":0\"\n"
    "91 6 a E e none #weft nowhere\n#weft 13 7 a E e # #others\n13 8 a E \"#others\"\n",
    "",
};

static void cut_everywhere(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof traces / sizeof *traces; i++)
        sweep_lines(traces[i]);
    sweep("", 0);
    sweep("\n\n# nothing\n", 12);
}

/* Fields of the user's: their names, texts and places are numbered in the order of lines. */
static void fields_are_numbered_in_order(void **state)
{
    (void)state;
    char *lines = weft_alloc(ROOM), *at = lines;
    at += sprintf(at, "%%EventDef PajePushState 20\n%% Time date\n%% Container string\n"
                      "%% Type string\n%% Value string\n%% Note string\n%% Size int\n"
                      "%% Share double\n%% File string\n%% Line int\n%%EndEventDef\n"
                      "%%EventDef PajeStartLink 21\n%% Time date\n%% Container string\n"
                      "%% Type string\n%% StartContainer string\n%% Value string\n"
                      "%% Key string\n%% Note string\n%%EndEventDef\n");
    for (int i = 0; i < 60; i++) {
        at += sprintf(at, "20 %d %c S v%d \"note %d\" %d %d.25 file%d.c %d\n", i,
                      i % 2 ? 'a' : 'b', i % 7, i % 11, i * 3, i, i % 5, i);
        at += sprintf(at, "21 %d 0 L a m k%d \"link %d\"\n18 %d.5 0 L b m k%d\n", i, i,
                      i % 4, i, i);
    }
    sweep_lines(lines);
    free(lines);
}

/* Many containers, so that every lane has some, and blocks that fill. */
static size_t many_containers(char *out)
{
    char *at = out + sprintf(out, "%s", support_header);
    for (int i = 0; i < 40; i++)
        at += sprintf(at, "7 0 c%d P 0 name%d\n", i, i);
    for (int i = 0; i < 1500; i++) {
        int who = (int)(roll(3) ? roll(40) : 0);
        switch (roll(7)) {
        case 0: at += sprintf(at, "11 %d c%d S\n", i, who); break;
        case 1: at += sprintf(at, "12 %d c%d S v%d\n", i, who, i % 9); break;
        case 2: at += sprintf(at, "13 %d c%d E e%d\n", i, who, i % 5); break;
        case 3: at += sprintf(at, "14 %d c%d V %d.5\n", i, who, i); break;
        case 4: at += sprintf(at, "17 %d 0 L c%d m k%d\n", i, who, i / 3); break;
        case 5: at += sprintf(at, "18 %d 0 L c%d m k%d\n", i, who, i / 3); break;
        default: at += sprintf(at, "10 %d c%d S v%d\n", i, who, i % 9);
        }
    }
    return (size_t)(at - out);
}

static void lanes_hold_many_containers(void **state)
{
    (void)state;
    char *text = weft_alloc(ROOM);
    size_t size = many_containers(text);
    assert_true(read_in_parts(text, size, (struct paje_sizes){ WHOLE, WHOLE }, "1"));
    char *wanted = meaning();
    static const struct paje_sizes sizes[] = { { 1, 1 },       { 100, 100 },
                                               { 100, 10000 }, { 700, 2100 },
                                               { 3000, 9000 }, { 3000, WHOLE } };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        check_sizes(text, size, wanted, sizes[i]);
    free(wanted);
    free(text);
}

/* One of four kinds of damage; returns the new size. */
static size_t damage(char *text, size_t size)
{
    size_t at = roll(size), n = 1 + roll(30);
    n = at + n > size ? size - at : n;
    switch (roll(4)) {
    case 0: text[at] = "\n \"#%0159.aSx\001\r"[roll(15)]; return size;
    case 1: memmove(text + at, text + at + n, size - at - n); return size - n;
    case 2: memmove(text + at + n, text + at, size - at); return size + n;
    default: {
        size_t other = roll(size - n + 1);
        for (size_t i = 0; i < n; i++) {
            char swap = text[at + i];
            text[at + i] = text[other + i];
            text[other + i] = swap;
        }
        return size;
    }
    }
}

static void damaged_traces_mean_the_same(void **state)
{
    (void)state;
    char *good = weft_alloc(ROOM), *bad = weft_alloc(2 * ROOM);
    for (int copy = 0; copy < 150; copy++) {
        size_t size = (size_t)sprintf(good, "%s%s%s", support_header, traces[roll(10)],
                                      traces[roll(10)]);
        memcpy(bad, good, size);
        for (uint64_t times = 1 + roll(5); times--;)
            size = damage(bad, size);
        bad[size] = '\0';
        struct paje_sizes whole = { WHOLE, WHOLE };
        assert_true(read_in_parts(bad, size, whole, "1"));
        char *wanted = meaning();
        size_t part = 1 + roll(200);
        check_sizes(bad, size, wanted, (struct paje_sizes){ part, part * (1 + roll(20)) });
        free(wanted);
    }
    free(good);
    free(bad);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cut_everywhere),
        cmocka_unit_test(fields_are_numbered_in_order),
        cmocka_unit_test(lanes_hold_many_containers),
        cmocka_unit_test(damaged_traces_mean_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, support_cleanup);
}
