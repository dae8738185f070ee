/* SPDX-License-Identifier: Apache-2.0 */
#include "views_store.h"
#include "tests/small_store.h"

const struct weft_source *source;
struct weft_set set;
static struct weft_trace *trace;
static char path[] = "/tmp/weft-views-test.XXXXXX";

struct weft_builder *start_store(void)
{
    struct weft_err err;
    if (strchr(path, 'X'))
        close(mkstemp(path));
    struct weft_builder *b = weft_builder_new(path, "test", &err);
    assert_non_null(b);
    return b;
}

void open_store(struct weft_builder *b)
{
    trace = small_store_open(b, path);
    source = weft_trace_source(trace);
    set = (struct weft_set){ &source, 1 };
}

int close_store(void **state)
{
    (void)state;
    weft_trace_close(trace);
    trace = NULL;
    unlink(path);
    return 0;
}

uint32_t define_type(struct weft_builder *b, enum weft_kind kind, uint32_t parent,
                     const char *name)
{
    return weft_builder_type(b, &(struct weft_type){ .kind = kind,
                                                     .parent = parent,
                                                     .name = name,
                                                     .start_type = WEFT_NONE,
                                                     .end_type = WEFT_NONE });
}

void small_store(void)
{
    struct weft_builder *b = start_store();
    uint32_t thread = define_type(b, WEFT_CONTAINER, 0, "thread");
    uint32_t state = define_type(b, WEFT_STATE, thread, "state");
    uint32_t work = weft_builder_value(b, state, "work", NULL, 0);
    uint32_t wait = weft_builder_value(b, state, "wait", NULL, 0);
    uint32_t one =
        weft_builder_track(b, weft_builder_container(b, thread, 0, "one", NULL, 0), state);
    uint32_t two =
        weft_builder_track(b, weft_builder_container(b, thread, 0, "two", NULL, 0), state);
    (void)!weft_builder_push(b, one, 0, work, NULL, 0, NULL);
    (void)!weft_builder_push(b, one, 20, wait, NULL, 0, NULL);
    (void)!weft_builder_pop(b, one, 30, NULL);
    (void)!weft_builder_push(b, one, 30, work, NULL, 0, NULL);
    (void)!weft_builder_pop(b, one, 50, NULL);
    (void)!weft_builder_pop(b, one, 60, NULL);
    (void)!weft_builder_push(b, one, 60, wait, NULL, 0, NULL);
    (void)!weft_builder_push(b, two, 0, work, NULL, 0, NULL);
    (void)!weft_builder_pop(b, one, 100, NULL);
    (void)!weft_builder_pop(b, two, 100, NULL);
    open_store(b);
}
