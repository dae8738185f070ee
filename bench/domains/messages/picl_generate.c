/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes an MPICL trace of at least a given number of records, in order of time or, with "node",
 * of nodes, as MPICL itself does; the same for the same seed.  The program that it pretends to trace is a stencil on a torus: in each step,
 * which is a task, a processor begins to receive from its four neighbours, sends to them,
 * computes, and waits for the four messages.  Some processors have more to compute than others,
 * and which these are moves slowly.  After some steps there is a collective operation of all, or
 * of a row.
 *
 *     picl_generate RECORDS PROCESSORS [SEED] [node]
 *
 * A step has 26 records a processor and 4 messages, so there are about RECORDS / 7 messages.
 * In order of time it needs memory for some steps only, in that of nodes for all records.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SIDES = 4, /* neighbours: left, right, up, down */
    STEPS = 4, /* between two collective operations of all */
    RECORDS_A_STEP = 2 + SIDES * 6,
    TASKS = 16,
    MAX_PROCESSORS = 1 << 17,
    LATENCY = 3, /* microseconds that a message takes at least */
    WORLD = -1,  /* the group of all */
};
enum { ENTRY = -3, EXIT = -4, SUBSET = -202 }; /* types of records */
enum {
    SEND = -21,
    RECEIVE_BEGIN = -57,
    RECEIVE_WAIT = -61,
    BARRIER = -402,
    ALLREDUCE = -782
};
enum { BROADCAST = -785, SPLIT = -812, TRACING = -901 };

struct record {
    int64_t time; /* microseconds */
    int32_t node, key;
    int16_t type, n_fields;
    int32_t field[3];
};

struct run {
    int64_t n, columns, rows;      /* processors, and the torus that they are */
    int64_t *clock;                /* of each processor: when its last record was */
    int64_t (*sent)[SIDES];        /* when it sent last, to each side */
    int32_t (*size)[SIDES];        /* and how much */
    struct record *block, *sorted; /* records between two collective operations of all */
    size_t n_block, capacity;
    bool by_node;
    struct record *all; /* by node: the records of all blocks */
    size_t n_all, all_capacity;
    int64_t block_start;
    uint64_t written;
};

static uint64_t seed = 42;

/* splitmix64 (Steele, Lea, Flood 2014) */
static uint64_t next_random(void)
{
    uint64_t z = seed += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static void *allocate(size_t n, size_t size)
{
    void *memory = calloc(n, size);
    if (!memory) {
        fputs("picl_generate: out of memory\n", stderr);
        exit(1);
    }
    return memory;
}

/* ---- Text: printf would take longer than a reader does ---- */

static char *put_number(char *at, int64_t number)
{
    char digits[24];
    int n = 0;
    *at++ = ' ';
    if (number < 0)
        *at++ = '-';
    uint64_t rest = number < 0 ? -(uint64_t)number : (uint64_t)number;
    do
        digits[n++] = (char)('0' + rest % 10);
    while (rest /= 10);
    while (n)
        *at++ = digits[--n];
    return at;
}

static char *put_time(char *at, int64_t microseconds)
{
    at = put_number(at, microseconds / 1000000);
    *at++ = '.';
    for (int64_t digit = 100000, rest = microseconds % 1000000; digit; digit /= 10)
        *at++ = (char)('0' + rest / digit % 10);
    return at;
}

static char *put_word(char *at, const char *word)
{
    *at++ = ' ';
    while (*word)
        *at++ = *word++;
    return at;
}

/* Fields are integers, which is type 2. */
static void write_record(const struct run *run, const struct record *r)
{
    static char line[128 + 12 * MAX_PROCESSORS];
    char *at = put_number(line, r->type);
    at = put_number(at, r->key);
    at = put_time(at, r->time);
    at = put_number(at, r->node);
    at = put_word(at, "0");
    if (r->type == SUBSET) { /* the row of the node, which is group row + 1 */
        int64_t row = r->node / run->columns;
        at = put_number(at, run->columns + 1);
        at = put_number(put_word(at, "2"), row + 1);
        for (int64_t x = 0; x < run->columns; x++)
            at = put_number(at, row * run->columns + x);
    } else {
        at = put_number(at, r->n_fields);
        at = r->n_fields ? put_word(at, "2") : at;
        for (int i = 0; i < r->n_fields; i++)
            at = put_number(at, r->field[i]);
    }
    *at++ = '\n';
    fwrite(line + 1, 1, (size_t)(at - line - 1), stdout); /* without the first blank */
}

/* ---- Records, sorted ---- */

static void add(struct run *run, int64_t node, int type, int key, int n_fields, int64_t a,
                int64_t b, int64_t c)
{
    if (run->n_block == run->capacity) {
        run->capacity = 2 * run->capacity + 1024;
        run->block = realloc(run->block, run->capacity * sizeof *run->block);
        free(run->sorted);
        run->sorted = allocate(run->capacity, sizeof *run->sorted);
        if (!run->block)
            exit(1);
    }
    run->block[run->n_block++] = (struct record){
        .time = run->clock[node],
        .node = (int32_t)node,
        .key = key,
        .type = (int16_t)type,
        .n_fields = (int16_t)n_fields,
        .field = { (int32_t)a, (int32_t)b, (int32_t)c },
    };
}

/* ParaGraph's order: times, then keys and types of records, both from great to small. */
static int compare(const void *a, const void *b)
{
    const struct record *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? 1 : -1;
    if (x->type != y->type)
        return x->type < y->type ? 1 : -1;
    return x->node < y->node ? -1 : x->node > y->node;
}

static void keep_block(struct run *run)
{
    if (run->n_all + run->n_block > run->all_capacity) {
        run->all_capacity = 2 * (run->n_all + run->n_block);
        run->all = realloc(run->all, run->all_capacity * sizeof *run->all);
        if (!run->all)
            exit(1);
    }
    memcpy(run->all + run->n_all, run->sorted, run->n_block * sizeof *run->all);
    run->n_all += run->n_block;
}

/* What was kept, node by node, each in its order. */
static void write_kept(const struct run *run)
{
    size_t *from = allocate((size_t)run->n + 1, sizeof *from);
    const struct record **sorted = allocate(run->n_all + 1, sizeof *sorted);
    for (size_t i = 0; i < run->n_all; i++)
        from[run->all[i].node + 1]++;
    for (int64_t i = 0; i < run->n; i++)
        from[i + 1] += from[i];
    for (size_t i = 0; i < run->n_all; i++)
        sorted[from[run->all[i].node]++] = &run->all[i];
    for (size_t i = 0; i < run->n_all; i++)
        write_record(run, sorted[i]);
    free(sorted);
    free(from);
}

/* Sorts by counting: a block is short, and its records are many. */
static void write_block(struct run *run)
{
    int64_t last = run->block_start;
    for (int64_t i = 0; i < run->n; i++)
        last = run->clock[i] > last ? run->clock[i] : last;
    size_t length = (size_t)(last - run->block_start) + 1;
    size_t *from = allocate(length + 1, sizeof *from);
    for (size_t i = 0; i < run->n_block; i++)
        from[run->block[i].time - run->block_start + 1]++;
    for (size_t i = 0; i < length; i++)
        from[i + 1] += from[i];
    for (size_t i = 0; i < run->n_block; i++)
        run->sorted[from[run->block[i].time - run->block_start]++] = run->block[i];
    /* from[t] is now where the records of t end. */
    for (size_t t = 0; t < length; t++) {
        size_t begin = t ? from[t - 1] : 0;
        qsort(run->sorted + begin, from[t] - begin, sizeof *run->sorted, compare);
    }
    for (size_t i = 0; !run->by_node && i < run->n_block; i++)
        write_record(run, &run->sorted[i]);
    if (run->by_node)
        keep_block(run);
    free(from);
    run->written += run->n_block;
    run->n_block = 0;
    run->block_start = last + 1;
}

/* ---- The program ---- */

/* The processor at a side of another. */
static int64_t neighbour(const struct run *run, int64_t node, int side)
{
    int64_t x = node % run->columns, y = node / run->columns;
    switch (side) {
    case 0: x = (x + run->columns - 1) % run->columns; break;
    case 1: x = (x + 1) % run->columns; break;
    case 2: y = (y + run->rows - 1) % run->rows; break;
    default: y = (y + 1) % run->rows; break;
    }
    return y * run->columns + x;
}

static void begin_step(struct run *run, int64_t node, int64_t step)
{
    int64_t *clock = &run->clock[node];
    ++*clock;
    add(run, node, ENTRY, (int)(step % TASKS), 0, 0, 0, 0);
    for (int side = 0; side < SIDES; side++) {
        ++*clock;
        add(run, node, ENTRY, RECEIVE_BEGIN, 2, side ^ 1, neighbour(run, node, side), 0);
        ++*clock;
        add(run, node, EXIT, RECEIVE_BEGIN, 1, SIDES * (step % 1000) + side, 0, 0);
    }
    for (int side = 0; side < SIDES; side++) {
        int32_t size = 1024 << next_random() % 7;
        *clock += 1 + (int64_t)(next_random() % 3);
        run->sent[node][side] = *clock;
        run->size[node][side] = size;
        add(run, node, ENTRY, SEND, 3, size, side, neighbour(run, node, side));
        *clock += 1 + size / 16384;
        add(run, node, EXIT, SEND, 0, 0, 0, 0);
    }
    /* Up to twice as much work where the wave of work is. */
    int64_t place = (node + step * run->n / 256) % run->n, work = 60;
    work += 60 * (place < run->n / 4) + (int64_t)(next_random() % 20);
    *clock += work;
}

static void end_step(struct run *run, int64_t node, int64_t step)
{
    int64_t *clock = &run->clock[node], begun = *clock;
    for (int side = 0; side < SIDES; side++) {
        int64_t from = neighbour(run, node, side);
        int64_t there = run->sent[from][side ^ 1] + LATENCY;
        ++*clock;
        add(run, node, ENTRY, RECEIVE_WAIT, 1, SIDES * (step % 1000) + side, 0, 0);
        *clock = there > *clock + 1 ? there : *clock + 1;
        add(run, node, EXIT, RECEIVE_WAIT, 3, run->size[from][side ^ 1], side ^ 1, from);
    }
    ++*clock;
    add(run, node, EXIT, (int)(step % TASKS), 1, 1000 + begun % 100, 0, 0);
}

/* A collective operation of nodes first, first + 1, ... ends for all when the last is there. */
static void collective(struct run *run, int64_t first, int64_t n, int key, int64_t group)
{
    int64_t last = 0;
    for (int64_t i = first; i < first + n; i++) {
        run->clock[i] += 1 + (int64_t)(next_random() % 5);
        if (key == BARRIER)
            add(run, i, ENTRY, key, 1, group, 0, 0);
        else if (key == BROADCAST)
            add(run, i, ENTRY, key, 3, 4096, 0, group);
        else
            add(run, i, ENTRY, key, 2, 8, group, 0);
        last = run->clock[i] > last ? run->clock[i] : last;
    }
    for (int64_t i = first; i < first + n; i++) {
        run->clock[i] = last + 1 + (int64_t)(next_random() % 8);
        add(run, i, EXIT, key, key != BARRIER, key == BROADCAST ? 4096 : 8, 0, 0);
    }
}

/* Each row becomes a group, numbered from 1. */
static void begin(struct run *run)
{
    for (int64_t i = 0; i < run->n; i++) {
        add(run, i, ENTRY, TRACING, 0, 0, 0, 0);
        run->clock[i] = 2 + i % 7;
        add(run, i, ENTRY, SPLIT, 1, WORLD, 0, 0);
        run->clock[i] = 20;
        add(run, i, EXIT, SPLIT, 2, 1 + i / run->columns, run->columns, 0);
        add(run, i, SUBSET, SPLIT, 0, 0, 0, 0);
    }
    write_block(run);
}

static void run_program(struct run *run, uint64_t records)
{
    begin(run);
    for (int64_t step = 0, blocks = 0; run->written < records; blocks++) {
        for (int i = 0; i < STEPS; i++, step++) {
            for (int64_t node = 0; node < run->n; node++)
                begin_step(run, node, step);
            for (int64_t node = 0; node < run->n; node++)
                end_step(run, node, step);
        }
        for (int64_t y = 0; blocks % 2 && y < run->rows; y++)
            collective(run, y * run->columns, run->columns, ALLREDUCE, 1 + y);
        collective(run, 0, run->n,
                   blocks % 8 == 7   ? BARRIER
                   : blocks % 8 == 3 ? BROADCAST
                                     : ALLREDUCE,
                   WORLD);
        write_block(run);
        /* Whoever left early had to wait: nobody's next record is in the block before. */
        for (int64_t node = 0; node < run->n; node++)
            run->clock[node] = run->block_start - 1;
    }
    for (int64_t i = 0; i < run->n; i++) {
        ++run->clock[i];
        add(run, i, EXIT, TRACING, 0, 0, 0, 0);
    }
    write_block(run);
}

int main(int argc, char **argv)
{
    int64_t n = argc > 2 ? strtoll(argv[2], NULL, 10) : 0;
    if (n < 1 || n > MAX_PROCESSORS) {
        fputs("usage: picl_generate RECORDS PROCESSORS [SEED] [node]\n", stderr);
        return 2;
    }
    static char buffer[1 << 16];
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    /* As square as it can be. */
    struct run run = { .n = n, .rows = 1 };
    for (int i = 3; i < argc; i++)
        if (strcmp(argv[i], "node") == 0)
            run.by_node = true;
        else
            seed = strtoull(argv[i], NULL, 10);
    for (int64_t rows = 1; rows * rows <= n; rows++)
        if (n % rows == 0)
            run.rows = rows;
    run.columns = n / run.rows;
    run.clock = allocate((size_t)n, sizeof *run.clock);
    run.sent = allocate((size_t)n, sizeof *run.sent);
    run.size = allocate((size_t)n, sizeof *run.size);
    run.capacity = (size_t)n * (STEPS * RECORDS_A_STEP + 8);
    run.block = allocate(run.capacity, sizeof *run.block);
    run.sorted = allocate(run.capacity, sizeof *run.sorted);
    run_program(&run, strtoull(argv[1], NULL, 10));
    write_kept(&run);
    free(run.clock);
    free(run.sent);
    free(run.size);
    free(run.block);
    free(run.sorted);
    free(run.all);
    return fflush(stdout) == 0 ? 0 : 1;
}
