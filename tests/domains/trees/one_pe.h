/* SPDX-License-Identifier: Apache-2.0 */
/* A machine of one PE that runs nothing, for tests of its parts. */
#ifndef WEFT_TEST_ONE_PE_H
#define WEFT_TEST_ONE_PE_H

#include "domains/trees/fghc/machine_priv.h"
#include "tests/test.h"

static struct machine machine;
static struct program program;
static struct pe *pe;

static int set_up(void **state)
{
    (void)state;
    struct weft_err err;
    static const char *const names[] = { "f", "g", "h" };
    memset(&machine, 0, sizeof machine);
    memset(&program, 0, sizeof program);
    program.names = (const char **)names;
    program.path = (char *)"test";
    machine.program = &program;
    machine.n_pes = 1;
    pe = machine.pes = aligned_alloc(LINE_OF_CACHE, sizeof *pe);
    assert_non_null(pe);
    memset(pe, 0, sizeof *pe);
    pe->machine = &machine;
    pe->registers = calloc(8, sizeof(term));
    atomic_init(&pe->asker, -1);
    assert_true(heap_open(&machine.heap, 64 << 20, 1, &err));
    machine.heap.trigger = SIZE_MAX;
    goals_open(&machine.pool);
    pthread_mutex_init(&machine.lock, NULL);
    pthread_cond_init(&machine.changed, NULL);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    free(pe->registers);
    free(pe->stack);
    free(pe->waited);
    free(pe->values);
    free(pe->results);
    walk_free(&pe->walk);
    goals_close(&machine.pool);
    heap_close(&machine.heap);
    pthread_mutex_destroy(&machine.lock);
    pthread_cond_destroy(&machine.changed);
    free(pe);
    return 0;
}

#endif
