/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A VISTA trace of about N reductions on PES processing elements, to standard output.
 *
 *     vista_generate N PES quick|random|wide|deep [SEED]
 *
 * quick: quick sort of random numbers (a goal has a chain of splits and two sorts below it;
 * about as many levels as numbers).  random: each goal has 1 to 4 children at random, between
 * which its size is split at random (some 60 levels).  wide: a tree of five children each, as
 * few levels as can be.  deep: each goal has 0 to 3 children, until there are enough (10^5
 * levels).
 * PEs work depth-first; one without goals takes the oldest of another.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct goal {
    uint32_t kind, size;
    uint32_t parent_pe, parent_index;
};

struct pe {
    struct goal *goals;
    size_t first, n, capacity;
    uint32_t done;
};

static uint64_t seed = 0x9e3779b97f4a7c15u;

static uint64_t roll(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

static void push(struct pe *pe, struct goal goal)
{
    if (pe->n == pe->capacity) {
        if (pe->first > pe->n / 2) { /* stolen from the front: use that again */
            memmove(pe->goals, pe->goals + pe->first,
                    (pe->n - pe->first) * sizeof *pe->goals);
            pe->n -= pe->first;
            pe->first = 0;
        } else {
            pe->capacity = pe->capacity ? 2 * pe->capacity : 64;
            pe->goals = realloc(pe->goals, pe->capacity * sizeof *pe->goals);
            if (!pe->goals)
                abort();
        }
    }
    pe->goals[pe->n++] = goal;
}

enum { QSORT, SPLIT, NODE, GO };

/* The children of a goal, and its clause.  LEFT: how many reductions there may still be. */
static unsigned expand(const char *shape, const struct goal *goal, uint64_t left,
                       struct goal *children, unsigned *clause)
{
    if (goal->kind == QSORT && goal->size > 0) {
        uint32_t low = (uint32_t)(roll() % goal->size);
        children[0] = (struct goal){ .kind = SPLIT, .size = goal->size - 1 };
        children[1] = (struct goal){ .kind = QSORT, .size = low };
        children[2] = (struct goal){ .kind = QSORT, .size = goal->size - 1 - low };
        *clause = 3;
        return 3;
    }
    if (goal->kind == QSORT || (goal->kind == SPLIT && goal->size == 0)) {
        *clause = goal->kind == QSORT ? 2 : 4;
        return 0;
    }
    if (goal->kind == SPLIT) {
        children[0] = (struct goal){ .kind = SPLIT, .size = goal->size - 1 };
        *clause = 5 + (unsigned)(roll() & 1);
        return 1;
    }
    bool sized = strcmp(shape, "deep") != 0, wide = strcmp(shape, "wide") == 0;
    uint64_t rest = sized ? goal->size - 1 : left;
    unsigned n = wide ? 5 : (unsigned)(roll() >> 20) % 4 + sized;
    if (n > rest)
        n = (unsigned)rest;
    rest -= n;
    for (unsigned i = 0; i < n; i++) {
        uint64_t more = i + 1 == n ? rest : wide ? rest / (n - i) : roll() % (rest + 1);
        children[i] = (struct goal){ .kind = NODE, .size = (uint32_t)more + 1 };
        rest -= more;
    }
    *clause = n + 1;
    return n;
}

static int take(struct pe *pes, unsigned n, unsigned pe, struct goal *goal)
{
    if (pes[pe].n > pes[pe].first) {
        *goal = pes[pe].goals[--pes[pe].n];
        return 1;
    }
    for (unsigned i = 1; i < n; i++) {
        struct pe *other = &pes[(pe + i) % n];
        if (other->n > other->first + 1 || (other->n > other->first && roll() % 4 == 0)) {
            *goal = other->goals[other->first++];
            return 1;
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fputs("vista_generate N PES quick|random|wide|deep [SEED]\n", stderr);
        return 2;
    }
    uint64_t most = strtoull(argv[1], NULL, 10), made = 0, alive = 1, time = 1992789729;
    unsigned n_pes = (unsigned)strtoul(argv[2], NULL, 10);
    const char *shape = argv[3];
    if (argc > 4)
        seed ^= strtoull(argv[4], NULL, 10) * 0xbf58476d1ce4e5b9u;
    struct pe *pes = calloc(n_pes, sizeof *pes);
    if (!pes || !n_pes)
        return 1;
    struct goal root = { .kind = NODE, .size = (uint32_t)most };
    if (strcmp(shape, "quick") == 0) {
        root.kind = QSORT;
        root.size = 1;
        /* Sorting n numbers takes about 2 n ln n reductions. */
        for (uint64_t n = most; n > 1; n /= 2)
            root.size = root.size < most / 8 ? root.size * 2 : root.size;
        double total = 0;
        for (root.size = 1; total < (double)most; root.size++) {
            double log = 0;
            for (uint32_t s = root.size; s > 1; s /= 2)
                log += 0.69;
            total = 2 * (double)root.size * (log - 0.5);
        }
    }
    push(&pes[0], root);
    printf("%u\n", n_pes);
    while (alive) {
        for (unsigned p = 0; p < n_pes && alive; p++) {
            struct goal goal, children[8];
            unsigned clause = 1;
            if (!take(pes, n_pes, p, &goal))
                continue;
            time += roll() % 64;
            uint64_t left = most > made + alive ? most - made - alive : 0;
            unsigned n = expand(shape, &goal, left, children, &clause);
            if (n == 0 && alive == 1 && left && strcmp(shape, "deep") == 0) {
                children[n++] = (struct goal){ .kind = NODE }; /* not yet the last one */
                clause = 2;
            }
            pes[p].done++;
            made++;
            printf("%llu\t%u\t%u\t%u\t%u\t%u\n", (unsigned long long)time, clause, p,
                   pes[p].done, goal.parent_pe, goal.parent_index);
            for (unsigned i = n; i-- > 0;) {
                children[i].parent_pe = p;
                children[i].parent_index = pes[p].done;
                push(&pes[p], children[i]);
            }
            alive += n;
            alive--;
        }
    }
    return 0;
}
