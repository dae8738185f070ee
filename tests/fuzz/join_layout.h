/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where headers and records are in the files of a recording: all that the mutator knows of
 * format/recording_layout.h.
 */
#ifndef WEFT_FUZZ_JOIN_LAYOUT_H
#define WEFT_FUZZ_JOIN_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#include "format/recording_layout.h"
#include "join_folder.h"

enum { JOIN_HEADERS_MAX = 64, JOIN_WORDS_MAX = 64, JOIN_PAGE = 4096 };

enum join_file_kind { FACTS, LOG };

struct join_place { /* a field of a header */
    size_t at, size;
};

struct join_header {
    size_t at; /* in the file */
    const struct join_place *fields;
    size_t n_fields;
};

struct join_words { /* a part of a file that holds records */
    uint64_t *at;
    size_t n, used; /* words that there are, and up to the last one that is not clear */
};

enum join_file_kind join_layout_kind(const struct join_file *file);
/* The headers and the records that are whole in a log; how many. */
size_t join_layout_headers(struct join_file *file,
                           struct join_header headers[JOIN_HEADERS_MAX]);
size_t join_layout_words(struct join_file *file, struct join_words words[JOIN_WORDS_MAX]);

/* Text of a copy of the memory map in a log, and its bytes; NULL: there is none. */
char *join_layout_maps(struct join_file *file, size_t *size);

#endif
