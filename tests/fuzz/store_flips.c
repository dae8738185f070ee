/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_flips N [SEED]: turn over N single bits of stores, one at a time.  Each time the store is
 * refused, or its dump, the tables of all views and its nodes are those of the whole one, or it says that
 * something is missing: never a wrong number without a word.  Damaged summaries are no excuse: nothing is
 * missing, and no command says a word of them (view/damage.h).
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory.h"
#include "domains/tasks/dag/dag.h"
#include "format/store_layout.h"
#include "store/trace/trace.h"
#include "store_seeds.h"
#include "tests/random.h"
#include "view/damage.h"
#include "view/view.h"
#include "view/views.h"
#include "write/dump_and_paje.h"

enum { ANSWERS = 4 };

struct answers { /* texts that are compared */
    char *texts[ANSWERS];
};

static struct weft_trace *open_bytes(const uint8_t *bytes, size_t size)
{
    struct weft_err err;
    char path[64];
    int fd = memfd_create("store", MFD_CLOEXEC);
    WEFT_REQUIRE(fd >= 0 && write(fd, bytes, size) == (ssize_t)size,
                 "no memory for a file");
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    struct weft_trace *trace = weft_trace_open(path, &err);
    close(fd);
    WEFT_REQUIRE(trace || err.code == WEFT_ERR_FORMAT, "%s", err.message);
    return trace;
}

/* The table of a view that the store fills, or why there is none. */
static void put_table(const struct weft_view *view, const struct weft_source *source,
                      struct weft_span window, double width, FILE *out)
{
    const char *settings[32] = { NULL };
    struct weft_set set = { &source, 1 };
    struct weft_request request = { .set = &set,
                                    .window = window,
                                    .width = width,
                                    .height = 400,
                                    .settings = settings,
                                    .theme = weft_theme_get(WEFT_THEME_LIGHT) };
    struct weft_err err = { 0 };
    WEFT_REQUIRE(view->n_parameters < 32, "more settings than there is room for");
    if (!view->table || !view->fills(&set))
        return;
    /* What stats prints: each value of each track, not the sums of all. */
    if (strcmp(view->name, "state-summary") == 0)
        WEFT_REQUIRE(weft_setting_parse(view, "by=each", settings, &err), "by=each");
    fprintf(out, "%s\n", view->name);
    struct weft_table *table = weft_table_csv(out);
    if (!weft_view_table(view, &request, table, &err))
        fprintf(out, "%s\n", err.message);
    weft_table_free(table);
}

static void put_tables(const struct weft_source *source, struct weft_span window, FILE *out)
{
    for (size_t i = 0; i < weft_view_count(); i++)
        put_table(weft_view_at(i), source, window, 600, out);
    /* So few columns that much falls into each: what summaries are for. */
    put_table(&weft_view_overview, source, window, 60, out);
}

/* All that is known of the nodes of a task DAG. */
static void list_nodes(const struct weft_source *source, FILE *out)
{
    struct weft_err err;
    if (!weft_dag_fills(source))
        return;
    struct weft_dag *dag = weft_dag_open(source, &err);
    WEFT_REQUIRE(dag, "%s", err.message);
    for (uint32_t i = 0; i < weft_dag_size(dag); i++) {
        struct weft_dag_node node;
        weft_dag_node(dag, i, &node);
        for (size_t at = 0; at < sizeof node; at++)
            fprintf(out, "%02x", ((const unsigned char *)&node)[at]);
        putc('\n', out);
    }
    weft_dag_close(dag);
}

static struct answers ask(const struct weft_source *source, struct weft_span window)
{
    struct answers answers;
    struct weft_err err;
    for (int i = 0; i < ANSWERS; i++) {
        size_t size;
        FILE *out = open_memstream(&answers.texts[i], &size);
        WEFT_REQUIRE(out, "no memory");
        if (i == 0)
            WEFT_REQUIRE(weft_write_dump(source, out, NULL, &err), "%s", err.message);
        else if (i == 3)
            list_nodes(source, out);
        else
            put_tables(source, i == 1 ? source->schema->span : window, out);
        fclose(out);
    }
    return answers;
}

static bool equal(const struct answers *a, const struct answers *b)
{
    bool same = true;
    for (int i = 0; i < ANSWERS; i++)
        same &= strcmp(a->texts[i], b->texts[i]) == 0;
    return same;
}

static void free_answers(struct answers *answers)
{
    for (int i = 0; i < ANSWERS; i++)
        free(answers->texts[i]);
}

/* A byte of a store: one in sixteen of the shares of time, which are few and would be missed. */
static size_t some_byte(unsigned i, const uint8_t *bytes, size_t size)
{
    struct weft_file_header header;
    memcpy(&header, bytes, sizeof header);
    const struct weft_file_section *shares = &header.sections[WEFT_SECTION_SHARES];
    return i % 16 == 0 && shares->size ? shares->offset + roll(shares->size) : roll(size);
}

int main(int argc, char **argv)
{
    const struct weft_span window = { 333, 2111 };
    unsigned n = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 0;
    unsigned counts[3] = { 0 }; /* refused; said to be damaged; harmless */
    uint8_t *bytes[STORE_SEEDS];
    size_t sizes[STORE_SEEDS];
    struct answers whole[STORE_SEEDS];
    for (unsigned s = 0; s < STORE_SEEDS; s++) {
        bytes[s] = store_seed_bytes(s, &sizes[s]);
        struct weft_trace *trace = open_bytes(bytes[s], sizes[s]);
        WEFT_REQUIRE(trace && weft_trace_verify(trace, NULL) == 0, "a seed is damaged");
        whole[s] = ask(weft_trace_source(trace), window);
        weft_trace_close(trace);
    }
    roll_from(argc > 2 ? strtoull(argv[2], NULL, 10) : 1);
    for (unsigned i = 0; i < n; i++) {
        unsigned s = (unsigned)roll(STORE_SEEDS);
        size_t at = some_byte(i, bytes[s], sizes[s]);
        uint8_t bit = (uint8_t)(1u << roll(8));
        bytes[s][at] ^= bit;
        struct weft_trace *trace = open_bytes(bytes[s], sizes[s]);
        if (trace) {
            const struct weft_source *source = weft_trace_source(trace);
            struct answers now = ask(source, window);
            struct weft_set set = { &source, 1 };
            bool said = weft_damage_of_set(&set) > 0;
            WEFT_REQUIRE(said || equal(&now, &whole[s]),
                         "seed %u, byte %zu: a wrong number without a word", s, at);
            counts[said ? 1 : 2]++;
            free_answers(&now);
            weft_trace_close(trace);
        }
        counts[0] += !trace;
        bytes[s][at] ^= bit;
    }
    printf("%u refused, %u said to be damaged, %u harmless\n", counts[0], counts[1],
           counts[2]);
    for (unsigned s = 0; s < STORE_SEEDS; s++) {
        free_answers(&whole[s]);
        free(bytes[s]);
    }
    return n >= 300 && (!counts[0] || !counts[1]);
}
