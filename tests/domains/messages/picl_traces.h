/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of the reader and writer of PICL do with traces that are short texts. */
#ifndef PICL_TRACES_H
#define PICL_TRACES_H

#include "domains/messages/write/picl.h"
#include "store/trace/trace.h"

/* A message of 0 to 1, and operations of all four processors and of halves of them. */
extern const char trf_one_message[], trf_collectives[];

struct weft_trace *trf_read(const char *text);
char *trf_dump(const char *text);
void trf_assert_same(const char *a, const char *b);
/* The field of an entity with a role; fails when it has none. */
struct weft_field_value trf_field(const struct weft_trace *trace, uint64_t id,
                                  enum weft_role role, enum weft_field_kind kind);
bool trf_has_field(const struct weft_trace *trace, uint64_t id, const char *name);
uint32_t trf_track(const struct weft_trace *trace, const char *container, const char *type);
struct weft_state trf_state(const struct weft_trace *trace, const char *container,
                            const char *type, uint64_t ordinal);
enum weft_role trf_role(const struct weft_trace *trace, const struct weft_state *state);
struct weft_link trf_link(const struct weft_trace *trace, uint64_t ordinal);
const char *trf_container_name(const struct weft_trace *trace, uint32_t container);
char *trf_written(const struct weft_trace *trace, enum weft_picl_order order);
/* In both orders, written and read and written again is the same text. */
void trf_assert_written_twice(const char *text);

#endif
