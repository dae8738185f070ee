/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums of links by their ends, against adding up a list: over all windows, with half links,
 * links that run backwards, with and without bytes, in several tracks; and with so many that
 * summaries answer, where they pay and where they are left out.
 */
#include "base/memory.h"
#include "format/store_layout.h"
#include "random_trace.h"
#include "tests/random.h"
#include "tests/small_store.h"

struct made_link {
    uint32_t from, to; /* positions among the containers; WEFT_NONE */
    int64_t begin, end, bytes;
};

struct world {
    struct made_link *links;
    size_t n, n_containers;
    uint32_t *containers;
    struct weft_trace *trace;
    const struct weft_source *source;
    uint32_t tracks[4];
    size_t n_tracks;
    char path[64];
};

/* N links among so many containers, at times up to LENGTH, on two tracks. */
static void begin(struct world *world, size_t n, size_t n_containers, uint64_t length)
{
    *world = (struct world){ .n = n, .n_containers = n_containers };
    strcpy(world->path, "/tmp/weft-pairs-test.XXXXXX");
    struct weft_builder *b = small_store_begin(world->path);
    uint32_t rank = add_type(b, WEFT_CONTAINER, 0, "rank", WEFT_ROLE_NONE);
    uint32_t message = add_type(b, WEFT_LINK, 0, "message", WEFT_ROLE_NONE);
    uint32_t size = add_field(b, message, "size", WEFT_FIELD_INTEGER, WEFT_ROLE_BYTES);
    world->containers = weft_alloc(n_containers * sizeof *world->containers);
    for (size_t c = 0; c < n_containers; c++)
        world->containers[c] = weft_builder_container(b, rank, 0, "r", NULL, 0);
    world->links = weft_alloc(n * sizeof *world->links);
    for (size_t i = 0; i < n; i++) {
        struct made_link *link = &world->links[i];
        link->begin = (int64_t)roll(length);
        int64_t flight = (int64_t)roll(roll(50) ? 30 : length);
        link->end = link->begin + (roll(6) ? flight : -flight);
        link->from = (uint32_t)roll(n_containers);
        link->to =
            (uint32_t)(roll(3) ? roll(n_containers) : (link->from + 1) % n_containers);
        link->bytes = roll(3) ? (int64_t)roll(100000) - 10 : 0;
        uint32_t flags = 0;
        if (roll(40) == 0) {
            flags = roll(2) ? WEFT_BEGIN_IMPLIED : WEFT_END_IMPLIED;
            *(flags == WEFT_BEGIN_IMPLIED ? &link->from : &link->to) = WEFT_NONE;
            if (flags == WEFT_BEGIN_IMPLIED)
                link->begin = link->end;
            else
                link->end = link->begin;
        }
        struct weft_link out = {
            .type = message,
            .container = i % 5 ? 0 : world->containers[0],
            .value = WEFT_NONE,
            .key = WEFT_NONE,
            .from = link->from == WEFT_NONE ? WEFT_NONE : world->containers[link->from],
            .to = link->to == WEFT_NONE ? WEFT_NONE : world->containers[link->to],
            .begin = link->begin,
            .end = link->end,
            .flags = flags,
            .from_entity = WEFT_NO_ID,
            .to_entity = WEFT_NO_ID,
        };
        struct weft_field_value field = { size, { .integer = link->bytes } };
        weft_builder_link(b, &out, &field, link->bytes != 0);
    }
    world->trace = small_store_open(b, world->path);
    assert_int_equal(weft_trace_verify(world->trace, NULL), 0);
    world->source = weft_trace_source(world->trace);
    for (uint32_t t = 0; t < world->source->schema->n_tracks; t++)
        world->tracks[world->n_tracks++] = t;
    assert_int_equal(world->n_tracks, 2);
}

static void end(struct world *world)
{
    weft_trace_close(world->trace);
    unlink(world->path);
    free(world->links);
    free(world->containers);
}

/* A matrix, its last row and column for ends that are missing. */
struct cell {
    uint64_t count;
    int64_t bytes;
};

static void check(const struct world *world, const struct weft_pair_sums *found,
                  struct weft_span window, bool pending)
{
    size_t side = world->n_containers + 1, wanted = 0;
    struct cell *cells = weft_zalloc(side * side, sizeof *cells);
    for (size_t i = 0; i < world->n; i++) {
        const struct made_link *link = &world->links[i];
        bool in = pending ? link->begin <= window.begin && window.begin < link->end
                          : link->begin >= window.begin && link->begin < window.end;
        if (!in)
            continue;
        size_t from = link->from == WEFT_NONE ? side - 1 : link->from;
        size_t to = link->to == WEFT_NONE ? side - 1 : link->to;
        struct cell *cell = &cells[from * side + to];
        wanted += cell->count++ == 0;
        cell->bytes += link->bytes;
    }
    assert_int_equal(found->n, wanted);
    for (size_t i = 0; i < found->n; i++) {
        const struct weft_pair_sum *row = &found->rows[i];
        /* Containers are numbered from 1, after the root. */
        size_t from = row->from == WEFT_NONE ? side - 1 : row->from - 1;
        size_t to = row->to == WEFT_NONE ? side - 1 : row->to - 1;
        assert_true(from < side && to < side);
        assert_int_equal(row->count, cells[from * side + to].count);
        assert_int_equal(row->bytes, cells[from * side + to].bytes);
        if (i)
            assert_true(row[-1].from < row->from
                        || (row[-1].from == row->from && row[-1].to < row->to));
    }
    free(cells);
}

static void ask(const struct world *world, struct weft_span window,
                struct weft_pair_sums *sums)
{
    world->source->ops->pair_sums(world->source, world->tracks, world->n_tracks, window,
                                  sums);
    check(world, sums, window, false);
}

static void test_every_window(void **unused)
{
    (void)unused;
    struct world world;
    struct weft_pair_sums sums = { 0 };
    begin(&world, 1500, 6, 120);
    for (int64_t from = -35; from < 160; from += 2)
        for (int64_t to = from; to < 160; to += 5)
            ask(&world, (struct weft_span){ from, to }, &sums);
    ask(&world, (struct weft_span){ INT64_MIN, INT64_MAX }, &sums);
    ask(&world, (struct weft_span){ 50, 40 }, &sums);
    assert_int_equal(sums.n, 0);
    world.source->ops->pair_sums(world.source, NULL, 0, world.source->schema->span, &sums);
    assert_int_equal(sums.n, 0);
    for (int64_t time = -150; time < 300; time++) {
        world.source->ops->pairs_pending(world.source, world.tracks, world.n_tracks, time,
                                         &sums);
        check(&world, &sums, (struct weft_span){ time, time }, true);
    }
    free(sums.rows);
    end(&world);
}

/* The nodes of a store by level of its largest tree: how many were kept. */
static void count_nodes(const struct world *world, uint64_t kept[3])
{
    FILE *file = fopen(world->path, "rb");
    struct weft_file_header header;
    assert_int_equal(fread(&header, sizeof header, 1, file), 1);
    struct weft_file_section trees = header.sections[WEFT_SECTION_PAIR_TREES];
    struct weft_file_section nodes = header.sections[WEFT_SECTION_PAIR_NODES];
    struct weft_file_pair_tree tree, largest = { 0 };
    for (uint64_t at = 0; at < trees.size; at += sizeof tree) {
        fseek(file, (long)(trees.offset + at), SEEK_SET);
        assert_int_equal(fread(&tree, sizeof tree, 1, file), 1);
        largest = tree.n_nodes > largest.n_nodes ? tree : largest;
    }
    fseek(file, (long)(nodes.offset + largest.first_node * 16), SEEK_SET);
    kept[0] = kept[1] = 0;
    for (uint64_t i = 0; i < largest.n_nodes; i++) {
        struct weft_file_pair_node node;
        assert_int_equal(fread(&node, sizeof node, 1, file), 1);
        kept[i + 1 == largest.n_nodes] += node.n_rows > 0;
    }
    kept[2] = largest.n_nodes;
    fclose(file);
}

static void ask_at_random(const struct world *world, int64_t length, int rounds)
{
    struct weft_pair_sums sums = { 0 };
    ask(world, (struct weft_span){ -length, 3 * length }, &sums);
    for (int i = 0; i < rounds; i++) {
        int64_t a = (int64_t)roll((uint64_t)length);
        int64_t b = (int64_t)roll((uint64_t)length);
        ask(world, (struct weft_span){ a < b ? a : b, a < b ? b : a }, &sums);
    }
    int64_t time = length / 3;
    world->source->ops->pairs_pending(world->source, world->tracks, world->n_tracks, time,
                                      &sums);
    check(world, &sums, (struct weft_span){ time, time }, true);
    free(sums.rows);
}

/* Four leaves and more of links that run forwards: there is a node above the leaves. */
static void test_summaries_answer(void **unused)
{
    (void)unused;
    struct world world;
    uint64_t kept[3];
    begin(&world, 900000, 30, 10000000);
    count_nodes(&world, kept);
    assert_int_equal(kept[2], 7);
    assert_int_equal(kept[0], 6); /* every leaf */
    assert_int_equal(kept[1], 1);
    ask_at_random(&world, 10000000, 40);
    end(&world);
}

/* Nearly every link has a pair of its own: no summary would be smaller. */
static void test_summaries_that_do_not_pay_are_left_out(void **unused)
{
    (void)unused;
    struct world world;
    uint64_t kept[3];
    begin(&world, 60000, 1200, 100000);
    count_nodes(&world, kept);
    assert_int_equal(kept[2], 1);
    assert_int_equal(kept[0] + kept[1], 0);
    ask_at_random(&world, 100000, 12);
    end(&world);
}

/* Turn over a byte of the store. */
static void hurt(const struct world *world, uint64_t at)
{
    FILE *file = fopen(world->path, "r+b");
    assert_int_equal(fseek(file, (long)at, SEEK_SET), 0);
    int byte = getc(file);
    assert_int_equal(fseek(file, (long)at, SEEK_SET), 0);
    putc(byte ^ 0x10, file);
    fclose(file);
}

static void open_again(struct world *world)
{
    struct weft_err err;
    weft_trace_close(world->trace);
    world->trace = weft_trace_open(world->path, &err);
    assert_non_null(world->trace);
    world->source = weft_trace_source(world->trace);
}

/* Whatever of the summaries is damaged, the links themselves answer, and it is listed. */
static void ask_hurt(struct world *world, int64_t length, int rounds)
{
    open_again(world);
    ask_at_random(world, length, rounds);
    struct weft_damage damage[64];
    size_t n = world->source->ops->damage(world->source, 0, damage, 64);
    assert_true(n > 0);
    for (size_t i = 0; i < n && i < 64; i++)
        assert_int_equal(damage[i].what, WEFT_DAMAGED_SUMMARY);
}

static struct weft_file_header header_of(const struct world *world)
{
    struct weft_file_header header;
    FILE *file = fopen(world->path, "rb");
    assert_int_equal(fread(&header, sizeof header, 1, file), 1);
    fclose(file);
    return header;
}

/* The places of all blocks with sums of links. */
static uint64_t *blocks_of_sums(const struct world *world, size_t *n)
{
    struct weft_file_section at = header_of(world).sections[WEFT_SECTION_INDEX_BLOCKS];
    *n = at.size / sizeof(struct weft_file_block);
    uint64_t *places = weft_alloc((*n + 1) * sizeof *places);
    FILE *file = fopen(world->path, "rb");
    fseek(file, (long)at.offset, SEEK_SET);
    for (size_t i = 0; i < *n; i++) {
        struct weft_file_block block;
        assert_int_equal(fread(&block, sizeof block, 1, file), 1);
        places[i] = block.offset;
    }
    fclose(file);
    return places;
}

/* One after the other is damaged, until all are: nodes of each level, and links that run back. */
static void test_damaged_sums_are_made_from_the_links(void **unused)
{
    (void)unused;
    struct world world;
    size_t n;
    begin(&world, 900000, 30, 10000000);
    uint64_t *places = blocks_of_sums(&world, &n);
    assert_true(n > 8);
    for (size_t left = n, round = 0; left; round++) {
        for (size_t some = round < 3 ? 1 : left; some--;) {
            size_t i = roll(left);
            hurt(&world, places[i] + 16); /* behind the header of the block */
            places[i] = places[--left];
        }
        ask_hurt(&world, 10000000, 8);
    }
    free(places);
    end(&world);
}

/* The place of block BLOCK of the track with most links. */
static uint64_t block_of_links(const struct world *world, uint64_t block)
{
    const struct weft_file_header header = header_of(world);
    struct weft_file_section tracks = header.sections[WEFT_SECTION_TRACKS];
    struct weft_file_track track, largest = { 0 };
    struct weft_file_block at;
    FILE *file = fopen(world->path, "rb");
    fseek(file, (long)tracks.offset, SEEK_SET);
    for (uint64_t i = 0; i < tracks.size / sizeof track; i++) {
        assert_int_equal(fread(&track, sizeof track, 1, file), 1);
        largest = track.n_blocks > largest.n_blocks ? track : largest;
    }
    assert_true(block < largest.n_blocks);
    fseek(file,
          (long)(header.sections[WEFT_SECTION_DIRECTORY].offset
                 + (largest.first_block + block) * sizeof at),
          SEEK_SET);
    assert_int_equal(fread(&at, sizeof at, 1, file), 1);
    fclose(file);
    return at.offset;
}

static uint64_t links_in(const struct world *world, struct weft_span window)
{
    uint64_t n = 0;
    for (size_t i = 0; i < world->n; i++)
        n += world->links[i].begin >= window.begin && world->links[i].begin < window.end;
    return n;
}

/*
 * What cannot be read is missing; it never stays in an answer that it is to be taken away from.
 * Of so many pairs a leaf's sums save nothing, and the sums of four leaves do: so a window of the
 * first three takes the links of the fourth away.
 */
static void test_damaged_links_are_missing_at_most(void **unused)
{
    (void)unused;
    enum { LENGTH = 10000000, DAMAGED = 4 * WEFT_PAIR_LEAF - 9, ROUNDS = 40 };
    struct world world;
    struct weft_pair_sums sums = { 0 };
    begin(&world, 900000, 420, LENGTH);
    hurt(&world, block_of_links(&world, DAMAGED) + 16);
    open_again(&world);
    for (int i = 0; i < ROUNDS; i++) {
        struct weft_span window = { -LENGTH, LENGTH / ROUNDS * (i + 1) };
        uint64_t count = 0, all = links_in(&world, window);
        world.source->ops->pair_sums(world.source, world.tracks, world.n_tracks, window,
                                     &sums);
        for (size_t k = 0; k < sums.n; k++)
            count += sums.rows[k].count;
        assert_true(count <= all && count + WEFT_BLOCK_ROWS >= all);
    }
    free(sums.rows);
    end(&world);
}

static void test_lost_tables_of_sums_are_done_without(void **unused)
{
    (void)unused;
    static const enum weft_section_kind kinds[] = { WEFT_SECTION_PAIR_TREES,
                                                    WEFT_SECTION_PAIR_NODES,
                                                    WEFT_SECTION_PAIR_ENDS };
    struct world world;
    begin(&world, 60000, 30, 100000);
    struct weft_file_header header = header_of(&world);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        hurt(&world, header.sections[kinds[i]].offset);
        ask_hurt(&world, 100000, 30);
        hurt(&world, header.sections[kinds[i]].offset); /* as it was */
    }
    open_again(&world);
    assert_int_equal(weft_trace_verify(world.trace, NULL), 0);
    end(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_window),
        cmocka_unit_test(test_summaries_answer),
        cmocka_unit_test(test_summaries_that_do_not_pay_are_left_out),
        cmocka_unit_test(test_damaged_sums_are_made_from_the_links),
        cmocka_unit_test(test_damaged_links_are_missing_at_most),
        cmocka_unit_test(test_lost_tables_of_sums_are_done_without),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
