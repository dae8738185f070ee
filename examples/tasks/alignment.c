/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How well each two of N proteins align (Gotoh 1982): a task for each pair.  The threads share the
 * loop over the first of a pair, and each creates the tasks of its part.
 */
#include <string.h>

#include "tasks.h"

enum { LENGTH = 120, KINDS = 20, OPEN = 10, LONGER = 1, FAR = -1000000 };

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static int likeness(char a, char b)
{
    return a == b ? 5
                  : (int)(mix((uint64_t)(a < b ? a * KINDS + b : b * KINDS + a)) % 5) - 3;
}

static int align(const char *a, int n_a, const char *b, int n_b)
{
    int best[LENGTH + 1], gap[LENGTH + 1];

    best[0] = 0;
    for (int j = 1; j <= n_b; j++) {
        best[j] = -OPEN - j * LONGER;
        gap[j] = FAR;
    }
    for (int i = 1; i <= n_a; i++) {
        int corner = best[0], across = FAR;
        best[0] = -OPEN - i * LONGER;
        for (int j = 1; j <= n_b; j++) {
            int above = best[j], same = corner + likeness(a[i - 1], b[j - 1]);
            gap[j] = larger(gap[j], above - OPEN) - LONGER;
            across = larger(across, best[j - 1] - OPEN) - LONGER;
            best[j] = larger(same, larger(gap[j], across));
            corner = above;
        }
    }
    return best[n_b];
}

int main(int argc, char **argv)
{
    int n = size_of(argc, argv, 40);
    char(*proteins)[LENGTH] = n > 0 ? malloc((size_t)n * sizeof *proteins) : NULL;
    int *lengths = n > 0 ? malloc((size_t)n * sizeof *lengths) : NULL;
    int *scores = n > 0 ? calloc((size_t)n * (size_t)n, sizeof *scores) : NULL;
    bool right = true;
    double sum = 0;

    if (!proteins || !lengths || !scores)
        return 2;
    for (int i = 0; i < n; i++) {
        lengths[i] = LENGTH / 2 + (int)(mix((uint64_t)i) % (LENGTH / 2));
        for (int k = 0; k < LENGTH; k++)
            proteins[i][k] = (char)(mix((uint64_t)(i * LENGTH + k)) % KINDS);
    }
#pragma omp parallel
#pragma omp for schedule(dynamic)
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) {
            count_task();
#pragma omp task firstprivate(i, j) shared(proteins, lengths, scores)
            scores[i * n + j] = align(proteins[i], lengths[i], proteins[j], lengths[j]);
        }
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) {
            /* It is the same the other way round. */
            right = right
                    && scores[i * n + j]
                           == align(proteins[j], lengths[j], proteins[i], lengths[i]);
            sum += scores[i * n + j];
        }
    free(proteins);
    free(lengths);
    free(scores);
    return report("alignment", n, sum, right);
}
