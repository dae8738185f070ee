/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unbalanced tree search (Olivier et al. 2006): how many nodes has a tree whose shape is only
 * found out by walking?  A task for each node.  The root has N children, any other node M of them
 * with a chance of a little less than 1/M.
 */
#include "tasks.h"

enum { M = 4 };
static const double chance = 0.24;

static int children(uint64_t node, bool root, int n)
{
    if (root)
        return n;
    return fraction(node) < chance ? M : 0;
}

static long search(uint64_t node, bool root, int n)
{
    int many = children(node, root, n);
    long *sizes, all = 1;

    if (many == 0)
        return 1;
    sizes = malloc((size_t)many * sizeof *sizes);
    if (!sizes)
        abort();
    for (int i = 0; i < many; i++) {
        count_task();
#pragma omp task firstprivate(i)
        sizes[i] = search(mix(node + (uint64_t)i * 7919), false, n);
    }
#pragma omp taskwait
    for (int i = 0; i < many; i++)
        all += sizes[i];
    free(sizes);
    return all;
}

/* Without recursion: a node on the stack has not been looked at. */
static long search_alone(int n)
{
    size_t top = 0, room = 1024;
    uint64_t *stack = malloc(room * sizeof *stack);
    long all = 0;
    bool root = true;

    if (!stack)
        abort();
    stack[top++] = 1;
    while (top > 0) {
        uint64_t node = stack[--top];
        int many = children(node, root, n);
        root = false;
        all++;
        if (top + (size_t)many > room) {
            room = 2 * (top + (size_t)many);
            stack = realloc(stack, room * sizeof *stack);
            if (!stack)
                abort();
        }
        for (int i = 0; i < many; i++)
            stack[top++] = mix(node + (uint64_t)i * 7919);
    }
    free(stack);
    return all;
}

int main(int argc, char **argv)
{
    int n = size_of(argc, argv, 500);
    long result = 0;

#pragma omp parallel
#pragma omp single
    result = search(1, true, n);
    return report("uts", n, (double)result, result == search_alone(n));
}
