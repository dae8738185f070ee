/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/messages/model/busy_idle_changes.h"

#include <assert.h>
#include <string.h>

struct run_visitor {
    bool (*visit)(void *user, const struct weft_class_run *run);
    void *user;
    uint8_t last; /* class that was visited last */
    bool stopped;
};

/* Passes a run on without its first change if that is to the same class. */
static bool pass(void *user, const struct weft_class_run *run)
{
    struct run_visitor *p = user;
    size_t none = run->n && run->classes[0] == p->last;
    const struct weft_class_run rest = { run->times + none, run->classes + none,
                                         run->n - none };
    if (!rest.n)
        return true;
    p->last = rest.classes[rest.n - 1];
    return p->visit(p->user, &rest) || !(p->stopped = true);
}

static void pass_one(struct run_visitor *p, int64_t time, enum weft_class class)
{
    uint8_t classes[] = { (uint8_t) class };
    const struct weft_class_run one = { &time, classes, 1 };
    if (!p->stopped)
        pass(p, &one);
}

void weft_class_runs(const struct weft_processors *processors, uint32_t index,
                     struct weft_span window,
                     bool (*visit)(void *user, const struct weft_class_run *run),
                     void *user)
{
    const struct weft_source *source = processors->source;
    const struct weft_processor *processor = &processors->processors[index];
    const struct weft_classing classing = { processors->class_of, WEFT_CLASS_BUSY,
                                            WEFT_CLASS_UNKNOWN, processors->passed_over };
    struct run_visitor p = { visit, user, WEFT_NO_CLASS, false };
    if (window.end <= window.begin)
        return;
    if (window.begin < processor->start) {
        pass_one(&p, window.begin, WEFT_CLASS_IDLE);
        window.begin = processor->start;
    }
    struct weft_span active = window;
    active.end = active.end < processor->finish ? active.end : processor->finish;
    if (active.begin < active.end && !p.stopped) {
        if (processor->track != WEFT_NONE)
            source->ops->classes(source, processor->track, active, &classing, pass, &p);
        else
            pass_one(&p, active.begin, WEFT_CLASS_BUSY);
    }
    int64_t ended = active.end > window.begin ? active.end : window.begin;
    if (ended < window.end)
        pass_one(&p, ended, WEFT_CLASS_IDLE);
}

/*
 * Returns the part of a window in which calls decide the class; the rest is counted as
 * idle.
 */
static struct weft_span active_part(const struct weft_processor *processor,
                                    struct weft_span window, int64_t *ticks)
{
    struct weft_span active = window;
    memset(ticks, 0, WEFT_CLASSES * sizeof *ticks);
    if (window.end <= window.begin)
        return (struct weft_span){ window.begin, window.begin };
    active.begin = active.begin > processor->start ? active.begin : processor->start;
    active.end = active.end < processor->finish ? active.end : processor->finish;
    if (active.begin >= active.end)
        active.begin = active.end = window.begin;
    ticks[WEFT_CLASS_IDLE] = window.end - window.begin - (active.end - active.begin);
    return active;
}

void weft_class_ticks(const struct weft_processors *processors,
                      const struct weft_class_part *parts, size_t n,
                      int64_t (*ticks)[WEFT_CLASSES])
{
    enum { AT_ONCE = 32 };
    static_assert(WEFT_CLASS_BUSY == 0 && WEFT_CLASS_OVERHEAD == 1
                      && (int)WEFT_CLASSES == (int)WEFT_TALLIES,
                  "a source counts by class");
    const struct weft_source *source = processors->source;
    const struct weft_classing classing = { processors->class_of, WEFT_CLASS_BUSY,
                                            WEFT_CLASS_UNKNOWN, processors->passed_over };
    struct weft_class_query queries[AT_ONCE];
    int64_t counted[AT_ONCE][WEFT_TALLIES];
    size_t places[AT_ONCE], n_queries = 0;
    for (size_t i = 0; i < n; i++) {
        const struct weft_processor *processor = &processors->processors[parts[i].index];
        struct weft_span active = active_part(processor, parts[i].window, ticks[i]);
        if (processor->track == WEFT_NONE) {
            ticks[i][WEFT_CLASS_BUSY] += active.end - active.begin;
        } else {
            places[n_queries] = i;
            queries[n_queries++] = (struct weft_class_query){ processor->track, active };
        }
        if (n_queries < AT_ONCE && i + 1 < n)
            continue;
        memset(counted, 0, sizeof counted);
        source->ops->class_ticks(source, queries, n_queries, &classing, counted);
        for (; n_queries; n_queries--)
            for (size_t c = 0; c < WEFT_CLASSES; c++)
                ticks[places[n_queries - 1]][c] += counted[n_queries - 1][c];
    }
}

struct singly {
    bool (*visit)(void *user, int64_t time, enum weft_class class);
    void *user;
};

static bool visit_singly(void *user, const struct weft_class_run *run)
{
    const struct singly *s = user;
    for (size_t i = 0; i < run->n; i++)
        if (!s->visit(s->user, run->times[i], (enum weft_class)run->classes[i]))
            return false;
    return true;
}

void weft_class_changes(const struct weft_processors *processors, uint32_t index,
                        struct weft_span window,
                        bool (*visit)(void *user, int64_t time, enum weft_class class),
                        void *user)
{
    struct singly s = { visit, user };
    weft_class_runs(processors, index, window, visit_singly, &s);
}
