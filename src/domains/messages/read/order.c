/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of a file's records.  MPICL writes node after node, each in order of time; ParaGraph
 * wants all in order of time; either is read as it stands, because all that matters here is the
 * order of each node.  A file whose nodes go back in time is either several traces one behind
 * the other, or not sorted.
 */
#include <stdlib.h>

#include "domains/messages/read/picl_priv.h"

enum {
    TRACING = -901,
    OFTEN = 8 /* records, on average, of each trace of a file of several */
};

struct picl_seen {
    int64_t first, last; /* times, of this epoch */
    uint32_t epoch;
    bool left;    /* records of other nodes came after its own */
    bool stopped; /* the latest record ends its tracing */
};

void picl_survey_begin(struct picl_survey *s)
{
    *s = (struct picl_survey){
        .node = -1, .latest = INT64_MIN, .by_time = true, .by_node = true
    };
}

static struct picl_seen *seen_of(struct picl_survey *s, int32_t node, int64_t time)
{
    uint32_t index = picl_number_get(&s->index, node);
    if (index == WEFT_NONE) {
        s->seen = weft_grow(s->seen, &s->capacity, s->n + 1, sizeof *s->seen);
        index = (uint32_t)s->n++;
        picl_number_put(&s->index, node, index);
        s->seen[index] = (struct picl_seen){ time, time, s->epoch, false, false };
    }
    struct picl_seen *seen = &s->seen[index];
    if (seen->epoch != s->epoch) {
        /* A trace begins with its first record, but another node's may be before that. */
        int64_t last = seen->last > time ? seen->last : time;
        *seen = (struct picl_seen){ time, last, s->epoch, false, false };
    }
    return seen;
}

static void new_epoch(struct picl_survey *s, int64_t time)
{
    s->epoch++;
    s->shift = s->latest - time;
    s->node = -1;
    s->by_time = s->by_node = true;
}

/*
 * A record that goes back: is it the begin of another trace?  Where the trace before it was cut
 * short, its node does not say that tracing ended, but begins again; some writers say neither.
 */
static bool begins_anew(const struct picl_survey *s, const struct picl_seen *seen,
                        const struct picl_record *r)
{
    bool begins = r->key == TRACING && r->type == PICL_ENTRY;
    return seen->stopped || (r->time <= seen->first && (begins || !s->brackets));
}

static void change_node(struct picl_survey *s, struct picl_seen *seen, int32_t node)
{
    if (s->node >= 0)
        s->seen[picl_number_get(&s->index, s->node)].left = true;
    s->by_node &= !seen->left;
    s->node = node;
}

static int64_t shifted(const struct picl_survey *s, int64_t time)
{
    int64_t sum;
    return __builtin_add_overflow(time, s->shift, &sum) ? WEFT_TIME_LIMIT - 1
                                                        : weft_time_clamp(sum);
}

enum picl_step picl_survey_add(struct picl_survey *s, struct picl_record *r)
{
    if (r->node < 0)
        return PICL_STEP_ON;
    s->records++;
    enum picl_step step = PICL_STEP_ON;
    int64_t raw = r->time;
    r->time = shifted(s, raw);
    struct picl_seen *seen = seen_of(s, r->node, r->time);
    if (r->time < seen->last) {
        if (!s->one_trace && begins_anew(s, seen, r)) {
            new_epoch(s, raw);
            r->time = shifted(s, raw);
            seen = seen_of(s, r->node, r->time);
            step = PICL_STEP_NEW;
        } else {
            s->disorder++;
            step = PICL_STEP_BACK;
        }
    }
    s->brackets |= r->key == TRACING;
    if (r->node != s->node)
        change_node(s, seen, r->node);
    bool back = r->time < s->latest;
    s->by_time &= !back;
    if (back && !s->by_time && !s->by_node && step == PICL_STEP_ON)
        step = PICL_STEP_UNSORTED;
    seen->last = r->time > seen->last ? r->time : seen->last;
    seen->stopped = r->key == TRACING && r->type == PICL_EXIT;
    s->latest = r->time > s->latest ? r->time : s->latest;
    return step;
}

enum picl_order picl_survey_end(const struct picl_survey *s)
{
    if (s->disorder || (uint64_t)s->epoch * OFTEN > s->records)
        return PICL_UNSORTED;
    return s->epoch ? PICL_CONCATENATED : PICL_IN_ORDER;
}

void picl_survey_free(struct picl_survey *s)
{
    picl_numbers_free(&s->index);
    free(s->seen);
}
