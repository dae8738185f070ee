/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Damage to a store by somebody who knows the format: numbers in tables, directories, blocks and
 * the header become other ones, elements change places, sections change their size; and then
 * the checksums are made good again (mostly), so that what is damaged is read.
 */
#ifndef WEFT_FUZZ_STORE_MUTATE_H
#define WEFT_FUZZ_STORE_MUTATE_H

#include <stddef.h>
#include <stdint.h>

/* Damage the SIZE bytes of a store; draws from roll().  DATA is aligned to 8. */
void store_mutate(uint8_t *data, size_t size);
/* Make the checksums of all blocks, sections and of the header good. */
void store_repair(uint8_t *data, size_t size);

#endif
