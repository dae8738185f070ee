/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the join makes of MPI's records.  The recordings are described in the tests
 * (synthetic.h); what is expected is worked out beside each from the rules of MPI.  Clocks count
 * nanoseconds, so that a record's number is its time.
 */
#include "tests/unit/recording/synthetic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "domains/messages/join/mpi_join.h"
#include "read/roles/builtin_role_tables.h"

/* Two ranks begin; what follows are records of rank 0, then of rank 1 after RANK_1. */
#define RANK_0                                                                             \
 "host alpha boot-a ns\n"                                                                  \
 "process 10 ring\n"                                                                       \
 "families 8\n"                                                                            \
 "thread 0\n"                                                                              \
 "1000 mpi-rank 0 2\n"
#define RANK_1                                                                             \
 "process 11 ring\n"                                                                       \
 "families 8\n"                                                                            \
 "thread 0\n"                                                                              \
 "1001 mpi-rank 1 2\n"

struct messages {
    const struct recorded *recorded;
    struct weft_link links[16];
    int64_t tags[16], bytes[16];
    const char *communicators[16];
    size_t n;
};

static bool keep_link(void *user, const struct weft_link *link)
{
    struct messages *all = user;
    const struct weft_schema *schema = all->recorded->schema;
    struct weft_field_value fields[8];
    size_t n =
        all->recorded->source->ops->fields(all->recorded->source, link->id, fields, 8);
    const struct weft_field_value *value;

    assert_true(all->n < 16);
    all->links[all->n] = *link;
    value = weft_field_with_role(schema, fields, n, WEFT_ROLE_TAG, WEFT_FIELD_INTEGER);
    all->tags[all->n] = value ? value->integer : -1;
    value = weft_field_with_role(schema, fields, n, WEFT_ROLE_BYTES, WEFT_FIELD_INTEGER);
    all->bytes[all->n] = value ? value->integer : -1;
    value = weft_field_with_role(schema, fields, n, WEFT_ROLE_COMMUNICATOR_OF,
                                 WEFT_FIELD_CONTAINER);
    all->communicators[all->n++] = value ? schema->containers[value->index].name : "";
    return true;
}

/* All links of a type, in order of their begins. */
static struct messages links_of(const struct recorded *recorded, const char *type)
{
    struct messages all = { .recorded = recorded };
    uint32_t of = track(recorded, 0, type);

    if (of != WEFT_NONE)
        recorded->source->ops->links(recorded->source, of,
                                     (struct weft_span){ recorded->schema->span.begin,
                                                         recorded->schema->span.end + 1 },
                                     keep_link, &all);
    return all;
}

static void test_ranks(void **state)
{
    struct recorded recorded =
        synthetic_trace(RANK_0 "2000 mpi-send Send 1:7 1 100\n"
                               "2100 mpi-return 0\n" RANK_1 "1900 mpi-receive Recv *:* 1\n"
                               "2200 mpi-received 0 0:7 100\n");
    uint32_t rank_0 = container(&recorded, "Process", "rank 0");
    uint32_t rank_1 = container(&recorded, "Process", "rank 1");
    uint32_t world = container(&recorded, "Communicator", "MPI_COMM_WORLD");
    const struct weft_field_value *fact;
    struct messages all = links_of(&recorded, "MPI message");
    struct found_state found[4];

    (void)state;
    assert_int_equal(recorded.schema->containers[rank_1].role, WEFT_ROLE_RANK);
    fact = weft_container_fact(recorded.schema, rank_1, WEFT_ROLE_RANK_NUMBER,
                               WEFT_FIELD_INTEGER);
    assert_int_equal(fact->integer, 1);
    fact = weft_container_fact(recorded.schema, world, WEFT_ROLE_MEMBERS, WEFT_FIELD_TEXT);
    assert_string_equal(recorded.schema->strings[fact->index], "0-1");
    assert_int_equal(all.n, 1);
    assert_int_equal(all.links[0].from, rank_0);
    assert_int_equal(all.links[0].to, rank_1);
    assert_int_equal(all.links[0].begin, 2000);
    assert_int_equal(all.links[0].end, 2200);
    assert_int_equal(all.tags[0], 7);
    assert_int_equal(all.bytes[0], 100);
    assert_string_equal(all.communicators[0], "MPI_COMM_WORLD");
    /* Its ends are the calls, which are of the threads. */
    assert_int_equal(
        states(&recorded,
               track(&recorded,
                     recorded.schema->tracks[weft_entity_track(all.links[0].to_entity)]
                         .container,
                     "MPI call"),
               found, 4),
        1);
    assert_int_equal(found[0].state.id, all.links[0].to_entity);
    assert_string_equal(found[0].value, "MPI_Recv");
    assert_int_equal(found[0].state.begin, 1900);
    assert_int_equal(found[0].state.end, 2200);
    assert_false(has_problem(&recorded, "missing-ranks"));
    forget(&recorded);
}

/*
 * Receives of one channel get messages in the order of their posting, whichever is complete
 * first: the first message is that of 1 byte, and the second receive is complete first.
 */
static void test_order_of_posting(void **state)
{
    struct recorded recorded =
        synthetic_trace(RANK_0 "2000 mpi-send Isend 1:7 1 1\n"
                               "2001 mpi-return 0\n"
                               "2002 mpi-send Isend 1:7 1 2\n"
                               "2003 mpi-return 0\n" RANK_1 "1100 mpi-receive Irecv 0:7 1\n"
                               "1101 mpi-request 0 0x100\n"
                               "1101 mpi-return 0\n"
                               "1110 mpi-receive Irecv *:* 1\n"
                               "1111 mpi-request 0 0x200\n"
                               "1111 mpi-return 0\n"
                               "1120 mpi-wait Wait 0x200\n"
                               "3000 mpi-completed 0 0x200 0:7 2\n"
                               "3000 mpi-return 0\n"
                               "3001 mpi-wait Wait 0x100\n"
                               "4000 mpi-completed 0 0x100 0:7 1\n"
                               "4000 mpi-return 0\n");
    struct messages all = links_of(&recorded, "MPI message");

    (void)state;
    assert_int_equal(all.n, 2);
    assert_int_equal(all.bytes[0], 1);
    assert_int_equal(all.links[0].end, 4000);
    assert_int_equal(all.bytes[1], 2);
    assert_int_equal(all.links[1].end, 3000);
    forget(&recorded);
}

/*
 * A receive of any tag that was posted first holds back the others only until it shows which
 * message it got: tag 5.  One that is cancelled never stood before them.
 */
static void test_any_tag(void **state)
{
    struct recorded recorded =
        synthetic_trace(RANK_0 "2000 mpi-send Send 1:7 1 1\n"
                               "2001 mpi-return 0\n"
                               "2002 mpi-send Send 1:5 1 2\n"
                               "2003 mpi-return 0\n" RANK_1 "1100 mpi-receive Irecv 0:* 1\n"
                               "1101 mpi-request 0 0x100\n"
                               "1101 mpi-return 0\n"
                               "1102 mpi-receive Irecv 0:7 1\n"
                               "1103 mpi-request 0 0x300\n"
                               "1103 mpi-return 0\n"
                               "1110 mpi-receive Recv 0:7 1\n"
                               "2500 mpi-received 0 0:7 1\n"
                               "2600 mpi-call Waitall\n"
                               "3000 mpi-completed 0 0x100 0:5 2\n"
                               "3000 mpi-completed 1 0x300 0:0 0\n"
                               "3000 mpi-return 0\n");
    struct messages all = links_of(&recorded, "MPI message");

    (void)state;
    assert_int_equal(all.n, 2);
    assert_int_equal(all.tags[0], 7);
    assert_int_equal(all.links[0].end, 2500);
    assert_int_equal(all.tags[1], 5);
    assert_int_equal(all.links[1].end, 3000);
    assert_false(has_problem(&recorded, "receive-without-send"));
    forget(&recorded);
}

/*
 * MPI refuses to start a partitioned send: that leaves the channel of parts, and no message of
 * the ordinary sends with the same receiver and tag.
 */
static void test_refused_parts(void **state)
{
    struct recorded recorded =
        synthetic_trace(RANK_0 "2000 mpi-send Psend_init 1:7 1 9\n"
                               "2001 mpi-request 0 0x100\n"
                               "2002 mpi-return 0\n"
                               "2010 mpi-send Send 1:7 1 1\n"
                               "2011 mpi-return 0\n"
                               "2020 mpi-start Start 0x100\n"
                               "2021 mpi-completed 1 0x100 0:0 0\n"
                               "2022 mpi-return 1\n" RANK_1 "1500 mpi-receive Recv 0:7 1\n"
                               "2800 mpi-received 0 0:7 1\n");
    struct messages all = links_of(&recorded, "MPI message");

    (void)state;
    assert_int_equal(all.n, 1);
    assert_int_equal(all.links[0].begin, 2010);
    assert_int_equal(all.bytes[0], 1);
    assert_false(has_problem(&recorded, "receive-without-send"));
    forget(&recorded);
}

/* The receive stands before the send: paired all the same, and told. */
static void test_tachyon(void **state)
{
    struct recorded recorded =
        synthetic_trace(RANK_0 "2000 mpi-send Send 1:7 1 1\n"
                               "2001 mpi-return 0\n" RANK_1 "1500 mpi-receive Recv 0:7 1\n"
                               "1800 mpi-received 0 0:7 1\n");
    struct messages all = links_of(&recorded, "MPI message");

    (void)state;
    assert_int_equal(all.n, 1);
    assert_int_equal(all.links[0].begin, 2000);
    assert_int_equal(all.links[0].end, 1800);
    assert_true(has_problem(&recorded, "tachyon"));
    forget(&recorded);
}

/*
 * Damage: what one call began is said to go on under two requests.  It ends once: else its
 * channel, a list, would become a ring.
 */
static void test_two_requests_of_one_call(void **state)
{
    struct recorded recorded =
        synthetic_trace(RANK_0 "2000 mpi-send Send 1:7 1 1\n"
                               "2001 mpi-return 0\n" RANK_1 "1100 mpi-receive Irecv 0:7 1\n"
                               "1101 mpi-request 0 0x100\n"
                               "1102 mpi-request 0 0x200\n"
                               "1103 mpi-return 0\n"
                               "1500 mpi-call Waitall\n"
                               "1600 mpi-completed 0 0x100 0:7 1\n"
                               "1600 mpi-completed 0 0x200 0:7 1\n"
                               "3000 mpi-return 0\n");
    struct messages all = links_of(&recorded, "MPI message");

    (void)state;
    assert_int_equal(all.n, 1);
    assert_int_equal(all.links[0].begin, 2000);
    assert_int_equal(all.links[0].end, 1600);
    forget(&recorded);
}

/*
 * Both ranks have a communicator 9, but not the same one: each alone after a split.  Then both
 * are in communicator 8 of rank 0, which is 7 of rank 1, with the ranks turned round.
 */
static void test_communicators(void **state)
{
    struct recorded recorded = synthetic_trace(
        RANK_0 "1100 mpi-communicator 0 9 1 0 0+1\n"
               "1200 mpi-communicator 0 8 1 0 1+1 0+1\n"
               "2000 mpi-send Send 0:3 9 1\n"
               "2001 mpi-return 0\n"
               "2002 mpi-receive Recv 0:3 9\n"
               "2100 mpi-received 0 0:3 1\n"
               "2200 mpi-send Send 0:3 8 2\n"
               "2201 mpi-return 0\n" RANK_1 "1100 mpi-communicator 0 9 1 0 1+1\n"
               "1200 mpi-communicator 0 7 1 0 1+1 0+1\n"
               "2150 mpi-send Send 0:3 9 4\n"
               "2151 mpi-return 0\n"
               "2160 mpi-receive Recv *:* 9\n"
               "2170 mpi-received 0 0:3 4\n"
               "2180 mpi-receive Recv 1:3 7\n"
               "2300 mpi-received 0 1:3 2\n");
    uint32_t rank_0 = container(&recorded, "Process", "rank 0");
    uint32_t rank_1 = container(&recorded, "Process", "rank 1");
    struct messages all = links_of(&recorded, "MPI message");

    (void)state;
    assert_int_equal(all.n, 3);
    assert_true(all.links[0].from == rank_0 && all.links[0].to == rank_0);
    assert_true(all.links[1].from == rank_1 && all.links[1].to == rank_1);
    assert_true(all.links[2].from == rank_0 && all.links[2].to == rank_1);
    assert_string_not_equal(all.communicators[0], all.communicators[1]);
    assert_int_equal(count_containers(&recorded, "Communicator"), 4);
    forget(&recorded);
}

/* A program that takes the name of a communicator away leaves it the one that it has here. */
static void test_empty_name(void **state)
{
    char text[600];
    struct recorded recorded;

    (void)state;
    snprintf(text, sizeof text,
             RANK_0 "1100 raw %d 0 2 0\n"
                    "2000 mpi-collective Barrier 2 0 0xffffffffffffffff\n"
                    "2100 mpi-return 0\n",
             WEFT_RECORD_MPI_COMMUNICATOR_NAME);
    recorded = synthetic_trace(text);
    (void)container(&recorded, "Communicator", "MPI_COMM_SELF of rank 0");
    forget(&recorded);
}

/*
 * Two threads of each rank make a communicator of the same group, at the same time: the tags say
 * which are one.  They are told in one order by rank 0, in the other by rank 1.
 */
static void test_tags_of_groups(void **state)
{
    struct recorded recorded = synthetic_trace(
        RANK_0 "1100 mpi-communicator 0 9 1 0x100000001 0+2\n"
               "1200 mpi-communicator 0 8 1 0x200000001 0+2\n"
               "2000 mpi-send Send 1:5 9 10\n"
               "2001 mpi-return 0\n"
               "3000 mpi-send Send 1:5 8 500\n"
               "3001 mpi-return 0\n" RANK_1 "1100 mpi-communicator 0 7 1 0x200000001 0+2\n"
               "1200 mpi-communicator 0 6 1 0x100000001 0+2\n"
               "2000 mpi-receive Recv 0:5 6\n"
               "2100 mpi-received 0 0:5 10\n"
               "3000 mpi-receive Recv 0:5 7\n"
               "3100 mpi-received 0 0:5 500\n");
    struct messages all = links_of(&recorded, "MPI message");

    (void)state;
    assert_int_equal(all.n, 2);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(all.links[i].begin, 2000 + 1000 * i);
        assert_int_equal(all.links[i].end, 2100 + 1000 * i);
    }
    assert_int_equal(count_containers(&recorded, "Communicator"), 3);
    forget(&recorded);
}

/* Two operations: a broadcast that both enter, and a barrier in the background of which rank 1
   sees only its wait. */
static void test_operations(void **state)
{
    struct recorded recorded = synthetic_trace(
        RANK_0 "2000 mpi-collective Bcast 1 40 0\n"
               "2100 mpi-return 0\n"
               "2200 mpi-collective Ibarrier 1 0 0xffffffffffffffff\n"
               "2201 mpi-request 0 0x100\n"
               "2201 mpi-return 0\n"
               "2300 mpi-wait Wait 0x100\n"
               "2400 mpi-completed 0 0x100 0:0 0\n"
               "2400 mpi-return 0\n" RANK_1 "1900 mpi-collective Bcast 1 0 0\n"
               "2110 mpi-return 0\n"
               "2250 mpi-collective Barrier 1 0 0xffffffffffffffff\n"
               "2350 mpi-return 0\n");
    uint32_t world = container(&recorded, "Communicator", "MPI_COMM_WORLD");
    uint32_t operations = track(&recorded, world, "Collective operation");
    uint32_t thread =
        recorded.schema->containers[container(&recorded, "Process", "rank 0")].order;
    uint32_t calls;
    struct found_state found[4];
    struct weft_field_value fields[8];
    const struct weft_field_value *part[3] = { NULL };
    uint64_t events[3];

    (void)state;
    assert_int_equal(recorded.schema->tracks[operations].count, 2);
    assert_int_equal(count_events(&recorded, operations, "MPI_Bcast"), 1);
    assert_int_equal(count_events(&recorded, operations, "MPI_Ibarrier"), 1);
    calls = track(&recorded, recorded.schema->preorder[thread + 1], "MPI call");
    assert_int_equal(states(&recorded, calls, found, 4), 3);
    for (int i = 0; i < 3; i++) {
        size_t n =
            recorded.source->ops->fields(recorded.source, found[i].state.id, fields, 8);
        part[i] = weft_field_with_role(recorded.schema, fields, n, WEFT_ROLE_OPERATION,
                                       WEFT_FIELD_ENTITY);
        assert_non_null(part[i]);
        events[i] = part[i]->entity;
    }
    assert_int_equal(weft_entity_track(events[0]), operations);
    assert_true(events[0] != events[1]);
    assert_true(events[1] == events[2]); /* the wait is part of the barrier */
    for (int i = 0; i < 2; i++) {
        struct weft_event event;
        assert_true(recorded.source->ops->event(recorded.source, events[i], &event));
        assert_int_equal(recorded.schema->values[event.value].role,
                         i == 0 ? WEFT_ROLE_ONE_TO_ALL : WEFT_ROLE_ALL_WAIT);
    }
    forget(&recorded);
}

/*
 * A ring of two, so that each sends the other two parts; and rank 1's second operation is in the
 * background.  Parts are no messages, and of each operation no more is sent.
 */
static void test_neighbors(void **state)
{
#define RING(other)                                                                        \
 "1100 mpi-communicator 0 9 1 0 0+2\n"                                                     \
 "1100 mpi-neighbors 0 9 2 " other " " other "\n"                                          \
 "1100 mpi-neighbors 1 9 2 " other " " other "\n"
    struct recorded recorded = synthetic_trace(RANK_0 RING(
        "1") "2000 mpi-collective Neighbor_alltoall 9 40 0xffffffffffffffff\n"
             "2100 mpi-return 0\n"
             "3000 mpi-collective Neighbor_allgather 9 8 0xffffffffffffffff\n"
             "3300 mpi-return 0\n" RANK_1 RING(
                 "0") "2050 mpi-collective Neighbor_alltoall 9 4 0xffffffffffffffff\n"
                      "2200 mpi-return 0\n"
                      "2900 mpi-collective Ineighbor_allgather 9 8 "
                      "0xffffffffffffffff\n"
                      "2901 mpi-request 0 0x100\n"
                      "2901 mpi-return 0\n"
                      "3100 mpi-wait Wait 0x100\n"
                      "3400 mpi-completed 0 0x100 0:0 0\n"
                      "3400 mpi-return 0\n");
    struct messages parts = links_of(&recorded, "MPI part of an operation");
    uint32_t rank_0 = container(&recorded, "Process", "rank 0");
    int from_0 = 0;

    (void)state;
#undef RING
    assert_int_equal(links_of(&recorded, "MPI message").n, 0);
    assert_int_equal(parts.n, 8);
    for (size_t i = 0; i < parts.n; i++) {
        const struct weft_link *link = &parts.links[i];
        bool out = link->from == rank_0, first = link->begin < 2500;
        from_0 += out;
        assert_int_equal(link->begin, first ? out ? 2000 : 2050 : out ? 3000 : 2900);
        assert_int_equal(link->end, first ? out ? 2200 : 2100 : out ? 3400 : 3300);
        assert_int_equal(parts.bytes[i], first ? out ? 40 : 4 : 8);
        assert_true(link->from != link->to && link->to_entity != WEFT_NO_ID);
    }
    assert_int_equal(from_0, 4);
    assert_int_equal(recorded.schema->types[parts.links[0].type].role,
                     WEFT_ROLE_COLLECTIVE);
    assert_false(has_problem(&recorded, "receive-without-send"));
    forget(&recorded);
}

/* A fact of the state NUMBER of rank 0's calls, as a text; "" when it has none. */
static const char *text_of(const struct recorded *recorded, size_t number,
                           enum weft_role role)
{
    const struct weft_schema *schema = recorded->schema;
    uint32_t rank = container(recorded, "Process", "rank 0");
    uint32_t thread = schema->preorder[schema->containers[rank].order + 1];
    struct found_state found[64];
    struct weft_field_value fields[8];
    size_t n = states(recorded, track(recorded, thread, "MPI call"), found, 64);
    const struct weft_field_value *value;

    assert_true(number < n);
    n = recorded->source->ops->fields(recorded->source, found[number].state.id, fields, 8);
    if (role == WEFT_ROLE_PARTNER) {
        value = weft_field_with_role(schema, fields, n, role, WEFT_FIELD_CONTAINER);
        return value ? schema->containers[value->index].name : "";
    }
    value = weft_field_with_role(schema, fields, n, role, WEFT_FIELD_TEXT);
    return value ? schema->strings[value->index] : "";
}

/* A message that was matched before, and is received under a request. */
static void test_matched(void **state)
{
    struct recorded recorded =
        synthetic_trace(RANK_0 "2000 mpi-call Improbe\n"
                               "2001 mpi-matched 0 0x70 1:9 1\n"
                               "2001 mpi-return 0\n"
                               "2010 mpi-call Imrecv\n"
                               "2011 mpi-takes 0 0x70\n"
                               "2011 mpi-request 0 0x200\n"
                               "2012 mpi-return 0\n"
                               "2020 mpi-wait Wait 0x200\n"
                               "2030 mpi-completed 0 0x200 1:9 4\n"
                               "2030 mpi-return 0\n" RANK_1 "1990 mpi-send Send 0:9 1 4\n"
                               "2031 mpi-return 0\n");

    (void)state;
    assert_string_equal(text_of(&recorded, 2, WEFT_ROLE_COMPLETES),
                        "MPI_Imrecv from 1, tag 9");
    assert_int_equal(recorded.schema->n_problems, 0);
    forget(&recorded);
}

/*
 * Each record claims a communicator of a million members: what all of them take has an end, and it
 * is said.
 */
static void test_claimed_members(void **state)
{
    enum { CLAIMS = 1000 };
    char *text = malloc(100 + CLAIMS * 80);
    struct recorded recorded;
    size_t size = (size_t)sprintf(text, "host alpha boot-a ns\nprocess 10 ring\n"
                                        "families 8\nthread 0\n1000 mpi-rank 0 1048576\n");

    (void)state;
    for (int i = 0; i < CLAIMS; i++)
        size +=
            (size_t)sprintf(text + size, "%d mpi-communicator 0 %d 1 0 0+1000000 %d+%d\n",
                            1100 + i, 100 + i, i, 1 + i % 7);
    recorded = synthetic_trace(text);
    assert_true(has_problem(&recorded, "left-out-members"));
    forget(&recorded);
    free(text);
}

/*
 * Rank 0 waits for its send alone, then for a receive of anybody's and a broadcast, tests in
 * vain, and waits for 40 sends, of which not all have room in the text.
 */
static void test_completed(void **state)
{
    enum { MANY = 40 };
    char text[16384] = RANK_0 "2000 mpi-send Isend 1:7 1 1\n"
                              "2000 mpi-request 0 0x100\n"
                              "2001 mpi-return 0\n"
                              "2010 mpi-wait Wait 0x100\n"
                              "2020 mpi-completed 0 0x100 0:0 0\n"
                              "2020 mpi-return 0\n"
                              "2030 mpi-receive Irecv *:* 1\n"
                              "2030 mpi-request 0 0x200\n"
                              "2031 mpi-return 0\n"
                              "2040 mpi-collective Ibcast 1 40 0\n"
                              "2040 mpi-request 0 0x300\n"
                              "2041 mpi-return 0\n"
                              "2050 mpi-call Waitall\n"
                              "2060 mpi-completed 0 0x200 1:9 4\n"
                              "2060 mpi-completed 0 0x300 0:0 0\n"
                              "2060 mpi-return 0\n"
                              "2070 mpi-call Testall\n"
                              "2080 mpi-return 0\n";
    struct recorded recorded;
    const char *completes;
    int named = 0, rest = 0;

    (void)state;
    for (int i = 0; i < MANY; i++)
        strcat(text, "2090 mpi-send Isend 1:7 1 1\n"
                     "2090 mpi-request 0 0x400\n"
                     "2090 mpi-return 0\n");
    strcat(text, "2091 mpi-call Waitall\n");
    for (int i = 0; i < MANY; i++)
        strcat(text, "2095 mpi-completed 0 0x400 0:0 0\n");
    strcat(text, "2099 mpi-return 0\n" RANK_1 "2030 mpi-send Send 0:9 1 4\n"
                 "2031 mpi-return 0\n");
    recorded = synthetic_trace(text);
    assert_string_equal(text_of(&recorded, 1, WEFT_ROLE_COMPLETES),
                        "MPI_Isend to 1, tag 7");
    assert_string_equal(text_of(&recorded, 1, WEFT_ROLE_PARTNER), "rank 1");
    assert_string_equal(text_of(&recorded, 4, WEFT_ROLE_COMPLETES),
                        "MPI_Irecv from 1, tag 9; MPI_Ibcast");
    assert_string_equal(text_of(&recorded, 4, WEFT_ROLE_PARTNER), "");
    assert_string_equal(text_of(&recorded, 5, WEFT_ROLE_COMPLETES), "");
    completes = text_of(&recorded, 6 + MANY, WEFT_ROLE_COMPLETES);
    for (const char *at = completes; (at = strstr(at, "to 1, tag 7")) != NULL; at++)
        named++;
    assert_non_null(strstr(completes, " and "));
    assert_int_equal(sscanf(strstr(completes, " and "), " and %d more", &rest), 1);
    assert_int_equal(named + rest, MANY);
    forget(&recorded);
}

/* Of rank 1 there is nothing: what was sent to it has no other end. */
static void test_missing_rank(void **state)
{
    struct recorded recorded = synthetic_trace(RANK_0 "2000 mpi-send Send 1:7 1 1\n"
                                                      "2001 mpi-return 0\n"
                                                      "2002 mpi-receive Recv 1:7 1\n"
                                                      "2003 mpi-received 0 1:7 1\n");
    struct messages all = links_of(&recorded, "MPI message");

    (void)state;
    assert_true(has_problem(&recorded, "missing-ranks"));
    assert_true(has_problem(&recorded, "send-without-receive"));
    assert_true(has_problem(&recorded, "receive-without-send"));
    assert_int_equal(all.n, 2);
    assert_int_equal(all.links[0].to, WEFT_NONE);
    assert_int_equal(all.links[1].from, WEFT_NONE);
    forget(&recorded);
}

/*
 * Nobody receives the second message, nor what rank 0 sends to itself: they are on their
 * way to whom they were sent until all is over, which is when rank 1 last did something.
 */
static void test_never_received(void **state)
{
    struct recorded recorded =
        synthetic_trace(RANK_0 "2000 mpi-send Send 1:7 1 1\n"
                               "2001 mpi-return 0\n"
                               "2002 mpi-send Send 1:7 1 2\n"
                               "2003 mpi-return 0\n"
                               "2004 mpi-send Send 0:8 1 3\n"
                               "2005 mpi-return 0\n" RANK_1 "2000 mpi-receive Recv 0:7 1\n"
                               "2009 mpi-received 0 0:7 1\n"
                               "5000 mpi-call Barrier\n"
                               "6000 mpi-return 0\n");
    uint32_t rank_0 = container(&recorded, "Process", "rank 0");
    uint32_t rank_1 = container(&recorded, "Process", "rank 1");
    struct messages all = links_of(&recorded, "MPI message");

    (void)state;
    assert_int_equal(all.n, 3);
    assert_int_equal(all.links[0].flags, 0);
    assert_int_equal(all.links[0].end, 2009);
    for (size_t i = 1; i < 3; i++) {
        assert_int_equal(all.links[i].flags, WEFT_END_IMPLIED);
        assert_int_equal(all.links[i].from, rank_0);
        assert_int_equal(all.links[i].to, i == 1 ? rank_1 : rank_0);
        assert_int_equal(all.links[i].end, recorded.schema->span.end);
        assert_true(all.links[i].end >= 6000);
        assert_true(all.links[i].to_entity == WEFT_NO_ID);
    }
    assert_true(has_problem(&recorded, "send-without-receive"));
    forget(&recorded);
}

/* Killed in a receive, which so has received nothing; what it got before stays. */
static void test_killed(void **state)
{
    struct recorded recorded =
        synthetic_trace(RANK_0 "2000 mpi-send Send 1:7 1 1\n"
                               "2001 mpi-return 0\n" RANK_1 "killed\n"
                               "2000 mpi-receive Recv 0:7 1\n"
                               "2003 mpi-received 0 0:7 1\n"
                               "2010 mpi-receive Recv 0:7 1\n");
    struct messages all = links_of(&recorded, "MPI message");

    (void)state;
    assert_int_equal(all.n, 1);
    assert_true(all.links[0].from != WEFT_NONE && all.links[0].to != WEFT_NONE);
    assert_false(has_problem(&recorded, "receive-without-send"));
    forget(&recorded);
}

/* A put is complete at the fence, an exchange under a request at its wait, both ways. */
static void test_transfers(void **state)
{
    struct recorded recorded =
        synthetic_trace(RANK_0 "1100 mpi-window 0 0x50 1\n"
                               "2000 mpi-transfer Put 0x50 1 64\n"
                               "2001 mpi-return 0\n"
                               "2010 mpi-transfer Rget_accumulate 0x50 1 8\n"
                               "2011 mpi-request 0 0x100\n"
                               "2011 mpi-return 0\n"
                               "2020 mpi-wait Wait 0x100\n"
                               "2030 mpi-completed 0 0x100 0:0 0\n"
                               "2030 mpi-return 0\n"
                               "2040 mpi-completes Win_fence 0x50 0x80000000\n"
                               "2050 mpi-return 0\n" RANK_1 "1100 mpi-window 0 0x60 1\n");
    uint32_t rank_0 = container(&recorded, "Process", "rank 0");
    struct messages all = links_of(&recorded, "MPI transfer");

    (void)state;
    assert_int_equal(all.n, 3);
    assert_int_equal(all.links[0].begin, 2000);
    assert_int_equal(all.links[0].end, 2050);
    assert_int_equal(all.bytes[0], 64);
    assert_int_equal(all.links[1].end, 2030);
    assert_int_equal(all.links[2].end, 2030);
    assert_true(all.links[1].from == rank_0 || all.links[2].from == rank_0);
    assert_true(all.links[1].to == rank_0 || all.links[2].to == rank_0);
    forget(&recorded);
}

/*
 * The clock of rank 1's host is 5 ms ahead when MPI begins, and 10 us more a second later, when
 * it ends.  Half-way a message is sent at 501,000,000 and arrives 1,000 ns later.
 */
static void test_clocks_of_two_hosts(void **state)
{
    struct recorded recorded =
        synthetic_trace(RANK_0 "501000000 mpi-send Send 1:7 1 1\n"
                               "501000500 mpi-return 0\n"
                               "1001002000 mpi-call Finalize\n"
                               "1001003000 mpi-return 0\n"
                               "host beta boot-b ns\n"
                               "process 11 ring\n"
                               "families 8\n"
                               "thread 0\n"
                               "6000000 mpi-rank 1 2\n"
                               "6002000 mpi-clock 0 6001000 1001000 100\n"
                               "6003000 mpi-receive Recv 0:7 1\n"
                               "506006000 mpi-received 0 0:7 1\n"
                               "1006012000 mpi-clock 0 1006011000 1001001000 70\n");
    struct messages all = links_of(&recorded, "MPI message");
    const struct weft_schema *schema = recorded.schema;

    (void)state;
    assert_int_equal(all.n, 1);
    assert_int_equal(all.links[0].begin, 501000000);
    assert_int_equal(all.links[0].end, 501001000);
    assert_false(has_problem(&recorded, "tachyon"));
    assert_int_equal(schema->n_clocks, 2);
    assert_int_equal(schema->clocks[0].error, 0);
    assert_in_range(schema->clocks[1].error, 100, 101);
    /* Undone, it is what was stamped. */
    assert_int_equal(weft_clock_raw(&schema->clocks[1], 501001000), 506006000);
    forget(&recorded);
}

/*
 * As before, but that the clock of rank 1 runs fast by 10 us in the first second and not at all
 * in the next: the comparison in mid-run says so.  Without it the line from first to last would
 * be 5 us off there.
 */
static void test_clocks_compared_in_mid_run(void **state)
{
    struct recorded recorded =
        synthetic_trace(RANK_0 "1001001000 mpi-send Send 1:7 1 1\n"
                               "1001001500 mpi-return 0\n"
                               "2001002000 mpi-call Finalize\n"
                               "2001003000 mpi-return 0\n"
                               "host beta boot-b ns\n"
                               "process 11 ring\n"
                               "families 8\n"
                               "thread 0\n"
                               "6000000 mpi-rank 1 2\n"
                               "6002000 mpi-clock 0 6001000 1001000 100\n"
                               "6003000 mpi-receive Recv 0:7 1\n"
                               "1006012000 mpi-received 0 0:7 1\n"
                               "1006012000 mpi-clock 0 1006011000 1001001000 70\n"
                               "2006012000 mpi-clock 0 2006011000 2001001000 80\n");
    struct messages all = links_of(&recorded, "MPI message");
    const struct weft_schema *schema = recorded.schema;

    (void)state;
    assert_int_equal(all.links[0].begin, 1001001000);
    assert_int_equal(all.links[0].end, 1001002000);
    assert_false(has_problem(&recorded, "tachyon"));
    assert_int_equal(schema->clocks[1].n_knots, 3);
    assert_in_range(schema->clocks[1].error, 100, 101);
    assert_int_equal(weft_clock_raw(&schema->clocks[1], 1001002000), 1006012000);
    assert_int_equal(weft_clock_raw(&schema->clocks[1], 1501001000), 1506011000);
    forget(&recorded);
}

/* Two runs, one after the other, are told apart, and their processors numbered through. */
static void test_two_runs(void **state)
{
    struct recorded recorded = synthetic_trace(RANK_0 RANK_1 "process 20 ring\n"
                                                             "families 8\n"
                                                             "thread 0\n"
                                                             "5000 mpi-rank 1 2\n");
    const struct weft_field_value *fact;

    (void)state;
    fact = weft_container_fact(recorded.schema,
                               container(&recorded, "Process", "rank 1 of run 2"),
                               WEFT_ROLE_RANK_NUMBER, WEFT_FIELD_INTEGER);
    assert_int_equal(fact->integer, 3);
    assert_true(has_problem(&recorded, "missing-ranks"));
    forget(&recorded);
}

/* The recorder's roles are those of the table of MPI's words, which other tools' traces get. */
static void test_roles_of_calls(void **state)
{
    struct weft_err err = { 0 };
    struct weft_builder *builder = weft_builder_new("/tmp/weft-mpi-roles.weft", "x", &err);
    struct weft_arena arena = { 0 };
    struct weft_schema names;
    uint32_t type;

    (void)state;
    type = weft_builder_type(builder, &(struct weft_type){ .kind = WEFT_STATE,
                                                           .name = "s",
                                                           .alias = "",
                                                           .slots = 16,
                                                           .start_type = WEFT_NONE,
                                                           .end_type = WEFT_NONE });
    for (int i = 0; i < WEFT_MPI_N_CALLS; i++)
        (void)weft_builder_value(builder, type, mpi_calls[i].name, NULL, 0);
    weft_tables_apply(builder);
    weft_builder_names(builder, false, &arena, &names);
    assert_int_equal(names.n_values, WEFT_MPI_N_CALLS);
    for (int i = 0; i < WEFT_MPI_N_CALLS; i++)
        if (names.values[i].role != mpi_calls[i].role)
            fail_msg("%s is \"%s\", and in mpi.roles \"%s\"", mpi_calls[i].name,
                     weft_role_name(mpi_calls[i].role),
                     weft_role_name(names.values[i].role));
    weft_arena_free(&arena);
    weft_builder_abandon(builder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranks),
        cmocka_unit_test(test_order_of_posting),
        cmocka_unit_test(test_two_requests_of_one_call),
        cmocka_unit_test(test_any_tag),
        cmocka_unit_test(test_refused_parts),
        cmocka_unit_test(test_tachyon),
        cmocka_unit_test(test_communicators),
        cmocka_unit_test(test_empty_name),
        cmocka_unit_test(test_tags_of_groups),
        cmocka_unit_test(test_operations),
        cmocka_unit_test(test_completed),
        cmocka_unit_test(test_matched),
        cmocka_unit_test(test_claimed_members),
        cmocka_unit_test(test_neighbors),
        cmocka_unit_test(test_missing_rank),
        cmocka_unit_test(test_never_received),
        cmocka_unit_test(test_killed),
        cmocka_unit_test(test_transfers),
        cmocka_unit_test(test_two_runs),
        cmocka_unit_test(test_clocks_of_two_hosts),
        cmocka_unit_test(test_roles_of_calls),
        cmocka_unit_test(test_clocks_compared_in_mid_run),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
