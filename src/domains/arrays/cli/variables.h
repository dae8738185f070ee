/* SPDX-License-Identifier: Apache-2.0 */
/* Variables of a program, by its table of symbols, before it runs. */
#ifndef WEFT_READ_RECORDING_VARIABLES_H
#define WEFT_READ_RECORDING_VARIABLES_H

#include <stddef.h>
#include <stdint.h>

struct weft_variable {
    char *name;       /* as the compiler has it */
    uint64_t address; /* from where the program is loaded */
    uint64_t bytes;
};

/*
 * All variables with a fixed place that the program at PATH has, those of single files,
 * too; none when it is no program, or without symbols.  Give them back by
 * weft_variables_free.
 */
size_t weft_recording_variables(const char *path, struct weft_variable **variables);
void weft_variables_free(struct weft_variable *variables, size_t n);

#endif
