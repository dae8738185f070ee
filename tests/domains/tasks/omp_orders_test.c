/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of OpenMP's tasks, and the constructs whose work threads share.  Expected values are
 * worked out beside each description (omp_dags.h).
 */
#include "omp_dags.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "domains/tasks/analyse/constructs.h"

/* The orders of a DAG, as the begins of their nodes, "1500>2000"; "x" for an exclusion, "i" for
   a task that its creator waits for at once. */
static void spell_orders(const struct weft_dag *dag, char *to)
{
    to[0] = 0;
    for (uint64_t row = 0; row < weft_dag_orders(dag); row++) {
        struct weft_dag_order order;
        struct weft_dag_node before, after;
        assert_true(weft_dag_order(dag, row, &order));
        weft_dag_node(dag, order.before, &before);
        weft_dag_node(dag, order.after, &after);
        sprintf(to + strlen(to), "%s%d>%d%s", row ? " " : "", (int)before.begin,
                (int)after.begin, (const char *[]){ "", "x", "i" }[order.kind]);
    }
}

static void check_orders(const char *description, const char *expected, int critical_path)
{
    struct recorded recorded;
    struct weft_dag *dag = dag_of(&recorded, description);
    struct weft_dag_node root;
    char text[1024];

    spell_orders(dag, text);
    assert_string_equal(text, expected);
    weft_dag_node(dag, 0, &root);
    assert_int_equal(root.critical_path, critical_path);
    weft_dag_close(dag);
    forget(&recorded);
}

/* Task 21 reads what 20 wrote, which ends at 1900: before that it is not ready. */
static void test_dependence(void **state)
{
    struct recorded recorded;
    struct weft_dag *dag = dag_of(&recorded, PROCESS "thread 0\n"
                                                     "starts 1000\n"
                                                     "1000 omp-initial 0 1\n"
                                                     "1200 omp-create 32 20 0x200\n"
                                                     "1200 omp-depends 1 20 0x9000\n"
                                                     "1300 omp-create 32 21 0x200\n"
                                                     "1300 omp-depends 0 21 0x9000\n"
                                                     "1400 omp-wait 0 0x300\n"
                                                     "1500 omp-schedule 7 20\n"
                                                     "1900 omp-schedule 1 1\n"
                                                     "2000 omp-schedule 7 21\n"
                                                     "2100 omp-schedule 1 1\n"
                                                     "2200 omp-waited 0\n");
    struct weft_dag_node root;

    (void)state;
    weft_dag_node(dag, 0, &root);
    assert_int_equal(root.ready[WEFT_DAG_EDGE_CREATE], (1500 - 1200) + (2000 - 1900));
    weft_dag_close(dag);
    forget(&recorded);
}

/* NUMBER is 20 to 24; each task takes 90, and begins at 100 * NUMBER. */
#define RUN(number)                                                                        \
# number "00 omp-schedule 7 " # number "\n" # number "90 omp-schedule 1 1\n"
#define NAMES(number, how)                                                                 \
 "1200 omp-create 32 " #number " 0x200\n1200 omp-depends " #how " " #number " 0x9000\n"
#define BEGIN PROCESS "thread 0\nstarts 1000\n1000 omp-initial 0 1\n"
#define WAIT  "1400 omp-wait 0 0x300\n"
#define END   "8000 omp-waited 0\n"

/*
 * The rules of OpenMP's depend clause, on one address.  The initial task creates all at 1200,
 * after 200, waits after another 200, and goes on for 1000 when all have ended.
 */
static void test_order_of_dependences(void **state)
{
    (void)state;
    /* out, in, in, out, in: the two readers are not ordered. */
    check_orders(BEGIN NAMES(20, 1) NAMES(21, 0) NAMES(22, 0) NAMES(23, 1) NAMES(24, 0)
                     WAIT RUN(20) RUN(21) RUN(22) RUN(23) RUN(24) END,
                 "2000>2100 2000>2200 2100>2300 2200>2300 2300>2400", 1000 + 200 + 4 * 90);
    /* inoutset, inoutset, in, inoutset. */
    check_orders(BEGIN NAMES(20, 3) NAMES(21, 3) NAMES(22, 0) NAMES(23, 3) WAIT RUN(20)
                     RUN(21) RUN(22) RUN(23) END,
                 "2000>2200 2100>2200 2200>2300", 1000 + 200 + 3 * 90);
    /* mutexinoutset: three that exclude one another, whichever runs first, between outs. */
    check_orders(BEGIN NAMES(20, 1) NAMES(21, 2) NAMES(22, 2) NAMES(23, 2) NAMES(24, 1)
                     WAIT RUN(20) RUN(21) RUN(22) RUN(23) RUN(24) END,
                 "2000>2100 2000>2200 2100>2200x 2000>2300 2200>2300x 2100>2400 2200>2400 "
                 "2300>2400",
                 1000 + 200 + 5 * 90);
    /* All memory: after both, and before the last, of another address. */
    check_orders(
        BEGIN NAMES(20, 1) NAMES(21, 0) NAMES(
            22,
            4) "1300 omp-create 32 23 0x200\n1300 omp-depends 0 23 0x9900\n" WAIT RUN(20)
            RUN(21) RUN(22) RUN(23) END,
        "2000>2100 2100>2200 2200>2300", 1000 + 200 + 4 * 90);
    /* A task that names an address twice does not depend on itself. */
    check_orders(BEGIN NAMES(20, 0) "1200 omp-depends 1 20 0x9000\n" NAMES(21, 0)
                     WAIT RUN(20) RUN(21) END,
                 "2000>2100", 1000 + 400);
    /* After a taskwait nothing depends on what was before. */
    check_orders(
        BEGIN NAMES(20, 1) WAIT RUN(
            20) "2100 omp-waited 0\n2200 omp-create 32 21 0x200\n"
                "2200 omp-depends 1 21 0x9000\n2300 omp-wait 0 0x300\n"
                "2400 omp-schedule 7 21\n2410 omp-schedule 1 1\n2500 omp-waited 0\n",
        "", 400 + 100 + 100 + 6500);
}

/*
 * if(0): the creator waits for task 20 at once, and for what it depends on before; then a
 * taskwait for the one that wrote 0x9000, though 21 runs on.
 */
static void test_included_and_waited(void **state)
{
    (void)state;
    check_orders(PROCESS "thread 0\n"
                         "starts 1000\n"
                         "1000 omp-initial 0 1\n"
                         "1200 omp-create 1 20 0x200\n"
                         "1300 omp-schedule 7 20\n"
                         "1900 omp-schedule 1 1\n"
                         "2000 omp-wait 0 0x300\n"
                         "2000 omp-waited 0\n",
                 "1300>1900i", 200 + 600 + 7100);
    check_orders(PROCESS "thread 0\n"
                         "starts 1000\n"
                         "1000 omp-initial 0 1\n"
                         "1100 omp-create 32 20 0x200\n"
                         "1100 omp-depends 1 20 0x9000\n"
                         "1200 omp-create 0 21 0x200\n"
                         "1300 omp-create 120 22 0x300\n"
                         "1300 omp-depends 0 22 0x9000\n"
                         "1400 omp-schedule 7 20\n"
                         "2400 omp-schedule 1 1\n"
                         "2500 omp-schedule 8 22\n"
                         "2600 omp-wait 0 0x300\n"
                         "2600 omp-schedule 7 21\n"
                         "2700 omp-schedule 1 1\n"
                         "2800 omp-waited 0\n",
                 "1400>2500", 100 + 1000 + 100 + 6200);
    /* Nothing to wait for: the taskwait leaves no node, and no task is unfinished. */
    check_dag(PROCESS "thread 0\n"
                      "starts 1000\n"
                      "1000 omp-initial 0 1\n"
                      "1300 omp-create 120 22 0x300\n"
                      "1300 omp-depends 0 22 0x9000\n"
                      "2500 omp-schedule 8 22\n",
              "task(end 1000-9000@0)");
}

/* A detached task ends when its event is fulfilled, at 3000, not when it leaves its thread. */
static void test_detached(void **state)
{
    (void)state;
    check_dag(PROCESS "thread 0\n"
                      "starts 1000\n"
                      "1000 omp-initial 0 1\n"
                      "1200 omp-create 0 20 0x200\n"
                      "1300 omp-wait 0 0x300\n"
                      "1400 omp-schedule 7 20\n"
                      "1500 omp-schedule 4 1\n"
                      "3000 omp-schedule 6 20\n"
                      "3100 omp-waited 0\n",
              "task(section(create 1000-1200@0: task(other 1400-1500@0, end 3000-3000@0), "
              "wait 1200-1300@0), end 3100-9000@0)");
}

/* A task that was cancelled before it began is over, and took no time. */
static void test_discarded(void **state)
{
    (void)state;
    check_dag(PROCESS "thread 0\n"
                      "starts 1000\n"
                      "1000 omp-initial 0 1\n"
                      "1200 omp-create 0 20 0x200\n"
                      "1300 omp-wait 0 0x300\n"
                      "1400 omp-discard 0 20\n"
                      "1400 omp-schedule 3 1\n"
                      "3100 omp-waited 0\n",
              "task(section(create 1000-1200@0: task(end 1400-1400@0), wait 1200-1300@0), "
              "end 3100-9000@0)");
}

/* Tasks that the runtime creates for a construct, as of a taskloop, have its creator's place. */
static void test_place_in_the_runtime(void **state)
{
    struct recorded recorded;
    struct weft_dag *dag = dag_of(&recorded, PROCESS "thread 0\n"
                                                     "starts 1000\n"
                                                     "1000 omp-initial 0 1\n"
                                                     "1200 omp-create 0 20 0x200\n"
                                                     "1300 omp-wait 0 0x300\n"
                                                     "1400 omp-schedule 7 20\n"
                                                     "1500 omp-create 0 21 0\n"
                                                     "1600 omp-schedule 1 1\n"
                                                     "1700 omp-schedule 7 21\n"
                                                     "1800 omp-schedule 1 1\n"
                                                     "2200 omp-waited 0\n");
    uint32_t site = WEFT_NONE;

    (void)state;
    for (uint32_t i = 0; i < weft_dag_size(dag); i++) {
        struct weft_dag_node node;
        weft_dag_node(dag, i, &node);
        if (node.kind != WEFT_DAG_CREATE)
            continue;
        assert_true(node.end_site != WEFT_NONE);
        assert_true(site == WEFT_NONE || site == node.end_site);
        site = node.end_site;
    }
    weft_dag_close(dag);
    forget(&recorded);
}

/*
 * Two threads execute a region twice.  Each time, the first works 300 in a loop and waits 0 at
 * its end, the other works 100 and waits 200; then one runs a single for 50, for which the
 * other waits, and a critical section, for which it waits 20, is work of the region alone.
 */
static void test_constructs(void **state)
{
    char text[8192] = PROCESS "thread 0\nstarts 1000\n1000 omp-initial 0 1\n", *at;
    struct weft_constructs constructs;
    struct weft_err err = { 0 };
    struct recorded recorded;

    (void)state;
    for (int t = 0; t < 2; t++) {
        if (t == 1)
            strcat(text, "thread 1\nstarts 1000\n");
        for (int k = 0; k < 2; k++) {
            int base = 2000 + 1000 * k;
            at = text + strlen(text);
            if (t == 0)
                at += sprintf(at, "%d omp-parallel 2 %d 1 0x100\n", base, 10 + k);
            at +=
                sprintf(at, "%d omp-implicit %d %d %d\n", base, t, 10 + k, 20 + 2 * k + t);
            at += sprintf(at, "%d omp-work 0 0x110 64\n%d omp-worked 0\n", base + 10,
                          base + 10 + (t ? 100 : 300));
            at += sprintf(at, "%d omp-wait 3 0x110\n%d omp-waited 3\n",
                          base + 10 + (t ? 100 : 300), base + 310);
            if (t == 1)
                at += sprintf(at, "%d omp-work 2 0x120 1\n", base + 310);
            at += sprintf(at, "%d omp-wait 3 0x120\n%d omp-waited 3\n",
                          base + (t ? 360 : 310), base + 360);
            if (t == 0)
                at += sprintf(at,
                              "%d omp-lock-wait 1 7 0x130\n%d omp-lock 1 7\n"
                              "%d omp-unlock 1 7\n",
                              base + 360, base + 380, base + 390);
            at += sprintf(at, "%d omp-wait 3 0\n%d omp-waited 3\n", base + 390, base + 400);
            at += sprintf(at, "%d omp-implicit-end 0 %d\n", base + 400, 20 + 2 * k + t);
            if (t == 0)
                sprintf(at, "%d omp-parallel-end 0 %d 1\n", base + 400, 10 + k);
        }
    }
    recorded = synthetic_trace(text);
    assert_true(weft_constructs_read(recorded.source, 0, recorded.source->schema->span,
                                     NULL, &constructs, &err));
    assert_int_equal(constructs.n, 3);
    /* The loop. */
    assert_int_equal(constructs.list[0].count, 2);
    assert_int_equal(constructs.list[0].most, 300);
    assert_int_equal(constructs.list[0].least, 100);
    assert_int_equal(constructs.list[0].slowest, 600);
    assert_int_equal(constructs.list[0].mean, 400);
    assert_int_equal(constructs.list[0].waited, 2 * 200);
    assert_int_equal(constructs.list[0].iterations, 2 * 64);
    /* The region: 400 each without waits of 50 + 10, and of 200 + 10; the critical section is
       free. */
    assert_int_equal(constructs.list[1].count, 2);
    assert_int_equal(constructs.list[1].threads, 2);
    assert_int_equal(constructs.list[1].most, 340);
    assert_int_equal(constructs.list[1].least, 190);
    assert_int_equal(constructs.list[1].work, 2 * (340 + 190));
    assert_int_equal(constructs.list[1].waited, 2 * (10 + 10));
    /* The single, of which the runtime does not tell the end. */
    assert_int_equal(constructs.list[2].threads, 1);
    assert_int_equal(constructs.list[2].work, 2 * 50);
    assert_int_equal(constructs.list[2].waited, 2 * 50);
    weft_constructs_free(&constructs);
    /* In half of the second region's loop: that half alone. */
    assert_true(weft_constructs_read(recorded.source, 0, (struct weft_span){ 3060, 3110 },
                                     NULL, &constructs, &err));
    assert_int_equal(constructs.n, 2);
    assert_int_equal(constructs.list[0].work + constructs.list[1].work, 4 * 50);
    weft_constructs_free(&constructs);
    forget(&recorded);
}

/* The loop of a "parallel for", whose place the runtime tells of the first thread only. */
static void test_combined_construct(void **state)
{
    struct recorded recorded =
        synthetic_trace(PROCESS "thread 0\nstarts 1000\n1000 omp-initial 0 1\n"
                                "2000 omp-parallel 2 10 1 0x100\n"
                                "2000 omp-implicit 0 10 20\n"
                                "2000 omp-work 0 0x100 8\n"
                                "2300 omp-worked 0\n"
                                "2300 omp-implicit-end 0 20\n"
                                "2300 omp-parallel-end 0 10 1\n"
                                "thread 1\nstarts 1000\n"
                                "2000 omp-implicit 1 10 21\n"
                                "2000 omp-work 0 0 8\n"
                                "2100 omp-worked 0\n"
                                "2300 omp-implicit-end 0 21\n");
    struct weft_constructs constructs;
    struct weft_err err = { 0 };

    (void)state;
    assert_true(weft_constructs_read(recorded.source, 0, recorded.source->schema->span,
                                     NULL, &constructs, &err));
    assert_int_equal(constructs.n, 2);
    assert_int_equal(constructs.list[1].count, 1);
    assert_int_equal(constructs.list[1].threads, 2);
    assert_int_equal(constructs.list[1].least, 100);
    assert_int_equal(constructs.list[1].slowest, 300);
    assert_int_equal(constructs.list[1].mean, 200);
    assert_int_equal(constructs.list[1].iterations, 8);
    weft_constructs_free(&constructs);
    forget(&recorded);
}

/* Returns the constructs of a description, in *RECORDED, which the caller forgets. */
static struct weft_constructs constructs_of(const char *description,
                                            struct recorded *recorded)
{
    struct weft_constructs constructs;
    struct weft_err err = { 0 };

    *recorded = synthetic_trace(description);
    assert_true(weft_constructs_read(recorded->source, 0, recorded->source->schema->span,
                                     NULL, &constructs, &err));
    return constructs;
}

/* The one construct at an address in the program; a site is that of the call before. */
static const struct construct *construct_at(const struct recorded *recorded,
                                            const struct weft_constructs *constructs,
                                            uint64_t address)
{
    for (size_t i = 0; i < constructs->n; i++) {
        uint32_t site = constructs->list[i].site;
        if (site != WEFT_NONE
            && recorded->source->schema->sites[site].address == address - 1)
            return &constructs->list[i];
    }
    fail();
    return NULL;
}

/*
 * Loops by one thread, each twice.  Schedules are numbers of the records: 1 static, 2
 * dynamic, 3 guided, 4 auto, 5 runtime, and 256 more if the loop is ordered.
 */
static void test_schedules(void **state)
{
    static const struct {
        int address;
        const char *words[2]; /* in its first and its second execution */
        const char *schedule; /* NULL: none */
        bool differ;
        int chunk;
    } loops[] = {
        { 0x200, { "2 4", "2 4" }, "dynamic", false, 4 },
        { 0x210, { "1 0", "1 0" }, "static", false, 0 },
        { 0x220, { "259 7", "259 7" }, "ordered guided", false, 7 },
        { 0x230, { "4 0", "4 0" }, "auto", false, 0 },
        { 0x240, { "261 0", "261 0" }, "ordered runtime", false, 0 },
        { 0x250, { "2 4", "2 8" }, "dynamic", false, 0 }, /* the chunk differs */
        { 0x260, { "2 4", "3 4" }, NULL, true, 0 },
        { 0x270, { "", "" }, NULL, false, 0 }, /* of a recorder that did not know it */
        { 0x280, { "", "3 5" }, "guided", false, 5 },
        { 0x290, { "6 4", "77 4" }, NULL, false, 0 }, /* damage */
        { 0x2a0, { "2", "2" }, NULL, false, 0 },
    };
    char text[8192] = PROCESS "thread 0\nstarts 1000\n1000 omp-initial 0 1\n"
                              "2000 omp-parallel 1 10 1 0x100\n2000 omp-implicit 0 10 20\n";
    struct weft_constructs constructs;
    struct recorded recorded;
    int time = 2000;

    (void)state;
    for (size_t round = 0; round < 2; round++)
        for (size_t i = 0; i < sizeof loops / sizeof *loops; i++, time += 20)
            sprintf(text + strlen(text), "%d omp-work 0 0x%x 64 %s\n%d omp-worked 0\n",
                    time, (unsigned)loops[i].address, loops[i].words[round], time + 10);
    constructs = constructs_of(text, &recorded);
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
        const struct construct *loop =
            construct_at(&recorded, &constructs, (uint64_t)loops[i].address);
        assert_int_equal(loop->count, 2);
        assert_int_equal(loop->iterations, 2 * 64);
        assert_int_equal(loop->schedules_differ, loops[i].differ);
        assert_int_equal(loop->chunk, loops[i].chunk);
        if (loops[i].schedule)
            assert_string_equal(recorded.source->schema->strings[loop->schedule],
                                loops[i].schedule);
        else
            assert_int_equal(loop->schedule, WEFT_NONE);
    }
    weft_constructs_free(&constructs);
    forget(&recorded);
}

/*
 * A loop, 100 long, behind which the thread works 50 and waits 30 at the end of its region.  A
 * record that says so is of the region; an older one may be of the loop.
 */
static void test_end_of_region(void **state)
{
    static const char *const waits[] = { "0 1", "0" };
    struct weft_constructs constructs;
    struct recorded recorded;
    char text[2048];

    (void)state;
    for (int i = 0; i < 2; i++) {
        sprintf(text,
                PROCESS "thread 0\nstarts 1000\n1000 omp-initial 0 1\n"
                        "2000 omp-parallel 1 10 1 0x100\n2000 omp-implicit 0 10 20\n"
                        "2000 omp-work 0 0x200 64\n2100 omp-worked 0\n"
                        "2150 omp-wait 3 %s\n2180 omp-waited 3\n"
                        "2180 omp-implicit-end 0 20\n2180 omp-parallel-end 0 10 1\n",
                waits[i]);
        constructs = constructs_of(text, &recorded);
        assert_int_equal(construct_at(&recorded, &constructs, 0x100)->waited, i ? 0 : 30);
        assert_int_equal(construct_at(&recorded, &constructs, 0x200)->waited, i ? 30 : 0);
        assert_int_equal(construct_at(&recorded, &constructs, 0x100)->work, 150);
        weft_constructs_free(&constructs);
        forget(&recorded);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dependence),
        cmocka_unit_test(test_order_of_dependences),
        cmocka_unit_test(test_included_and_waited),
        cmocka_unit_test(test_detached),
        cmocka_unit_test(test_discarded),
        cmocka_unit_test(test_place_in_the_runtime),
        cmocka_unit_test(test_constructs),
        cmocka_unit_test(test_combined_construct),
        cmocka_unit_test(test_schedules),
        cmocka_unit_test(test_end_of_region),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
