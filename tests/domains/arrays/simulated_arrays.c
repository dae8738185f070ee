/* SPDX-License-Identifier: Apache-2.0 */
#include "simulated_arrays.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "domains/arrays/model/reference_profile.h"

/* ---- Gaussian elimination ---- */

typedef void visit_fn(void *user, const struct simulated_reference *reference);

/* Row J is scaled: each owner reads a copy of B[j][j], and reads and writes its own. */
static void scale_row(uint32_t size, uint32_t step, uint32_t j, visit_fn *visit, void *user)
{
    for (uint32_t col = 0; col < size; col++) {
        visit(user, &(struct simulated_reference){ step, true, false, j, j, j, col });
        visit(user, &(struct simulated_reference){ step, true, false, j, col, j, col });
        visit(user, &(struct simulated_reference){ step, true, true, j, col, j, col });
        visit(user, &(struct simulated_reference){ step, false, false, j, col, j, col });
        visit(user, &(struct simulated_reference){ step, false, true, j, col, j, col });
    }
}

/* Row J times B[i][j] is taken from row I, by the owners of row J: loosely owner computes. */
static void eliminate(uint32_t size, uint32_t step, uint32_t j, uint32_t i, visit_fn *visit,
                      void *user)
{
    for (uint32_t col = 0; col < size; col++) {
        visit(user, &(struct simulated_reference){ step, true, false, i, j, j, col });
        visit(user, &(struct simulated_reference){ step, true, false, j, col, j, col });
        visit(user, &(struct simulated_reference){ step, true, false, i, col, j, col });
        visit(user, &(struct simulated_reference){ step, true, true, i, col, j, col });
        visit(user, &(struct simulated_reference){ step, false, false, j, col, j, col });
        visit(user, &(struct simulated_reference){ step, false, true, i, col, j, col });
    }
}

void simulated_gauss(uint32_t size, visit_fn *visit, void *user)
{
    uint32_t step = 0;
    for (uint32_t j = 0; j < size; j++) {
        scale_row(size, step++, j, visit, user);
        for (uint32_t i = j + 1; i < size; i++)
            eliminate(size, step++, j, i, visit, user);
    }
    for (uint32_t j = size; j-- > 0;)
        for (uint32_t i = j; i-- > 0;)
            eliminate(size, step++, j, i, visit, user);
}

uint32_t simulated_gauss_steps(uint32_t size)
{
    return size + size * (size - 1);
}

/* ---- Writing ---- */

static struct weft_pattern pattern_of(uint32_t step, uint32_t array, uint32_t owner_array,
                                      bool write)
{
    struct weft_pattern pattern = { .step = step,
                                    .array = array,
                                    .owner_array = owner_array,
                                    .operation =
                                        write ? WEFT_REFERENCE_WRITE : WEFT_REFERENCE_READ,
                                    .site = WEFT_NONE,
                                    .owner_processor = -1,
                                    .requester_processor = -1,
                                    .local = -1,
                                    .times = 1 };
    for (int k = 0; k < WEFT_PATTERN_LOOPS; k++)
        pattern.extent[k] = 1;
    return pattern;
}

struct gauss {
    struct weft_profile_writer *writer;
    uint32_t b, m, size;
    bool found;
};

static void put_gauss(void *user, const struct simulated_reference *of)
{
    struct gauss *gauss = user;
    uint32_t array = of->of_b ? gauss->b : gauss->m;
    struct weft_pattern pattern = pattern_of(of->step, array, array, of->write);
    pattern.element = (uint64_t)of->row * gauss->size + of->column;
    pattern.owner = (uint64_t)of->owner_row * gauss->size + of->owner_column;
    if (gauss->found) {
        uint32_t serves = 8 * (of->row % 2) + of->column % 8;
        uint32_t asks = 8 * (of->owner_row % 2) + of->owner_column % 8;
        pattern.owner_array = WEFT_NONE;
        pattern.owner = 0;
        pattern.owner_processor = serves;
        pattern.local = serves == asks;
    }
    if (!weft_profile_writer_add(gauss->writer, &pattern))
        abort();
}

static uint32_t declare(struct weft_profile_writer *writer, const char *name, uint32_t rank,
                        const uint64_t *shape)
{
    struct weft_array array = { .name = name, .rank = rank, .element_bytes = 8 };
    memcpy(array.shape, shape, rank * sizeof *shape);
    return weft_profile_writer_array(writer, &array, 0);
}

static void write_gauss(struct weft_profile_writer *writer, uint32_t size, bool found)
{
    const uint64_t shape[] = { size, size };
    struct gauss gauss = { .writer = writer, .size = size, .found = found };
    gauss.b = declare(writer, "B", 2, shape);
    gauss.m = declare(writer, "M", 2, shape);
    simulated_gauss(size, put_gauss, &gauss);
}

static void write_stencil(struct weft_profile_writer *writer, uint32_t size, uint32_t steps)
{
    static const int64_t neighbours[][2] = {
        { 0, 0 }, { -1, 0 }, { 1, 0 }, { 0, -1 }, { 0, 1 }
    };
    const uint64_t shape[] = { size, size };
    const uint32_t arrays[2] = { declare(writer, "A", 2, shape),
                                 declare(writer, "B", 2, shape) };
    for (uint32_t step = 0; step < steps; step++) {
        uint32_t from = arrays[step % 2], to = arrays[(step + 1) % 2];
        for (int n = 0; n < 6; n++) { /* five reads and the write */
            const int64_t *by = neighbours[n % 5];
            struct weft_pattern pattern = pattern_of(step, n < 5 ? from : to, to, n == 5);
            pattern.owner = (uint64_t)size + 1;
            pattern.element =
                (uint64_t)((int64_t)pattern.owner + by[0] * (int64_t)size + by[1]);
            for (int k = 0; k < 2; k++) {
                pattern.extent[k] = size - 2;
                pattern.stride[k] = pattern.owner_stride[k] = k ? size : 1;
            }
            if (!weft_profile_writer_add(writer, &pattern))
                abort();
        }
    }
}

static void write_tensor(struct weft_profile_writer *writer, uint32_t size)
{
    const uint64_t shape[] = { size, 6, 8 };
    uint32_t t = declare(writer, "T", 3, shape);
    for (uint32_t step = 0; step < size; step++) {
        struct weft_pattern pattern = pattern_of(step, t, t, false);
        pattern.element = (uint64_t)step * 48;
        pattern.owner = pattern.element;
        pattern.extent[0] = 48;
        pattern.stride[0] = 1; /* all of the plane for its first element */
        pattern.times = step + 1;
        if (!weft_profile_writer_add(writer, &pattern))
            abort();
    }
}

/* Step S reads row S, twice what is in its second half, for the first element of all. */
static void write_rows(struct weft_profile_writer *writer, uint32_t size, uint32_t steps)
{
    const uint64_t shape[] = { size, size };
    uint32_t r = declare(writer, "R", 2, shape);
    for (uint32_t step = 0; step < steps; step++)
        for (uint32_t half = 0; half < 2; half++) {
            struct weft_pattern pattern = pattern_of(step, r, r, false);
            pattern.element = (uint64_t)(step % size) * size + half * (size / 2);
            pattern.extent[0] = half ? size - size / 2 : size / 2;
            pattern.stride[0] = 1;
            pattern.times = half + 1;
            if (pattern.extent[0] && !weft_profile_writer_add(writer, &pattern))
                abort();
        }
}

/* Of more elements than there is memory: one is read for another. */
static void write_huge(struct weft_profile_writer *writer)
{
    const uint64_t shape[] = { 3, UINT64_C(1) << 42 };
    uint32_t h = declare(writer, "H", 2, shape);
    uint32_t i = declare(writer, "I", 1, (const uint64_t[]){ 5 });
    struct weft_pattern pattern = pattern_of(0, i, h, false);
    pattern.element = 3;
    pattern.owner = (UINT64_C(1) << 42) + 7;
    if (!weft_profile_writer_add(writer, &pattern))
        abort();
}

bool simulated_arrays_write(const char *path, const char *program, uint32_t size,
                            uint32_t steps)
{
    struct weft_err err;
    struct weft_builder *builder = weft_builder_new(path, "test", &err);
    if (!builder) {
        fprintf(stderr, "%s: %s\n", path, err.message);
        abort();
    }
    uint32_t type =
        weft_builder_type(builder, &(struct weft_type){ .kind = WEFT_CONTAINER,
                                                        .name = "process",
                                                        .role = WEFT_ROLE_PROCESS,
                                                        .start_type = WEFT_NONE,
                                                        .end_type = WEFT_NONE });
    uint32_t process = weft_builder_container(builder, type, 0, program, NULL, 0);
    struct weft_profile_writer *writer = weft_profile_writer_new(builder, process, type);
    bool known = true;
    if (strcmp(program, "gauss") == 0)
        write_gauss(writer, size, false);
    else if (strcmp(program, "found") == 0)
        write_gauss(writer, size, true);
    else if (strcmp(program, "stencil") == 0)
        write_stencil(writer, size, steps);
    else if (strcmp(program, "tensor") == 0)
        write_tensor(writer, size);
    else if (strcmp(program, "huge") == 0)
        write_huge(writer);
    else if (strcmp(program, "rows") == 0)
        write_rows(writer, size, steps);
    else
        known = false;
    if (!weft_profile_writer_finish(writer, NULL, &err)
        || !weft_builder_finish(builder, NULL, &err)) {
        fprintf(stderr, "%s: %s\n", path, err.message);
        abort();
    }
    return known;
}
