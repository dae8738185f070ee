/* SPDX-License-Identifier: Apache-2.0 */
/* What weft.h finds: the exported table weft_rt_v1. */
#include <string.h>

#include "record/process.h"
#include "weft.h"

enum { LAST_NUMBER = (1 << 24) - 1 };

/* Give a name its number and write both into the log.  Two threads may meet here: one wins. */
static __attribute__((noinline, cold)) uint32_t
define(struct weft_log *log, struct weft_name *name, uint64_t site)
{
    uint32_t number = __atomic_add_fetch(&weft_process.names, 1, __ATOMIC_RELAXED);
    uint32_t expected = 0;
    uint64_t words[2] = { number, site };

    if (number > LAST_NUMBER)
        number = LAST_NUMBER;
    if (!__atomic_compare_exchange_n(&name->number, &expected, number, false,
                                     __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return expected;
    weft_log_put_text(log, weft_ticks(), WEFT_RECORD_NAME, words, 2, name->text);
    weft_process_see(site);
    return number;
}

#define NUMBER(log, name)                                                                  \
 ({                                                                                        \
uint32_t number_ = __atomic_load_n(&(name)->number, __ATOMIC_ACQUIRE);                      \
if (__builtin_expect(number_ == 0, 0))                                                      \
number_ = define(log, name, WEFT_SITE);                                                    \
number_;                                                                                    \
 })

static void begin(struct weft_name *name)
{
    struct weft_log *log = weft_log_get();
    uint32_t number = NUMBER(log, name);

    weft_log_put(log, weft_ticks(), WEFT_RECORD_BEGIN, number, 0, 0, 0);
}

static void begin_text(const char *name)
{
    uint64_t site = WEFT_SITE;

    weft_log_put_text(weft_log_get(), weft_ticks(), WEFT_RECORD_BEGIN_TEXT, &site, 1, name);
}

static void end(void)
{
    weft_log_put(weft_log_get(), weft_ticks(), WEFT_RECORD_END, 0, 0, 0, 0);
}

static void instant(struct weft_name *name)
{
    struct weft_log *log = weft_log_get();
    uint32_t number = NUMBER(log, name);

    weft_log_put(log, weft_ticks(), WEFT_RECORD_INSTANT, number, 0, 0, 0);
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
    uint32_t number = NUMBER(log, name);

    weft_log_put(log, weft_ticks(), WEFT_RECORD_COUNTER, number, 1, bits(value), 0);
}

static void send(struct weft_name *name, uint64_t id, uint64_t bytes)
{
    struct weft_log *log = weft_log_get();
    uint32_t number = NUMBER(log, name);

    weft_log_put(log, weft_ticks(), WEFT_RECORD_SEND, number, 2, id, bytes);
}

static void receive(struct weft_name *name, uint64_t id, uint64_t bytes)
{
    struct weft_log *log = weft_log_get();
    uint32_t number = NUMBER(log, name);

    weft_log_put(log, weft_ticks(), WEFT_RECORD_RECEIVE, number, 2, id, bytes);
}

static void task_begin(struct weft_name *name, double work)
{
    struct weft_log *log = weft_log_get();
    uint32_t number = NUMBER(log, name);

    weft_log_put(log, weft_ticks(), WEFT_RECORD_TASK_BEGIN, number, 1, bits(work), 0);
}

static void task_end(void)
{
    weft_log_put(weft_log_get(), weft_ticks(), WEFT_RECORD_TASK_END, 0, 0, 0, 0);
}

static void thread_name(const char *name)
{
    weft_log_put_text(weft_log_get(), weft_ticks(), WEFT_RECORD_THREAD, NULL, 0, name);
}

WEFT_EXPORT extern const struct weft_runtime weft_rt_v1;
const struct weft_runtime weft_rt_v1 = {
    .version = 1,
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
};
