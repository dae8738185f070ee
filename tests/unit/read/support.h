/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the tests of readers: a folder of their own, and traces from text. */
#ifndef WEFT_TEST_READ_SUPPORT_H
#define WEFT_TEST_READ_SUPPORT_H

#include "read/reader.h"
#include "tests/test.h"

/* A path in a temporary folder that support_cleanup removes; NAME "" is the folder itself. */
const char *support_path(const char *name);
int support_cleanup(void **state);
void support_write(const char *path, const void *bytes, size_t size);

/* The definitions that the small traces of the tests use; ids as Paje's own examples. */
extern const char support_header[];

/* Read TEXT, behind the header, as a Paje trace. */
struct weft_trace *support_read(const char *text);
struct weft_trace *support_read_bytes(const void *bytes, size_t size);
/* The same without the header; UNIT may be NULL. */
struct weft_trace *support_read_plain(const char *text, const char *unit);

/* The number of problems of a kind; *line (may be NULL) is the line of the first. */
uint64_t support_problems(const struct weft_trace *trace, const char *kind, uint64_t *line);
/* The dump, sorted by line; free it. */
char *support_dump(const struct weft_trace *trace);

#endif
