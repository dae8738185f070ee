/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/hash.h"
#include "domains/trees/fghc/recording_priv.h"

/* ---- The file ---- */

static bool write_all(int fd, const void *bytes, size_t n)
{
    const char *at = bytes;
    while (n) {
        ssize_t written = write(fd, at, n);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        at += written;
        n -= (size_t)written;
    }
    return true;
}

static char *header_of(const struct program *program, const struct query *query,
                       unsigned pes, size_t *size)
{
    char *bytes;
    struct recording_header header = { .version = RECORDING_VERSION,
                                       .pes = pes,
                                       .n_texts = (uint32_t)program->n_texts,
                                       .goal = (uint32_t)strlen(query->text) };
    memcpy(header.magic, RECORDING_MAGIC, sizeof header.magic);
    header.bytes = sizeof header + header.goal;
    for (size_t i = 0; i < program->n_texts; i++)
        header.bytes += sizeof(struct recording_text) + strlen(program->texts[i].path)
                        + program->texts[i].size;
    FILE *out = weft_text_begin(&bytes, size);
    fwrite(&header, sizeof header, 1, out);
    for (size_t i = 0; i < program->n_texts; i++) {
        const struct program_text *text = &program->texts[i];
        struct recording_text lengths = { strlen(text->path), text->size };
        fwrite(&lengths, sizeof lengths, 1, out);
        fwrite(text->path, 1, lengths.path, out);
        fwrite(text->text, 1, lengths.text, out);
    }
    fwrite(query->text, 1, header.goal, out);
    weft_text_end(out);
    header.hash = weft_hash(bytes, offsetof(struct recording_header, hash))
                  ^ weft_hash(bytes + sizeof header, *size - sizeof header);
    memcpy(bytes, &header, sizeof header);
    return bytes;
}

bool recorder_open(struct recorder *recorder, const char *path,
                   const struct program *program, const struct query *query, unsigned pes,
                   struct weft_err *err)
{
    *recorder = (struct recorder){ .path = path };
    pthread_mutex_init(&recorder->lock, NULL);
    recorder->fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (recorder->fd < 0)
        return weft_fail_errno(err, WEFT_ERR_WRITE, "cannot record into %s", path);
    /* Locked until the run ends, so that no reader takes a part for the whole, and no other
       run writes into it. */
    if (flock(recorder->fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        weft_fail(err, WEFT_ERR_WRITE, "cannot record into %s: another run does", path);
        close(recorder->fd);
        recorder->fd = -1;
        return false;
    }
    (void)!ftruncate(recorder->fd, 0); /* a pipe or a device has no length */
    size_t size;
    char *header = header_of(program, query, pes, &size);
    bool ok = write_all(recorder->fd, header, size);
    if (!ok)
        weft_fail_errno(err, WEFT_ERR_WRITE, "cannot record into %s", path);
    free(header);
    recorder->bytes = size;
    return ok;
}

void recorder_close(struct recorder *recorder)
{
    if (recorder->fd >= 0)
        close(recorder->fd);
    recorder->fd = -1;
    pthread_mutex_destroy(&recorder->lock);
}

static bool append(struct recorder *recorder, const struct recording_block *block,
                   const struct record_log *log, struct weft_err *err)
{
    if (recorder->failed)
        return true;
    if (write_all(recorder->fd, block, sizeof *block)
        && write_all(recorder->fd, log->bytes, log->n)) {
        recorder->bytes += sizeof *block + log->n;
        return true;
    }
    weft_fail_errno(err, WEFT_ERR_WRITE, "cannot record into %s", recorder->path);
    recorder->failed = true;
    (void)!ftruncate(recorder->fd, (off_t)recorder->bytes);
    return false;
}

bool recorder_flush(struct recorder *recorder, struct record_log *log, uint64_t tick,
                    uint64_t ns, bool is_last, struct weft_err *err)
{
    struct recording_block block = { .magic = BLOCK_MAGIC,
                                     .pe = log->pe,
                                     .flags = is_last ? BLOCK_LAST : 0,
                                     .bytes = log->n,
                                     .n_records = log->n_records,
                                     .begin = log->begin,
                                     .end = tick,
                                     .ns = ns,
                                     .first_index = log->first_index };
    block.hash = weft_hash(&block, offsetof(struct recording_block, hash))
                 ^ weft_hash(log->bytes, log->n);
    /* One block at a time, so that a kill cuts only the last block. */
    pthread_mutex_lock(&recorder->lock);
    bool ok = append(recorder, &block, log, err);
    pthread_mutex_unlock(&recorder->lock);
    log->first_index += log->n_records;
    log->n = log->n_records = 0;
    return ok;
}

/* ---- Entries ---- */

void log_open(struct record_log *log, uint16_t pe)
{
    *log = (struct record_log){ .bytes = weft_alloc(LOG_BYTES), .pe = pe };
}

void log_close(struct record_log *log)
{
    free(log->bytes);
}

static inline unsigned char *put(unsigned char *at, uint64_t number)
{
    for (; number >= 0x80; number >>= 7)
        *at++ = (unsigned char)(number | 0x80);
    *at++ = (unsigned char)number;
    return at;
}

/* Makes the time of a block's first entry the base of its times. */
static inline void begin(struct record_log *log, uint64_t tick)
{
    if (!log->n)
        log->begin = log->last = tick;
}

/* Writes the time since the latest entry; 0 if the clock went backwards. */
static inline unsigned char *put_time(struct record_log *log, unsigned char *at,
                                      uint64_t tick)
{
    if (tick < log->last)
        tick = log->last;
    at = put(at, tick - log->last);
    log->last = tick;
    return at;
}

/* Writes the distance from the latest entry's time; the lowest bit is set if TICK is before
 * it. */
static unsigned char *put_near(const struct record_log *log, unsigned char *at,
                               uint64_t tick)
{
    bool before = tick < log->last;
    return put(at, (before ? log->last - tick : tick - log->last) << 1 | before);
}

static void put_wait(struct record_log *log, const struct fghc_wait *wait)
{
    unsigned char *at = log->bytes + log->n;
    *at++ = ENTRY_WAIT;
    at = put_near(log, at, wait->suspended);
    at = put_near(log, at, wait->woken);
    at = put(at, wait->count);
    at = put(at, wait->by_index);
    at = put(at, wait->by_pe);
    at = put(at, wait->site);
    at = put(at, wait->argument);
    log->n = (uint32_t)(at - log->bytes);
}

void log_reduction(struct record_log *log, uint64_t tick, uint16_t parent_pe,
                   uint32_t parent_index, uint16_t clause, const struct fghc_wait *wait)
{
    uint64_t index = log->first_index + log->n_records + 1;
    bool own = parent_pe == log->pe && parent_index && parent_index < index;
    enum entry_kind kind = !parent_index                      ? ENTRY_ROOT
                           : own && parent_index + 1 == index ? ENTRY_NEXT
                           : own                              ? ENTRY_OWN
                                                              : ENTRY_OTHER;
    begin(log, tick);
    if (wait)
        put_wait(log, wait);
    unsigned char *at = log->bytes + log->n;
    unsigned low = clause <= MAX_SHORT_CLAUSE ? clause : MAX_SHORT_CLAUSE + 1;
    *at++ = (unsigned char)(kind | low * ENTRY_KINDS);
    if (clause > MAX_SHORT_CLAUSE)
        at = put(at, clause);
    at = put_time(log, at, tick);
    if (kind == ENTRY_OWN)
        at = put(at, index - parent_index);
    if (kind == ENTRY_OTHER)
        at = put(put(at, parent_pe), parent_index);
    log->n = (uint32_t)(at - log->bytes);
    log->n_records++;
}

void log_idle(struct record_log *log, uint64_t since, uint64_t until)
{
    begin(log, since);
    unsigned char *at = log->bytes + log->n;
    *at++ = ENTRY_IDLE;
    at = put_time(log, at, since);
    at = put_time(log, at, until);
    log->n = (uint32_t)(at - log->bytes);
}
