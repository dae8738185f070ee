/* SPDX-License-Identifier: Apache-2.0 */
/* The exported table weft_rt_v1, by which weft.h calls the recorder. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "format/recording_annotate.h"
#include "record/log/log.h"
#include "record/process/seccomp_filters.h"
#include "weft/weft.h"

#define CORE weft_record_core_v1

/* In all functions here a text may be NULL, which counts as empty. */
static inline __attribute__((always_inline)) uint32_t number_of(struct weft_name *name,
                                                                uint64_t site)
{
    uint32_t number = __atomic_load_n(&name->number, __ATOMIC_ACQUIRE);

    if (__builtin_expect(number == 0, 0))
        number = CORE.name(&name->number, name->text, site);
    return number;
}

static void begin(struct weft_name *name)
{
    struct weft_log *log = weft_log_get();
    uint32_t number = number_of(name, WEFT_SITE);

    weft_log_put(log, weft_ticks(), WEFT_RECORD_BEGIN, number);
}

static void begin_text(const char *name)
{
    uint64_t site = WEFT_SITE;

    CORE.log_text(weft_ticks(), WEFT_RECORD_BEGIN_TEXT, &site, 1, name);
}

static void end(void)
{
    weft_log_put(weft_log_get(), weft_ticks(), WEFT_RECORD_END, 0);
}

static void instant(struct weft_name *name)
{
    struct weft_log *log = weft_log_get();
    uint32_t number = number_of(name, WEFT_SITE);

    weft_log_put(log, weft_ticks(), WEFT_RECORD_INSTANT, number);
}

static uint64_t bits(double value)
{
    uint64_t word;
    memcpy(&word, &value, sizeof word);
    return word;
}

static void counter(struct weft_name *name, double value)
{
    struct weft_log *log = weft_log_get();
    uint32_t number = number_of(name, WEFT_SITE);

    weft_log_put_word(log, weft_ticks(), WEFT_RECORD_COUNTER, number, bits(value));
}

static void send(struct weft_name *name, uint64_t id, uint64_t bytes)
{
    struct weft_log *log = weft_log_get();
    uint32_t number = number_of(name, WEFT_SITE);
    uint64_t words[2] = { id, bytes };

    weft_log_put_words(log, weft_ticks(), WEFT_RECORD_SEND, number, words, 2);
}

static void receive(struct weft_name *name, uint64_t id, uint64_t bytes)
{
    struct weft_log *log = weft_log_get();
    uint32_t number = number_of(name, WEFT_SITE);
    uint64_t words[2] = { id, bytes };

    weft_log_put_words(log, weft_ticks(), WEFT_RECORD_RECEIVE, number, words, 2);
}

static void task_begin(struct weft_name *name, double work)
{
    struct weft_log *log = weft_log_get();
    uint32_t number = number_of(name, WEFT_SITE);

    weft_log_put_word(log, weft_ticks(), WEFT_RECORD_TASK_BEGIN, number, bits(work));
}

static void task_end(void)
{
    weft_log_put(weft_log_get(), weft_ticks(), WEFT_RECORD_TASK_END, 0);
}

static void thread_name(const char *name)
{
    CORE.thread_name(name);
}

static void put_numbered(uint32_t kind, uint32_t number)
{
    uint64_t word = number;
    bool fits = number <= WEFT_ARGUMENT_MAX;

    weft_log_put_words(weft_log_get(), weft_ticks(), kind, fits ? number : 0, &word,
                       fits ? 0 : 1);
}

static void numbered_begin(uint32_t number)
{
    put_numbered(WEFT_RECORD_NUMBERED_BEGIN, number);
}

static void numbered_end(uint32_t number, int has_work, double work)
{
    struct weft_log *log = weft_log_get();
    uint64_t word = bits(work);

    weft_log_put_words(log, weft_ticks(), WEFT_RECORD_NUMBERED_END,
                       number & WEFT_ARGUMENT_MAX, &word, has_work ? 1 : 0);
}

static void numbered_mark(uint32_t number)
{
    put_numbered(WEFT_RECORD_NUMBERED_MARK, number);
}

static uint64_t item_word(uint32_t item, const void *values, uint32_t i)
{
    switch (item) {
    case WEFT_ITEM_INTEGER: return (uint64_t)(int64_t)((const int *)values)[i];
    case WEFT_ITEM_LONG: return (uint64_t)(int64_t)((const long *)values)[i];
    case WEFT_ITEM_FLOAT:
    case WEFT_ITEM_REAL: return bits((double)((const float *)values)[i]);
    default: return bits(((const double *)values)[i]);
    }
}

/* Write as many records as the values need, all with the same time. */
static void numbered_values(uint32_t said, uint32_t number, int32_t data, uint32_t item,
                            uint32_t n, const void *values)
{
    enum { BEFORE = 2, ROOM = WEFT_RECORD_WORDS_MAX - BEFORE - 1 };
    uint32_t each = item == WEFT_ITEM_CHARACTER ? 8 : 1; /* values per word */
    uint64_t words[BEFORE + ROOM], ticks = weft_ticks();
    struct weft_log *log = weft_log_get();
    uint32_t done = 0;

    n = values ? n : 0;
    words[1] = (uint64_t)number << 32 | (uint32_t)data;
    do {
        uint32_t now = n - done < ROOM * each ? n - done : ROOM * each;
        uint32_t used = (now + each - 1) / each;
        words[0] = weft_values_word(said, item, done + now < n, now);
        if (each > 1)
            memset(words + BEFORE, 0, used * sizeof *words);
        if (each > 1 && now > 0)
            memcpy(words + BEFORE, (const char *)values + done, now);
        for (uint32_t i = 0; each == 1 && i < now; i++)
            words[BEFORE + i] = item_word(item, values, done + i);
        weft_log_put_words(log, ticks, WEFT_RECORD_VALUES, 0, words, BEFORE + used);
        done += now;
    } while (done < n);
}

/*
 * A relative path counts from the working directory now.  It becomes empty if it is too
 * long, or the working directory is unknown.
 */
static void trace_file(const char *path)
{
    enum { KEPT = 240 }; /* bytes of a text, by the core's log_text */
    char whole[KEPT + 1] = "";
    bool is_absolute = path && path[0] == '/';
    size_t length = 0;
    int saved = errno;

    if (path && !is_absolute && weft_sandbox_allows(WEFT_NEED_NAMES)
        && getcwd(whole, sizeof whole - 1)) {
        length = strlen(whole);
        whole[length++] = '/';
    }
    errno = saved;
    if ((is_absolute || length > 0) && length + strlen(path) < sizeof whole)
        memcpy(whole + length, path, strlen(path) + 1);
    else
        whole[0] = '\0';
    CORE.log_text(weft_ticks(), WEFT_RECORD_TRACE_FILE, NULL, 0, whole);
}

static void name_object(const volatile void *object, const char *name)
{
    uint64_t address = (uint64_t)(uintptr_t)object;

    CORE.log_text(weft_ticks(), WEFT_RECORD_OBJECT_NAME, &address, 1, name);
}

WEFT_EXPORT extern const struct weft_runtime weft_rt_v1;
const struct weft_runtime weft_rt_v1 = {
    .version = 5,
    .begin = begin,
    .begin_text = begin_text,
    .end = end,
    .instant = instant,
    .counter = counter,
    .send = send,
    .receive = receive,
    .task_begin = task_begin,
    .task_end = task_end,
    .thread_name = thread_name,
    .numbered_begin = numbered_begin,
    .numbered_end = numbered_end,
    .numbered_mark = numbered_mark,
    .trace_file = trace_file,
    .numbered_values = numbered_values,
    .name_object = name_object,
};

static const struct weft_record_family family = {
    .number = WEFT_FAMILY_ANNOTATE,
    .core_size = sizeof(struct weft_record_core),
};

__attribute__((constructor)) static void start(void)
{
    (void)CORE.join(&family);
}
