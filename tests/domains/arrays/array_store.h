/* SPDX-License-Identifier: Apache-2.0 */
/* A profile that is written into a store and opened again, for tests. */
#ifndef WEFT_TESTS_ARRAY_STORE_H
#define WEFT_TESTS_ARRAY_STORE_H

#include "domains/arrays/model/reference_profile.h"
#include "store/trace/trace.h"

struct array_store {
    char *path;
    struct weft_builder *builder;
    struct weft_profile_writer *writer;
    struct weft_trace *trace;
    const struct weft_source *source;
    struct weft_profile *profile;
};

/* A store that may be written to; each fails the test when it does not work. */
struct array_store array_store_begin(void);
uint32_t array_store_array(struct array_store *store, const char *name, uint32_t rank,
                           const uint64_t *shape);
/* It is written, and opened again. */
void array_store_open(struct array_store *store);
void array_store_free(struct array_store *store);

/* TRACE of the report (figure 4.3) for a matrix with COLUMNS columns. */
void array_store_trace(struct array_store *store, uint32_t array, uint64_t columns,
                       uint32_t step, uint64_t owner_row, uint64_t owner_column,
                       uint64_t row, uint64_t column, enum weft_reference_operation op);
/* A single reference, of which nothing else is said. */
struct weft_pattern array_reference(uint32_t step, uint32_t array, uint64_t element,
                                    uint32_t owner_array, uint64_t owner,
                                    enum weft_reference_operation operation);

/* All references of a pattern, one by one. */
void array_expand(const struct weft_pattern *pattern,
                  void (*visit)(void *user, const struct weft_pattern *pattern,
                                uint64_t element, uint64_t owner),
                  void *user);

#endif
