/* SPDX-License-Identifier: Apache-2.0 */
/* A run of message passing, for the sweep (traces.h). */
#include "base/memory.h"
#include "tests/random.h"
#include "tests/test.h"
#include "traces.h"

enum { LENGTH = 1000003, CALLS = 12 /* of each rank */, OPERATIONS = 30, TAGS = 5 };

struct run {
    struct weft_builder *b;
    uint32_t *ranks, n, world;
    uint32_t call, operation, message;        /* types */
    uint32_t calls[2], operations[4];         /* values */
    uint32_t taken_part, bytes_of_call, root; /* fields */
    uint32_t bytes, tag;
};

static uint32_t define(struct run *r, enum weft_kind kind, const char *name,
                       enum weft_role role)
{
    return weft_builder_type(
        r->b, &(struct weft_type){ .kind = kind, .name = name, .role = role });
}

static uint32_t field(struct run *r, uint32_t type, const char *name,
                      enum weft_field_kind kind, enum weft_role role)
{
    uint32_t number = weft_builder_field(r->b, type, name, kind);

    weft_builder_field_role(r->b, number, role);
    return number;
}

static void define_types(struct run *r)
{
    static const enum weft_role patterns[] = { WEFT_ROLE_ONE_TO_ALL, WEFT_ROLE_ALL_TO_ONE,
                                               WEFT_ROLE_ALL_TO_ALL, WEFT_ROLE_NEIGHBORS };
    static const char *const names[] = { "broadcast", "reduce", "barrier", "halo" };
    uint32_t rank = define(r, WEFT_CONTAINER, "rank", WEFT_ROLE_RANK);
    uint32_t communicator =
        define(r, WEFT_CONTAINER, "communicator", WEFT_ROLE_COMMUNICATOR);
    uint32_t number = field(r, rank, "number", WEFT_FIELD_INTEGER, WEFT_ROLE_RANK_NUMBER);

    r->call = define(r, WEFT_STATE, "call", WEFT_ROLE_COMMUNICATION);
    r->calls[0] = weft_builder_value(r->b, r->call, "a call", NULL, 0);
    r->calls[1] = weft_builder_value(r->b, r->call, "a receive", NULL, 0);
    weft_builder_value_role(r->b, r->calls[1], WEFT_ROLE_BLOCKED_ON_MESSAGE);
    r->operation = define(r, WEFT_EVENT, "operation", WEFT_ROLE_COLLECTIVE_OPERATION);
    r->root = field(r, r->operation, "root", WEFT_FIELD_INTEGER, WEFT_ROLE_ROOT);
    r->taken_part = field(r, r->call, "operation", WEFT_FIELD_ENTITY, WEFT_ROLE_OPERATION);
    r->bytes_of_call = field(r, r->call, "bytes", WEFT_FIELD_INTEGER, WEFT_ROLE_BYTES);
    r->message = define(r, WEFT_LINK, "message", WEFT_ROLE_MESSAGE);
    r->bytes = field(r, r->message, "bytes", WEFT_FIELD_INTEGER, WEFT_ROLE_BYTES);
    r->tag = field(r, r->message, "tag", WEFT_FIELD_INTEGER, WEFT_ROLE_TAG);
    for (int i = 0; i < 4; i++) {
        r->operations[i] = weft_builder_value(r->b, r->operation, names[i], NULL, 0);
        weft_builder_value_role(r->b, r->operations[i], patterns[i]);
    }
    for (uint32_t i = 0; i < r->n; i++) {
        char name[24];
        snprintf(name, sizeof name, "rank %u", i);
        r->ranks[i] = weft_builder_container(r->b, rank, 0, name, NULL, 0);
        weft_builder_container_field(
            r->b, r->ranks[i], &(struct weft_field_value){ number, { .integer = i } });
    }
    r->world = weft_builder_container(r->b, communicator, 0, "world", NULL, 0);
}

/* A call of a rank, in the operation EVENT unless that is none. */
static void add_call(struct run *r, uint32_t rank, int64_t begin, int64_t end,
                     uint64_t event)
{
    const struct weft_field_value fields[] = {
        { r->taken_part, { .entity = event } },
        { r->bytes_of_call, { .integer = (int64_t)roll(1 << 20) } },
    };
    uint32_t track = weft_builder_track(r->b, r->ranks[rank], r->call);
    uint64_t id;

    (void)!weft_builder_push(r->b, track, begin, r->calls[roll(2)], fields,
                             event == WEFT_NO_ID ? 0 : 2, &id);
    (void)!weft_builder_pop(r->b, track, end, NULL);
}

/* All ranks call now and then, and come to each operation at about one time. */
static void add_calls(struct run *r)
{
    const int64_t part = LENGTH / (OPERATIONS + 1);

    for (int i = 0; i < OPERATIONS; i++) {
        const struct weft_field_value root = { r->root,
                                               { .integer = (int64_t)roll(r->n + 1) - 1 } };
        int64_t begin = part * (i + 1);
        uint64_t event;
        assert_int_equal(
            weft_builder_event(r->b, weft_builder_track(r->b, r->world, r->operation),
                               begin, r->operations[roll(4)], &root, 1, &event),
            WEFT_BUILD_OK);
        for (uint32_t rank = 0; rank < r->n; rank++) {
            int64_t late = begin + (int64_t)roll((uint64_t)part / 2);
            add_call(r, rank, begin - (int64_t)roll((uint64_t)part / 4), begin, WEFT_NO_ID);
            if (roll(10))
                add_call(r, rank, late, late + part / 4, event);
        }
    }
}

static void add_messages(struct run *r)
{
    for (uint32_t i = 0; i < r->n * CALLS; i++) {
        const struct weft_field_value fields[] = {
            { r->bytes, { .integer = (int64_t)roll(roll(2) ? 100 : 1 << 30) } },
            { r->tag, { .integer = (int64_t)roll(TAGS) } },
        };
        int64_t begin = (int64_t)roll(LENGTH);
        struct weft_link link = { .type = r->message,
                                  .value = WEFT_NONE,
                                  .key = WEFT_NONE,
                                  .from = roll(30) ? r->ranks[roll(r->n)] : WEFT_NONE,
                                  .to = r->ranks[roll(r->n)],
                                  .begin = begin,
                                  .end = begin + (int64_t)roll(9999) - 99,
                                  .from_entity = WEFT_NO_ID,
                                  .to_entity = WEFT_NO_ID };
        if (link.from == WEFT_NONE)
            link.flags = WEFT_BEGIN_IMPLIED;
        else if (roll(30) == 0)
            link.flags = WEFT_END_IMPLIED;
        weft_builder_link(r->b, &link, fields, 2);
    }
}

void make_messages(const char *path, unsigned ranks)
{
    struct weft_err err;
    struct run r = { .b = weft_builder_new(path, "sweep", &err), .n = ranks };

    assert_non_null(r.b);
    r.ranks = weft_alloc(ranks * sizeof *r.ranks);
    define_types(&r);
    add_calls(&r);
    add_messages(&r);
    assert_true(weft_builder_finish(r.b, NULL, &err));
    free(r.ranks);
}
