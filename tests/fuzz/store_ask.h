/* SPDX-License-Identifier: Apache-2.0 */
/* Everything that may be asked of a store, asked. */
#ifndef WEFT_FUZZ_STORE_ASK_H
#define WEFT_FUZZ_STORE_ASK_H

#include <stddef.h>
#include <stdint.h>

/*
 * Open the SIZE bytes as a store, and, when it opens, ask what roll() says: every question of
 * store/source.h, also in raw time; analyses, trees and graphs; writers; clicks and
 * searches; views, their tables and points, in pictures of any size.  Whether it opened.
 */
int store_ask(const uint8_t *data, size_t size);

#endif
