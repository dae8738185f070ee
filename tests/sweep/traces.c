/* SPDX-License-Identifier: Apache-2.0 */
#include "traces.h"

#include <fcntl.h>

#include <xxhash.h>

#include "base/file.h"
#include "base/memory.h"
#include "format/store_layout.h"
#include "tests/random.h"
#include "tests/test.h"

enum {
    CHANGES = 12000, /* of all rows together, so that no trace takes long to make */
    MAX_NESTED = 6,
    GROUP = 16,
    N_LOCKS = 7,
    N_PES = 4,
    REDUCTIONS = 60, /* on each processing element */
};

static uint32_t define(struct weft_builder *b, enum weft_kind kind, uint32_t parent,
                       const char *name, uint32_t end, enum weft_role role)
{
    return weft_builder_type(b, &(struct weft_type){ .kind = kind,
                                                     .parent = parent,
                                                     .name = name,
                                                     .role = role,
                                                     .start_type = end,
                                                     .end_type = end });
}

struct world {
    struct weft_builder *b;
    uint32_t process, thread, lock;                      /* types of containers */
    uint32_t state, call, lock_state, event, load, link; /* of what is on them */
    uint32_t object, site, holder;                       /* fields */
    uint32_t sample, stack, sampled, place;              /* samples, and their fields */
    uint32_t state_values[20], call_values[3], lock_values[3];
    uint32_t used, waiting; /* variables with a meaning of their own */
    uint32_t task, number, work;
    bool meanings; /* the trace says what its things mean */
};

static enum weft_role told(const struct world *w, enum weft_role role)
{
    return w->meanings ? role : WEFT_ROLE_NONE;
}

static void define_types(struct world *w)
{
    static const char *const states[] = { "running", "ready", "blocked on mutex" };
    static const char *const calls[] = { "main",
                                         "a call with a name that is long for a bar", "f" };
    static const char *const holds[] = { "free", "held", "contended" };
    static const enum weft_role state_roles[] = { WEFT_ROLE_RUNNING, WEFT_ROLE_READY,
                                                  WEFT_ROLE_BLOCKED_ON_LOCK };
    static const enum weft_role call_roles[] = { WEFT_ROLE_PARALLEL_REGION,
                                                 WEFT_ROLE_SHARED_WORK, WEFT_ROLE_NONE };
    static const enum weft_role hold_roles[] = { WEFT_ROLE_FREE, WEFT_ROLE_HELD,
                                                 WEFT_ROLE_CONTENDED };
    struct weft_builder *b = w->b;
    w->process =
        define(b, WEFT_CONTAINER, 0, "Process", WEFT_NONE, told(w, WEFT_ROLE_PROCESS));
    w->thread = define(b, WEFT_CONTAINER, w->process, "Thread", WEFT_NONE,
                       told(w, WEFT_ROLE_THREAD));
    w->lock =
        define(b, WEFT_CONTAINER, w->process, "Lock", WEFT_NONE, told(w, WEFT_ROLE_MUTEX));
    w->state = define(b, WEFT_STATE, w->thread, "Thread state", WEFT_NONE,
                      told(w, WEFT_ROLE_ACTIVITY));
    w->call = define(b, WEFT_STATE, w->thread, "Call", WEFT_NONE, told(w, WEFT_ROLE_CALL));
    w->lock_state = define(b, WEFT_STATE, w->lock, "Lock state", WEFT_NONE,
                           told(w, WEFT_ROLE_LOCK_STATE));
    w->event = define(b, WEFT_EVENT, w->thread, "Mark", WEFT_NONE, WEFT_ROLE_NONE);
    w->load = define(b, WEFT_VARIABLE, w->thread, "Load", WEFT_NONE, WEFT_ROLE_NONE);
    w->used = define(b, WEFT_VARIABLE, w->thread, "Processor time", WEFT_NONE,
                     told(w, WEFT_ROLE_PROCESSOR_TIME));
    w->waiting = define(b, WEFT_VARIABLE, w->lock, "Threads waiting", WEFT_NONE,
                        told(w, WEFT_ROLE_WAITERS));
    w->link = define(b, WEFT_LINK, 0, "Message", w->thread, WEFT_ROLE_NONE);
    w->object = weft_builder_field(b, w->state, "object", WEFT_FIELD_TEXT);
    w->site = weft_builder_field(b, w->state, "site", WEFT_FIELD_SITE);
    weft_builder_field_role(b, w->site, told(w, WEFT_ROLE_SITE));
    w->sample =
        define(b, WEFT_EVENT, w->thread, "Sample", WEFT_NONE, told(w, WEFT_ROLE_SAMPLE));
    w->stack = weft_builder_field(b, w->sample, "stack", WEFT_FIELD_TEXT);
    w->sampled = weft_builder_field(b, w->sample, "time", WEFT_FIELD_INTEGER);
    w->place = weft_builder_field(b, w->sample, "place", WEFT_FIELD_SITE);
    weft_builder_field_role(b, w->stack, told(w, WEFT_ROLE_CALL_STACK));
    weft_builder_field_role(b, w->sampled, told(w, WEFT_ROLE_SAMPLED_TIME));
    weft_builder_field_role(b, w->place, told(w, WEFT_ROLE_SITE));
    w->task = define(b, WEFT_STATE, w->thread, "Task", WEFT_NONE, told(w, WEFT_ROLE_TASK));
    w->number = weft_builder_field(b, w->task, "number", WEFT_FIELD_INTEGER);
    w->work = weft_builder_field(b, w->task, "work", WEFT_FIELD_REAL);
    weft_builder_field_role(b, w->number, told(w, WEFT_ROLE_NUMBER));
    weft_builder_field_role(b, w->work, told(w, WEFT_ROLE_WORK));
    w->holder = weft_builder_field(b, w->lock_state, "holder", WEFT_FIELD_TEXT);
    for (unsigned v = 0; v < 20; v++) { /* more than a summary has slots */
        char name[32];
        snprintf(name, sizeof name, "state number %u", v);
        w->state_values[v] = weft_builder_value(b, w->state, v < 3 ? states[v] : name, NULL,
                                                v % 5 == 4 ? 0xff102030 * v : 0);
    }
    for (unsigned v = 0; v < 3; v++) {
        w->call_values[v] = weft_builder_value(b, w->call, calls[v], NULL, 0);
        w->lock_values[v] = weft_builder_value(b, w->lock_state, holds[v], NULL, 0);
        weft_builder_value_role(b, w->state_values[v], told(w, state_roles[v]));
        weft_builder_value_role(b, w->lock_values[v], told(w, hold_roles[v]));
        weft_builder_value_role(b, w->call_values[v], told(w, call_roles[v]));
    }
}

static uint32_t text(struct world *w, const char *name)
{
    return weft_builder_string(w->b, name, strlen(name));
}

/* One thread's states, calls in calls, marks and load, as dense as CHANGES says. */
static void fill_thread(struct world *w, uint32_t thread, unsigned changes, int64_t length)
{
    struct weft_builder *b = w->b;
    uint32_t states = weft_builder_track(b, thread, w->state),
             calls = weft_builder_track(b, thread, w->call),
             events = weft_builder_track(b, thread, w->event),
             loads = weft_builder_track(b, thread, w->load),
             used = weft_builder_track(b, thread, w->used);
    uint32_t site = weft_builder_site(
        b, &(struct weft_site){ 0x1000, "program", "wait_for_it", "program.c", 12 });
    unsigned depth = 0;
    for (unsigned i = 0; i < changes; i++) {
        int64_t at = length * i / changes + (int64_t)roll(2);
        const struct weft_field_value fields[] = {
            { w->object, { .index = text(w, roll(2) ? "mutex 1" : "mutex 2") } },
            { w->site, { .index = site } },
        };
        unsigned v = roll(3) ? 0 : (unsigned)roll(20);
        if (roll(9))
            (void)!weft_builder_set(b, states, at, w->state_values[v], fields,
                                    v == 2 ? 2 : 0, NULL);
        else
            (void)!weft_builder_reset(b, states, at);
        if (depth < MAX_NESTED && roll(2)) {
            (void)!weft_builder_push(b, calls, at, w->call_values[roll(3)], NULL, 0, NULL);
            depth++;
        } else if (depth) {
            (void)!weft_builder_pop(b, calls, at, NULL);
            depth--;
        }
        if (roll(3) == 0)
            (void)!weft_builder_event(b, events, at, WEFT_NONE, NULL, 0, NULL);
        if (roll(4) == 0)
            (void)!weft_builder_sample(b, loads, at, (double)roll(2000) / 7 - 100);
        if (roll(8) == 0) /* seconds, of which there are no more than have passed */
            (void)!weft_builder_sample(b, used, at, (double)at * 1e-9 * 0.7);
    }
}

/* Samples of calls up to forty deep, and some that say nothing. */
static void fill_samples(struct world *w, uint32_t thread, unsigned n, int64_t length)
{
    static const char *const names[] = { "main", "f", "[program]", "std::map<a, b>::find",
                                         "a function with a name that is long for a box" };
    uint32_t track = weft_builder_track(w->b, thread, w->sample);
    for (unsigned i = 0; i < n; i++) {
        char stack[4096] = "";
        for (unsigned depth = 1 + (unsigned)roll(roll(9) ? 6 : 40); depth > 0; depth--) {
            strcat(stack, names[roll(5)]);
            strcat(stack, depth > 1 ? ";" : "");
        }
        uint32_t site =
            weft_builder_site(w->b, &(struct weft_site){ .address = roll(9),
                                                         .object = "program",
                                                         .function = "f",
                                                         .file = "f.c",
                                                         .line = (uint32_t)roll(4) });
        const struct weft_field_value fields[] = { { w->sampled, { .integer = 1000 } },
                                                   { w->stack,
                                                     { .index = text(w, stack) } },
                                                   { w->place, { .index = site } } };
        (void)!weft_builder_event(w->b, track, length * i / n, WEFT_NONE, fields, roll(4),
                                  NULL);
    }
}

/* Tasks in tasks, with a number or a name, some of them without length or work. */
static void fill_tasks(struct world *w, uint32_t thread, unsigned n, int64_t length)
{
    uint32_t track = weft_builder_track(w->b, thread, w->task);
    uint32_t value = weft_builder_value(w->b, w->task, "a task with a long name", NULL, 0);
    unsigned depth = 0;
    for (unsigned i = 0; i < n; i++) {
        int64_t at = length * (i / 2) / n * 2;
        const struct weft_field_value fields[] = {
            { w->work, { .real = (double)roll(100) } },
            { w->number, { .integer = (int64_t)roll(80) } },
        };
        if (depth < MAX_NESTED && roll(2)) {
            (void)!weft_builder_push(w->b, track, at, value, fields, roll(3), NULL);
            depth++;
        } else if (depth) {
            (void)!weft_builder_pop(w->b, track, at, NULL);
            depth--;
        }
    }
}

/* One in three is never contended, so that there are some to fold. */
static void fill_lock(struct world *w, uint32_t lock, int64_t length)
{
    uint32_t track = weft_builder_track(w->b, lock, w->lock_state);
    uint32_t waiting = weft_builder_track(w->b, lock, w->waiting);
    unsigned kinds = roll(3) ? 3 : 2;
    for (int64_t at = 0; at < length; at += 1 + (int64_t)roll((uint64_t)length / 20)) {
        struct weft_field_value by = { w->holder, { .index = text(w, "thread 1") } };
        unsigned v = (unsigned)roll(kinds);
        (void)!weft_builder_set(w->b, track, at, w->lock_values[v], &by, v > 0, NULL);
        if (kinds == 3)
            (void)!weft_builder_sample(w->b, waiting, at, v == 2 ? 1 + (double)roll(4) : 0);
    }
}

/* Reductions as a system with processing elements numbers them: each knows its parent. */
static void add_reductions(struct world *w, int64_t length)
{
    static const char *const names[] = { "index", "parent_pe", "parent_index" };
    struct weft_builder *b = w->b;
    uint32_t pe_type =
        define(b, WEFT_CONTAINER, 0, "PE", WEFT_NONE, told(w, WEFT_ROLE_PROCESSOR));
    uint32_t type = define(b, WEFT_STATE, pe_type, "reduction", WEFT_NONE,
                           told(w, WEFT_ROLE_REDUCTION));
    uint32_t fields[3], values[5];
    for (int f = 0; f < 3; f++)
        fields[f] = weft_builder_field(b, type, names[f], WEFT_FIELD_INTEGER);
    for (int v = 0; v < 5; v++)
        values[v] = weft_builder_value(b, type, (char[]){ (char)('p' + v), 0 }, NULL, 0);
    for (int pe = 0; pe < N_PES; pe++) {
        char name[16];
        snprintf(name, sizeof name, "PE %d", pe);
        uint32_t track = weft_builder_track(
            b, weft_builder_container(b, pe_type, 0, name, NULL, 0), type);
        for (int i = 1; i <= REDUCTIONS; i++) {
            /* Parents run before: a lower index, or that index on an element before. */
            int64_t parent = i > 1 ? 1 + (int64_t)roll((uint64_t)i - 1) : 1;
            int64_t from = i > 1 ? (int64_t)roll(N_PES) : 0;
            const struct weft_field_value of[] = { { fields[0], { i } },
                                                   { fields[1], { from } },
                                                   { fields[2], { parent } } };
            size_t n = pe == 0 && i == 1 ? 1 : 3; /* the first of all has no parent */
            (void)!weft_builder_set(b, track, length * i / (REDUCTIONS + 1) + pe,
                                    values[roll(5)], of, n, NULL);
        }
        (void)!weft_builder_reset(b, track, length);
    }
}

/* Bytes of a heap that rise and fall, and lines that allocated them. */
static void add_memory(struct world *w, uint32_t process, int64_t length)
{
    static const char *const names[] = { "make a function with a long name", "f", "" };
    static const enum weft_role roles[] = { WEFT_ROLE_ALLOCATIONS, WEFT_ROLE_FREES,
                                            WEFT_ROLE_BYTES, WEFT_ROLE_LARGEST,
                                            WEFT_ROLE_LIVE_AT_PEAK };
    struct weft_builder *b = w->b;
    uint32_t event = define(b, WEFT_EVENT, w->process, "Allocations", WEFT_NONE,
                            told(w, WEFT_ROLE_ALLOCATION));
    uint32_t live = define(b, WEFT_VARIABLE, w->process, "Heap", WEFT_NONE,
                           told(w, WEFT_ROLE_LIVE_BYTES));
    uint32_t value = weft_builder_value(b, event, "heap", NULL, 0);
    uint32_t site = weft_builder_field(b, event, "site", WEFT_FIELD_SITE), fields[5];
    uint32_t track = weft_builder_track(b, process, live);
    weft_builder_value_role(b, value, told(w, WEFT_ROLE_HEAP));
    weft_builder_field_role(b, site, told(w, WEFT_ROLE_SITE));
    for (int f = 0; f < 5; f++) {
        fields[f] =
            weft_builder_field(b, event, weft_role_name(roles[f]), WEFT_FIELD_INTEGER);
        weft_builder_field_role(b, fields[f], told(w, roles[f]));
    }
    for (int64_t i = 0; i < 500; i++)
        (void)!weft_builder_sample(b, track, length * i / 500,
                                   (double)(i * 7919 % 1000 * (500 - i)));
    for (uint32_t i = 0; i < 30; i++) {
        struct weft_field_value of[6];
        of[5] = (struct weft_field_value){
            site,
            { .index = weft_builder_site(b, &(struct weft_site){ .function = names[i % 3],
                                                                 .file = "memory.c",
                                                                 .line = i }) }
        };
        for (uint32_t f = 0; f < 5; f++)
            of[f] =
                (struct weft_field_value){ fields[f], { .integer = 3000 * i * (f + 1) } };
        (void)!weft_builder_event(b, weft_builder_track(b, process, event), length, value,
                                  of, 6, NULL);
    }
}

void make_trace(const char *path, unsigned rows, bool meanings)
{
    struct weft_err err;
    struct world w = { .b = weft_builder_new(path, "sweep", &err), .meanings = meanings };
    assert_non_null(w.b);
    define_types(&w);
    unsigned changes = CHANGES / rows < 5 ? 5 : CHANGES / rows;
    const int64_t length = 1000003;
    uint32_t *threads = weft_alloc(rows * sizeof *threads), process = 0;
    for (unsigned i = 0; i < rows; i++) {
        char name[80];
        if (i % GROUP == 0) {
            snprintf(name, sizeof name, "process %u", i / GROUP);
            process = weft_builder_container(w.b, w.process, 0, name, NULL, 0);
        }
        snprintf(name, sizeof name, i % 7 ? "thread %u" : "a thread named at length, %u",
                 i);
        threads[i] =
            weft_builder_container(w.b, w.thread, process, name, NULL, (int)roll(9));
        fill_thread(&w, threads[i], changes, length);
        fill_tasks(&w, threads[i], changes / 3, length);
        if (meanings && i < 2 * GROUP)
            fill_samples(&w, threads[i], 40, length);
    }
    for (unsigned i = 0; i < N_LOCKS + rows / 4; i++) {
        char name[24];
        snprintf(name, sizeof name, "mutex %u", i);
        fill_lock(&w, weft_builder_container(w.b, w.lock, process, name, NULL, 0), length);
    }
    for (unsigned i = 0; i < 3000; i++) {
        int64_t begin = (int64_t)roll((uint64_t)length);
        weft_builder_link(w.b,
                          &(struct weft_link){ w.link, 0, WEFT_NONE, WEFT_NONE,
                                               threads[roll(rows)], threads[roll(rows)],
                                               begin, begin + (int64_t)roll(9999) - 99,
                                               WEFT_NO_ID, WEFT_NO_ID, 0, 0 },
                          NULL, 0);
    }
    add_memory(&w, process, length);
    if (rows % 2 == 0) /* views of trees take calls in calls where there are none */
        add_reductions(&w, length);
    assert_true(weft_builder_finish(w.b, NULL, &err));
    free(threads);
}

void copy_damaged(const char *from, const char *path, unsigned flips)
{
    struct weft_err err;
    struct weft_mapping map;
    assert_true(weft_map_file(&map, from, &err));
    unsigned char *bytes = weft_alloc(map.size);
    memcpy(bytes, map.data, map.size);
    struct weft_file_header header;
    memcpy(&header, bytes, sizeof header);
    const struct weft_file_section *shares = &header.sections[WEFT_SECTION_SHARES];
    struct weft_file_section *section = &header.sections[WEFT_SECTION_SHARE_CHECKSUMS];
    assert_true(shares->size > 0);
    for (unsigned i = 0; i < flips; i++)
        bytes[shares->offset + roll(shares->size)] ^= (unsigned char)(1u << roll(8));
    for (uint64_t at = 0; at < shares->size; at += WEFT_SHARE_PIECE) {
        uint64_t n = shares->size - at;
        n = n < WEFT_SHARE_PIECE ? n : WEFT_SHARE_PIECE;
        uint32_t checksum = (uint32_t)XXH3_64bits(bytes + shares->offset + at, n);
        memcpy(bytes + section->offset + at / WEFT_SHARE_PIECE * 4, &checksum, 4);
    }
    section->checksum = XXH3_64bits(bytes + section->offset, section->size);
    header.checksum = 0;
    header.checksum = XXH3_64bits(&header, sizeof header);
    memcpy(bytes, &header, sizeof header);
    int fd = open(path, O_WRONLY | O_TRUNC | O_CREAT | O_CLOEXEC, 0600);
    assert_int_equal(write(fd, bytes, map.size), map.size);
    close(fd);
    free(bytes);
    weft_unmap(&map);
}
