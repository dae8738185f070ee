/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A large PICL trace on standard output: PROCESSORS in a ring compute, send to the right and
 * receive from the left, round after round; every tenth round ends with a reduction of all.
 *
 *     picl_generate RECORDS PROCESSORS [node]
 *
 * In order of time, or, with "node", of nodes.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUND_RECORDS = 6 /* of a processor, without the reduction */, REDUCE_EVERY = 10 };

/* Microseconds from the begin of a round until what its phases begin with. */
enum {
    TASK = 0,
    SEND = 50,
    SEND_END = 53,
    RECEIVE = 60,
    RECEIVE_END = 70,
    TASK_END = 80,
    REDUCE = 90,
    REDUCE_END = 95,
    ROUND = 100
};

struct run {
    long processors, rounds;
};

static void put_time(int type, int key, long round, long phase, long node)
{
    /* Nodes follow one another by nanoseconds: 1,000 fit between two phases. */
    long micros = round % 10000 * ROUND + phase + node / 1000;
    printf("%d %d %ld.%06ld%03ld %ld 0 ", type, key, round / 10000, micros, node % 1000,
           node);
}

/* The record of a node in a phase. */
static void put_phase(const struct run *run, long round, int phase, long node)
{
    long p = run->processors, left = (node + p - 1) % p, right = (node + 1) % p;
    bool reduces = round % REDUCE_EVERY == 0;
    switch (phase) {
    case 0:
        put_time(-3, (int)(round % 4), round, TASK, node);
        puts("0");
        break;
    case 1:
        put_time(-3, -21, round, SEND, node);
        printf("3 2 1024 7 %ld\n", right);
        break;
    case 2:
        put_time(-4, -21, round, SEND_END, node);
        puts("0");
        break;
    case 3:
        put_time(-3, -52, round, RECEIVE, node);
        printf("2 2 7 %ld\n", left);
        break;
    case 4:
        put_time(-4, -52, round, RECEIVE_END, node);
        printf("3 2 1024 7 %ld\n", left);
        break;
    case 5:
        put_time(-4, (int)(round % 4), round, TASK_END, node);
        puts("1 2 4096");
        break;
    case 6:
        if (!reduces)
            return;
        put_time(-3, -782, round, REDUCE, node);
        puts("2 2 8 -1");
        break;
    default:
        if (!reduces)
            return;
        put_time(-4, -782, round, REDUCE_END, node);
        puts("1 2 8");
    }
}

int main(int argc, char **argv)
{
    enum { PHASES = 8 };
    if (argc < 3)
        return 2;
    struct run run = { .processors = atol(argv[2]) };
    run.rounds = atol(argv[1]) / ROUND_RECORDS / run.processors;
    if (argc > 3 && strcmp(argv[3], "node") == 0) {
        for (long node = 0; node < run.processors; node++)
            for (long round = 0; round < run.rounds; round++)
                for (int phase = 0; phase < PHASES; phase++)
                    put_phase(&run, round, phase, node);
    } else {
        for (long round = 0; round < run.rounds; round++)
            for (int phase = 0; phase < PHASES; phase++)
                for (long node = 0; node < run.processors; node++)
                    put_phase(&run, round, phase, node);
    }
    return 0;
}
