/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Villages in a tree, each with a hospital: in each step a task for each village below.  Whom a
 * hospital cannot heal goes to that of the village above.
 */
#include "tasks.h"

enum { BRANCHES = 4, STEPS = 20, PEOPLE = 20, STAFF = 3 };

struct village {
    uint64_t seed;
    int level;
    long ill, healed,
        sent; /* patients here, those healed so far, those sent on in this step */
    struct village *below[BRANCHES];
};

static struct village *found(int level, uint64_t seed)
{
    struct village *village = calloc(1, sizeof *village);

    if (!village)
        abort();
    village->level = level;
    village->seed = seed;
    for (int i = 0; level > 1 && i < BRANCHES; i++)
        village->below[i] = found(level - 1, mix(seed + (uint64_t)i + 1));
    return village;
}

static void give_up(struct village *village)
{
    for (int i = 0; i < BRANCHES && village->below[i]; i++)
        give_up(village->below[i]);
    free(village);
}

static void treat(struct village *village, int step)
{
    uint64_t chance = village->seed + (uint64_t)step * 1000;
    long treated;

    for (int i = 0; i < BRANCHES && village->below[i]; i++)
        village->ill += village->below[i]->sent;
    for (int i = 0; i < PEOPLE; i++)
        village->ill += mix(chance + (uint64_t)i) % 10 == 0;
    treated = village->ill < STAFF * village->level ? village->ill : STAFF * village->level;
    village->sent = 0;
    for (long i = 0; i < treated; i++)
        if (mix(chance + 500 + (uint64_t)i) % 5 == 0)
            village->sent++;
        else
            village->healed++;
    village->ill -= treated;
}

static void simulate(struct village *village, int step)
{
    for (int i = 0; i < BRANCHES && village->below[i]; i++) {
        count_task();
#pragma omp task firstprivate(i)
        simulate(village->below[i], step);
    }
#pragma omp taskwait
    treat(village, step);
}

static void simulate_alone(struct village *village, int step)
{
    for (int i = 0; i < BRANCHES && village->below[i]; i++)
        simulate_alone(village->below[i], step);
    treat(village, step);
}

static long healed(const struct village *village)
{
    long sum = village->healed;

    for (int i = 0; i < BRANCHES && village->below[i]; i++)
        sum += healed(village->below[i]);
    return sum;
}

int main(int argc, char **argv)
{
    int levels = size_of(argc, argv, 5);
    struct village *one = found(levels, 1), *two = found(levels, 1);
    long result, expected;

#pragma omp parallel
#pragma omp single
    for (int step = 0; step < STEPS; step++)
        simulate(one, step);
    for (int step = 0; step < STEPS; step++)
        simulate_alone(two, step);
    result = healed(one);
    expected = healed(two);
    give_up(one);
    give_up(two);
    return report("health", levels, (double)result, result == expected);
}
