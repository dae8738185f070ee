/* SPDX-License-Identifier: Apache-2.0 */
/* Reference profiles of programs whose references are known: to test, to look at, to measure. */
#ifndef WEFT_TEST_SIMULATED_ARRAYS_H
#define WEFT_TEST_SIMULATED_ARRAYS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The Gaussian elimination of CIS-TR-93-21, figures 5.2 and 5.3, of a SIZE x SIZE array "B" and its
 * augmentation "M", a step per row operation.  VISIT is told of every single reference: of
 * element (ROW, COLUMN) on behalf of (OWNER_ROW, OWNER_COLUMN), both of B when OF_B, else of M.
 */
struct simulated_reference {
    uint32_t step;
    bool of_b, write;
    uint32_t row, column, owner_row, owner_column;
};
void simulated_gauss(uint32_t size,
                     void (*visit)(void *user, const struct simulated_reference *reference),
                     void *user);
uint32_t simulated_gauss_steps(uint32_t size);

/*
 * A profile in a store at PATH: of that elimination ("gauss"); of a five-point stencil that
 * goes from array "A" to "B" and back, SIZE x SIZE, in STEPS steps ("stencil"); of sums over the
 * planes of a SIZE x 6 x 8 array "T", a plane a step ("tensor"); of reads of a row of the array
 * "R" a step ("rows"); of an element of "I" on behalf of one of "H", which is larger than any
 * memory ("huge"); or of the elimination as a trace
 * that was made for one distribution has it, 2 x 8 processors, cyclic in both dimensions ("found").
 * False: there is no such program.
 */
bool simulated_arrays_write(const char *path, const char *program, uint32_t size,
                            uint32_t steps);

#endif
