/* SPDX-License-Identifier: Apache-2.0 */
#include "join_layout.h"

#include <string.h>

#define FIELD(of, name)                                                                    \
 {                                                                                         \
  offsetof(struct of, name), sizeof(((struct of *)0)->name)                                \
 }
#define SAMPLE(name)                                                                       \
 FIELD(weft_process_header, name.ticks), FIELD(weft_process_header, name.monotonic_ns),    \
     FIELD(weft_process_header, name.realtime_ns),                                         \
     FIELD(weft_process_header, name.error_ticks)

static const struct join_place process_fields[] = {
    FIELD(weft_process_header, pid),
    FIELD(weft_process_header, image),
    FIELD(weft_process_header, parent_pid),
    FIELD(weft_process_header, forked_pid),
    FIELD(weft_process_header, forked_image),
    FIELD(weft_process_header, names_inherited),
    FIELD(weft_process_header, forked_thread),
    FIELD(weft_process_header, clock),
    FIELD(weft_process_header, host),
    FIELD(weft_process_header, boot),
    FIELD(weft_process_header, pid_namespace),
    FIELD(weft_process_header, families),
    FIELD(weft_process_header, exited),
    FIELD(weft_process_header, full),
    FIELD(weft_process_header, n_samples),
    SAMPLE(first),
    SAMPLE(last),
    SAMPLE(samples[0]),
    SAMPLE(samples[1]),
    FIELD(weft_process_header, lost),
    FIELD(weft_process_header, threads),
    FIELD(weft_process_header, command_bytes),
    FIELD(weft_process_header, command),
    FIELD(weft_process_header, program),
};

static const struct join_place thread_fields[] = {
    FIELD(weft_thread_header, pid),     FIELD(weft_thread_header, image),
    FIELD(weft_thread_header, ordinal), FIELD(weft_thread_header, tid),
    FIELD(weft_thread_header, handle),  FIELD(weft_thread_header, first_ticks),
    FIELD(weft_thread_header, drained), FIELD(weft_thread_header, buffer_base),
    FIELD(weft_thread_header, lost),    FIELD(weft_thread_header, ended),
};

static const char *short_name(const struct join_file *file)
{
    const char *slash = strrchr(file->name, '/');

    return slash ? slash + 1 : file->name;
}

enum join_file_kind join_layout_kind(const struct join_file *file)
{
    const char *name = short_name(file);
    size_t length = strlen(name);

    if (length > 5 && strcmp(name + length - 5, ".maps") == 0)
        return MAPS;
    return name[0] == 'p' || name[0] == 't' ? LOG : FACTS;
}

size_t join_layout_headers(const struct join_file *file,
                           struct join_header headers[JOIN_HEADERS_MOST])
{
    if (short_name(file)[0] == 'p')
        headers[0] = (struct join_header){ 0, process_fields,
                                           sizeof process_fields / sizeof *process_fields };
    else
        headers[0] = (struct join_header){ 0, thread_fields,
                                           sizeof thread_fields / sizeof *thread_fields };
    return 1;
}

static size_t add_words(struct join_file *file, size_t begin, size_t end,
                        struct join_words *words)
{
    if (begin >= end || end > file->size)
        return 0;
    *words = (struct join_words){ (uint64_t *)(file->bytes + begin),
                                  (end - begin) / sizeof(uint64_t), 0 };
    for (size_t i = 0; i < words->n; i += 1 + weft_record_words(words->at[i]))
        if (words->at[i] != 0)
            words->used = i + 1;
    return words->n > 0;
}

/* The buffer, and what was drained. */
size_t join_layout_words(struct join_file *file, struct join_words words[JOIN_WORDS_MOST])
{
    size_t stream = WEFT_LOG_HEADER + WEFT_LOG_BUFFER, n;

    if (short_name(file)[0] != 't')
        return 0;
    n = add_words(file, WEFT_LOG_HEADER, stream, &words[0]);
    return n + add_words(file, stream, file->size, &words[n]);
}
