/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds out how the records of a file are ordered.  MPICL writes node after node, each in
 * order of time; ParaGraph wants all records in order of time.  The reader takes either as
 * it is, since only the order within each node matters.  A file whose nodes go back in time
 * is either several traces one after the other, or not sorted.
 */
#include <stdlib.h>

#include "domains/messages/read/picl_priv.h"

enum {
    TRACING = -901,
    OFTEN = 8 /* records that each of several traces must have on average */
};

struct picl_seen {
    int64_t first, last; /* times in this epoch */
    uint32_t epoch;
    bool left;    /* another node's record has followed one of its records */
    bool stopped; /* its latest record ended its tracing */
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
        /*
         * The epoch is shifted by its first record.  The first record of another node may
         * be earlier, but not before that node's last one in the trace before.
         */
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
 * Returns true if a record that goes back in time begins another trace: its node had ended
 * its tracing; or it is no later than the node's first record and begins tracing again, the
 * trace before having been cut short; or the same in a file without such records.
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
