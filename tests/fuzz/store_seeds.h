/* SPDX-License-Identifier: Apache-2.0 */
/* Small stores that hold something of everything, for the mutator to damage. */
#ifndef WEFT_FUZZ_STORE_SEEDS_H
#define WEFT_FUZZ_STORE_SEEDS_H

#include <stddef.h>
#include <stdint.h>

enum { STORE_SEEDS = 7 };

/* Write seed number I to PATH, the same bytes in every run. */
void store_seed_write(unsigned i, const char *path);
/* Its bytes, to be freed. */
uint8_t *store_seed_bytes(unsigned i, size_t *size);
/* Those of a file. */
uint8_t *store_file_bytes(const char *path, size_t *size);

#endif
