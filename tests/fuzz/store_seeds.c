/* SPDX-License-Identifier: Apache-2.0 */
#include "store_seeds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "domains/arrays/model/reference_profile.h"
#include "domains/tasks/dag/write.h"
#include "store/build/builder.h"
#include "tests/domains/tasks/random_dag.h"
#include "tests/random.h"

/* What a seed holds; the numbers keep most stores below 50 KB, so that mutants are quick. */
static const struct plan {
    unsigned threads, locks, steps; /* steps: changes of each thread */
    unsigned links;
    bool tasks, reductions, clocks, dense;
    unsigned dag;      /* leaves of a task DAG, about */
    unsigned patterns; /* of references to arrays */
} plans[STORE_SEEDS] = {
    { .threads = 3, .locks = 2, .steps = 40, .links = 30, .clocks = true },
    { .threads = 2, .steps = 600, .links = 700, .tasks = true },
    { .threads = 2, .steps = 60, .links = 20, .reductions = true },
    { .threads = 18, .locks = 3, .steps = 20, .links = 60 },      /* groups of tracks */
    { .threads = 1, .steps = 3000, .links = 300, .dense = true }, /* summaries of shares */
    { .threads = 1, .steps = 10, .dag = 700 },
    { .threads = 1, .steps = 10, .patterns = 400 },
};

struct seed {
    const struct plan *plan;
    struct weft_builder *b;
    uint32_t process, thread, lock;
    uint32_t activity, call, lock_state, mark, load, message, task;
    uint32_t object, site, holder, taken, number, parent, parent_number, weight, text,
        bytes;
    uint32_t rank, address;
    uint32_t activities[4], calls[3], holds[3], kinds[2];
    uint32_t *threads, *locks;
    uint64_t last_state; /* for links and fields that name an entity */
};

static uint32_t type(struct seed *s, enum weft_kind kind, uint32_t parent, const char *name,
                     enum weft_role role)
{
    return weft_builder_type(s->b, &(struct weft_type){ .kind = kind,
                                                        .parent = parent,
                                                        .name = name,
                                                        .role = role,
                                                        .start_type = WEFT_NONE,
                                                        .end_type = WEFT_NONE });
}

static uint32_t field(struct seed *s, uint32_t of, const char *name,
                      enum weft_field_kind kind, enum weft_role role, bool indexed)
{
    uint32_t made = weft_builder_field(s->b, of, name, kind);
    weft_builder_field_role(s->b, made, role);
    if (indexed)
        weft_builder_index_field(s->b, made);
    return made;
}

static void define_fields(struct seed *s)
{
    s->object = field(s, s->activity, "object", WEFT_FIELD_CONTAINER, WEFT_ROLE_OBJECT, 1);
    s->site = field(s, s->activity, "site", WEFT_FIELD_SITE, WEFT_ROLE_SITE, 0);
    s->text = field(s, s->activity, "text", WEFT_FIELD_TEXT, WEFT_ROLE_NONE, 1);
    s->holder =
        field(s, s->lock_state, "holder", WEFT_FIELD_CONTAINER, WEFT_ROLE_HOLDER, 0);
    s->taken =
        field(s, s->lock_state, "taken", WEFT_FIELD_INTEGER, WEFT_ROLE_ACQUISITION, 0);
    s->number = field(s, s->task, "number", WEFT_FIELD_INTEGER, WEFT_ROLE_NUMBER, 1);
    s->parent = field(s, s->task, "parent", WEFT_FIELD_ENTITY, WEFT_ROLE_PARENT, 0);
    s->parent_number =
        field(s, s->task, "parent number", WEFT_FIELD_INTEGER, WEFT_ROLE_PARENT_NUMBER, 0);
    s->weight = field(s, s->mark, "weight", WEFT_FIELD_REAL, WEFT_ROLE_NONE, 1);
    s->bytes = field(s, s->message, "bytes", WEFT_FIELD_INTEGER, WEFT_ROLE_BYTES, 0);
    s->rank = field(s, s->process, "rank", WEFT_FIELD_INTEGER, WEFT_ROLE_NUMBER, 0);
    s->address = field(s, s->lock, "name", WEFT_FIELD_TEXT, WEFT_ROLE_NONE, 0);
}

static void define(struct seed *s)
{
    static const enum weft_role activities[] = { WEFT_ROLE_RUNNING, WEFT_ROLE_READY,
                                                 WEFT_ROLE_BLOCKED_ON_LOCK,
                                                 WEFT_ROLE_SLEEPING };
    static const enum weft_role holds[] = { WEFT_ROLE_FREE, WEFT_ROLE_HELD,
                                            WEFT_ROLE_CONTENDED };
    s->process = type(s, WEFT_CONTAINER, 0, "Process", WEFT_ROLE_PROCESS);
    s->thread = type(s, WEFT_CONTAINER, s->process, "Thread", WEFT_ROLE_THREAD);
    s->lock = type(s, WEFT_CONTAINER, s->process, "Lock", WEFT_ROLE_MUTEX);
    s->activity = type(s, WEFT_STATE, s->thread, "Activity", WEFT_ROLE_ACTIVITY);
    s->call = type(s, WEFT_STATE, s->thread, "Call", WEFT_ROLE_CALL);
    s->task = type(s, WEFT_STATE, s->thread, "Task", WEFT_ROLE_TASK);
    s->lock_state = type(s, WEFT_STATE, s->lock, "Lock state", WEFT_ROLE_LOCK_STATE);
    s->mark = type(s, WEFT_EVENT, s->thread, "Mark", WEFT_ROLE_MARK);
    s->load = type(s, WEFT_VARIABLE, s->thread, "Load", WEFT_ROLE_PROCESSOR_TIME);
    s->message = type(s, WEFT_LINK, 0, "Message", WEFT_ROLE_MESSAGE);
    define_fields(s);
    for (unsigned v = 0; v < 4; v++) {
        char name[] = { 'a', (char)('0' + v), 0 };
        s->activities[v] = weft_builder_value(s->b, s->activity, name, "alias", v << 8);
        weft_builder_value_role(s->b, s->activities[v], activities[v]);
        if (v == 3)
            break;
        s->calls[v] = weft_builder_value(s->b, s->call, name, NULL, 0);
        s->holds[v] = weft_builder_value(s->b, s->lock_state, name, NULL, 0);
        weft_builder_value_role(s->b, s->holds[v], holds[v]);
    }
    s->kinds[0] = weft_builder_value(s->b, s->mark, "tick", NULL, 0);
    s->kinds[1] = weft_builder_value(s->b, s->message, "data", NULL, 0);
}

static uint32_t name_of(struct seed *s, unsigned i)
{
    char text[16];
    return weft_builder_string(s->b, text, (size_t)snprintf(text, sizeof text, "n%u", i));
}

static void make_containers(struct seed *s)
{
    const struct plan *plan = s->plan;
    s->threads = weft_alloc((plan->threads + 1) * sizeof *s->threads);
    s->locks = weft_alloc((plan->locks + 1) * sizeof *s->locks);
    uint32_t process = weft_builder_container(s->b, s->process, 0, "process", "p", 0);
    weft_builder_container_field(s->b, process,
                                 &(struct weft_field_value){ s->rank, { .integer = 1 } });
    for (unsigned i = 0; i < plan->threads; i++) {
        char name[24];
        snprintf(name, sizeof name, "thread %u", i);
        s->threads[i] = weft_builder_container(s->b, s->thread, process, name, NULL, i);
    }
    for (unsigned i = 0; i < plan->locks; i++) {
        char name[24];
        snprintf(name, sizeof name, "lock %u", i);
        s->locks[i] = weft_builder_container(s->b, s->lock, process, name, NULL, 0);
        weft_builder_container_field(
            s->b, s->locks[i],
            &(struct weft_field_value){ s->address, { .index = name_of(s, i) } });
    }
    if (!plan->clocks)
        return;
    const struct weft_clock_knot knots[] = { { 0, 7 }, { 500, 900 }, { 7000, 8000 } };
    uint32_t host = weft_builder_host(s->b, &(struct weft_host){ .name = "loom" });
    uint32_t clock = weft_builder_clock(
        s->b,
        &(struct weft_clock){ .name = "t", .host = host, .knots = knots, .n_knots = 3 });
    weft_builder_container_clock(s->b, process, clock);
}

static void fill_calls(struct seed *s, uint32_t track, int64_t at, unsigned *depth)
{
    if (*depth < 6 && roll(2)) {
        (void)!weft_builder_push(s->b, track, at, s->calls[roll(3)], NULL, 0, NULL);
        ++*depth;
    } else if (*depth) {
        (void)!weft_builder_pop(s->b, track, at, NULL);
        --*depth;
    }
}

static void fill_thread(struct seed *s, uint32_t thread, unsigned n)
{
    const struct plan *plan = s->plan;
    struct weft_builder *b = s->b;
    uint32_t activity = weft_builder_track(b, thread, s->activity),
             calls = weft_builder_track(b, thread, s->call),
             marks = weft_builder_track(b, thread, s->mark),
             loads = weft_builder_track(b, thread, s->load);
    uint32_t site = weft_builder_site(b, &(struct weft_site){ 64, "o", "f", "a.c", 12 });
    unsigned depth = 0;
    int64_t at = 0;
    for (unsigned i = 0; i < plan->steps; i++) {
        at += plan->dense ? 1 + (int64_t)roll(3) : 3 + (int64_t)roll(300) * (i % 7 == 0);
        unsigned v = (unsigned)roll(4);
        const struct weft_field_value of[] = {
            { s->object, { .index = plan->locks ? s->locks[roll(plan->locks)] : thread } },
            { s->site, { .index = site } },
            { s->text, { .index = name_of(s, i % 9) } },
        };
        if (roll(9))
            (void)!weft_builder_set(b, activity, at, s->activities[v], of,
                                    plan->dense ? 0 : roll(4), &s->last_state);
        else
            (void)!weft_builder_reset(b, activity, at);
        fill_calls(s, calls, at, &depth);
        struct weft_field_value weight = { s->weight, { .real = (double)i / 3 } };
        if (roll(3) == 0)
            (void)!weft_builder_event(b, marks, at, s->kinds[0], &weight, roll(2), NULL);
        if (roll(4) == 0)
            (void)!weft_builder_sample(b, loads, at, roll(2) ? (double)at / 7 : (double)n);
    }
}

static void fill_tasks(struct seed *s, uint32_t thread, int64_t first)
{
    uint32_t track = weft_builder_track(s->b, thread, s->task);
    uint64_t before = WEFT_NO_ID;
    for (int64_t i = 0; i < 40; i++) {
        const struct weft_field_value of[] = {
            { s->number, { .integer = first + i } },
            { roll(2) ? s->parent_number : s->number, { .integer = first + i / 2 } },
            { s->parent, { .entity = before } },
        };
        (void)!weft_builder_push(s->b, track, 10 * i, s->calls[0], of,
                                 before == WEFT_NO_ID ? 2 : 3, &before);
        (void)!weft_builder_pop(s->b, track, 10 * i + 7, NULL);
    }
}

static void fill_locks(struct seed *s)
{
    for (unsigned i = 0; i < s->plan->locks; i++) {
        uint32_t track = weft_builder_track(s->b, s->locks[i], s->lock_state);
        for (int64_t at = 0; at < 3000; at += 40 + (int64_t)roll(100)) {
            const struct weft_field_value of[] = {
                { s->holder, { .index = s->threads[roll(s->plan->threads)] } },
                { s->taken, { .integer = (int64_t)roll(2) } },
            };
            (void)!weft_builder_set(s->b, track, at, s->holds[roll(3)], of, 2, NULL);
        }
    }
}

static void add_reductions(struct seed *s)
{
    uint32_t pe_type = type(s, WEFT_CONTAINER, 0, "PE", WEFT_ROLE_PROCESSOR);
    uint32_t reduction = type(s, WEFT_STATE, pe_type, "reduction", WEFT_ROLE_REDUCTION);
    uint32_t index = field(s, reduction, "i", WEFT_FIELD_INTEGER, WEFT_ROLE_NUMBER, 0);
    uint32_t row = field(s, reduction, "r", WEFT_FIELD_INTEGER, WEFT_ROLE_PARENT_ROW, 0);
    uint32_t of = field(s, reduction, "p", WEFT_FIELD_INTEGER, WEFT_ROLE_PARENT_NUMBER, 0);
    uint32_t values[2];
    for (int v = 0; v < 2; v++)
        values[v] = weft_builder_value(s->b, reduction, v ? "p" : "q", NULL, 0);
    for (int pe = 0; pe < 2; pe++) {
        uint32_t track = weft_builder_track(
            s->b, weft_builder_container(s->b, pe_type, 0, pe ? "PE 1" : "PE 0", NULL, 0),
            reduction);
        for (int64_t i = 1; i <= 60; i++) {
            const struct weft_field_value fields[] = {
                { index, { i } },
                { row, { i > 1 ? (int64_t)roll(2) : 0 } },
                { of, { i > 1 ? 1 + (int64_t)roll((uint64_t)i - 1) : 1 } }
            };
            (void)!weft_builder_set(s->b, track, 50 * i + pe, values[roll(2)], fields,
                                    pe == 0 && i == 1 ? 1 : 3, NULL);
        }
        (void)!weft_builder_reset(s->b, track, 4000);
    }
}

static void add_links(struct seed *s)
{
    for (unsigned i = 0; i < s->plan->links; i++) {
        int64_t begin = (int64_t)roll(3000);
        uint32_t from = s->threads[roll(s->plan->threads)],
                 to = s->threads[roll(s->plan->threads)];
        struct weft_field_value bytes = { s->bytes, { .integer = (int64_t)roll(4096) } };
        struct weft_link link = {
            .type = s->message,
            .value = s->kinds[1],
            .key = roll(3) ? WEFT_NONE : name_of(s, i),
            .from = roll(20) ? from : WEFT_NONE,
            .to = roll(20) ? to : WEFT_NONE,
            .begin = begin,
            .end = begin + (int64_t)roll(400) - 20,
            .from_entity = roll(2) ? s->last_state : WEFT_NO_ID,
            .to_entity = roll(2) ? s->last_state : WEFT_NO_ID,
        };
        weft_builder_link(s->b, &link, &bytes, roll(2));
    }
}

/* References to two arrays, which hardly join. */
static void add_arrays(struct seed *s)
{
    enum { ROWS = 20, COLUMNS = 15, ELEMENTS = ROWS * COLUMNS };
    struct weft_err err;
    struct weft_profile_writer *writer = weft_profile_writer_new(s->b, 1, s->process);
    for (int i = 0; i < 2; i++)
        (void)weft_profile_writer_array(writer,
                                        &(struct weft_array){ .name = i ? "B" : "A",
                                                              .rank = 2,
                                                              .shape = { ROWS, COLUMNS },
                                                              .element_bytes = 8,
                                                              .arrangement_rank = 2,
                                                              .arrangement = { 2, 3 } },
                                        0);
    for (unsigned i = 0; i < s->plan->patterns; i++) {
        struct weft_pattern pattern = { .step = i / 20,
                                        .array = (uint32_t)roll(2),
                                        .owner_array =
                                            roll(4) ? (uint32_t)roll(2) : WEFT_NONE,
                                        .operation = (enum weft_reference_operation)roll(2),
                                        .site = WEFT_NONE,
                                        .owner_processor = (int64_t)roll(7) - 1,
                                        .requester_processor = (int64_t)roll(7) - 1,
                                        .local = (int8_t)((int)roll(3) - 1),
                                        .times = 1 + roll(3),
                                        .element = roll(ELEMENTS),
                                        .owner = roll(ELEMENTS),
                                        .extent = { 1 + roll(4), 1 + roll(4), 1, 1 },
                                        .stride = { (int64_t)roll(3) - 1, COLUMNS },
                                        .owner_stride = { 1, (int64_t)roll(2) * COLUMNS } };
        (void)weft_profile_writer_add(writer, &pattern); /* what does not fit is left out */
    }
    if (!weft_profile_writer_finish(writer, NULL, &err))
        abort();
}

/* A task DAG that ran on containers of its own: two blocks of nodes, and some. */
static void add_dag(struct seed *s, uint64_t number)
{
    struct random_dag from = random_dag_make(number, 5, s->plan->dag);
    uint32_t worker = type(s, WEFT_CONTAINER, s->process, "Worker", WEFT_ROLE_WORKER);
    uint32_t workers[8], process = 1; /* behind the root */
    struct weft_err err;
    for (uint32_t w = 0; w < from.n_workers; w++) {
        char name[24];
        snprintf(name, sizeof name, "worker %u", w);
        workers[w] = weft_builder_container(s->b, worker, process, name, NULL, 0);
    }
    for (uint32_t i = 0; i < from.n_sites; i++)
        (void)weft_builder_site(s->b, &(struct weft_site){ .file = "d.c", .line = i + 1 });
    struct weft_dag_writer *writer = weft_dag_writer_new(&(struct weft_dag_target){
        s->b, process, s->process, workers, from.n_workers, worker });
    for (uint32_t i = 0; i < from.n; i++)
        weft_dag_writer_add(writer, &from.nodes[i]);
    WEFT_REQUIRE(weft_dag_writer_finish(writer, NULL, &err), "%s", err.message);
    random_dag_free(&from);
}

void store_seed_write(unsigned i, const char *path)
{
    struct weft_err err;
    struct seed s = { .plan = &plans[i], .last_state = WEFT_NO_ID };
    roll_from(i);
    s.b = weft_builder_new(path, "seed", &err);
    WEFT_REQUIRE(s.b, "%s", err.message);
    define(&s);
    make_containers(&s);
    weft_builder_note(s.b, "command", "a program");
    weft_builder_problem(s.b, WEFT_WARNING, "odd", 3, "something is odd");
    for (unsigned t = 0; t < s.plan->threads; t++) {
        fill_thread(&s, s.threads[t], t);
        if (s.plan->tasks)
            fill_tasks(&s, s.threads[t], 100 * t);
    }
    fill_locks(&s);
    add_links(&s);
    if (s.plan->reductions)
        add_reductions(&s);
    if (s.plan->dag)
        add_dag(&s, i);
    if (s.plan->patterns)
        add_arrays(&s);
    WEFT_REQUIRE(weft_builder_finish(s.b, NULL, &err), "%s", err.message);
    free(s.threads);
    free(s.locks);
}

uint8_t *store_file_bytes(const char *path, size_t *size)
{
    struct weft_err err;
    struct weft_mapping map;
    WEFT_REQUIRE(weft_map_file(&map, path, &err), "%s", err.message);
    uint8_t *bytes = weft_alloc(map.size);
    memcpy(bytes, map.data, map.size);
    *size = map.size;
    weft_unmap(&map);
    return bytes;
}

uint8_t *store_seed_bytes(unsigned i, size_t *size)
{
    char path[] = "/tmp/weft-store-seed.XXXXXX";
    close(mkstemp(path));
    store_seed_write(i, path);
    uint8_t *bytes = store_file_bytes(path, size);
    unlink(path);
    return bytes;
}
