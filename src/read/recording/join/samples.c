/* SPDX-License-Identifier: Apache-2.0 */
#include "read/recording/join/samples.h"

#include <stdlib.h>
#include <string.h>

#include "read/recording/join/call_stack_texts.h"

struct samples {
    struct join *join;
    uint32_t type, site, stack, time; /* the type and its fields */
    size_t *next; /* by index in join->threads: the first sample that is not written */
};

/* Returns true if any observations have samples. */
static bool has_samples(const struct recording *recording)
{
    for (size_t i = 0; i < recording->n_observed; i++)
        if (recording->observed[i].head->sample_ns > 0)
            return true;
    return false;
}

struct samples *samples_new(struct join *join)
{
    struct samples *samples;

    if (!has_samples(join->recording))
        return NULL;
    samples = weft_zalloc(1, sizeof *samples);
    samples->join = join;
    samples->type =
        join_type(join, WEFT_EVENT, join->thread_type, "Sample", WEFT_ROLE_SAMPLE);
    samples->site =
        join_field(join, samples->type, "place", WEFT_FIELD_SITE, WEFT_ROLE_SITE);
    samples->stack =
        join_field(join, samples->type, "stack", WEFT_FIELD_TEXT, WEFT_ROLE_CALL_STACK);
    samples->time =
        join_field(join, samples->type, "time", WEFT_FIELD_INTEGER, WEFT_ROLE_SAMPLED_TIME);
    samples->next = weft_zalloc(join->n_threads + 1, sizeof *samples->next);
    return samples;
}

void samples_free(struct samples *samples)
{
    if (!samples)
        return;
    free(samples->next);
    free(samples);
}

/* Returns the processor time that each sample of a thread stands for. */
static int64_t period_of(const struct samples *samples, const struct join_thread *thread)
{
    const struct recording *recording = samples->join->recording;

    for (size_t i = 0; i < recording->n_observed; i++) {
        const struct observed *observed = &recording->observed[i];
        if (thread->stream->observed >= observed->threads
            && thread->stream->observed < observed->threads + observed->n_threads)
            return observed->head->sample_ns;
    }
    return 0;
}

static void write_sample(struct samples *samples, const struct join_thread *thread,
                         uint32_t track, int64_t time, int64_t period,
                         const struct weft_schedule_place *place)
{
    uint64_t address;
    struct weft_field_value fields[3] = {
        { samples->time, { .integer = period } },
        { samples->stack,
          { .index =
                stacks_of_sample(samples->join->stacks, thread->image, place, &address) } },
    };
    size_t n = 2;

    if (address != 0)
        fields[n++] = (struct weft_field_value){
            samples->site,
            { .index = sites_find_after(samples->join->sites, thread->image, address) }
        };
    (void)weft_builder_event(samples->join->builder, track, time, WEFT_NONE, fields, n,
                             NULL);
}

/* Returns the time of the store of a sample. */
static int64_t time_of(const struct samples *samples, const struct join_thread *thread,
                       size_t sample)
{
    const struct recording *recording = samples->join->recording;
    uint32_t domain = recording->images[thread->image].domain;

    return clock_domain_of_monotonic(
        &recording->domains[domain],
        thread->stream->observed->samples[sample]->sample.time);
}

/* Writes the samples of THREAD that were taken up to TIME. */
static void reach(struct samples *samples, const struct join_thread *thread, int64_t time)
{
    const struct observed_thread *observed = thread->stream->observed;
    size_t *next = &samples->next[thread->index];
    int64_t period = period_of(samples, thread);
    uint32_t track;

    if (*next == observed->n_samples || time_of(samples, thread, *next) > time)
        return;
    track = weft_builder_track(samples->join->builder, thread->container, samples->type);
    for (; *next < observed->n_samples; ++*next) {
        int64_t at = time_of(samples, thread, *next);
        if (at > time)
            break;
        write_sample(samples, thread, track, at, period, observed->samples[*next]);
    }
}

void samples_begin(struct samples *samples, const struct join_thread *thread, int64_t time)
{
    const struct observed_thread *observed = thread->stream->observed;

    if (!samples || !observed)
        return;
    while (samples->next[thread->index] < observed->n_samples
           && time_of(samples, thread, samples->next[thread->index]) < time)
        samples->next[thread->index]++;
}

/*
 * Returns the last moment, at most TIME, of the program before THREAD's: the kernel told
 * when that was executed, and the recorder in it only when it began to record.
 */
static int64_t end_of_program(const struct samples *samples,
                              const struct join_thread *thread, int64_t time)
{
    const struct recording *recording = samples->join->recording;
    const struct image *image = &recording->images[thread->image];
    int64_t from;

    if (image->code.to == 0 || image->code.from == INT64_MIN)
        return time;
    from = clock_domain_of_monotonic(&recording->domains[image->domain], image->code.from);
    return from <= time ? from - 1 : time;
}

void samples_become(struct samples *samples, const struct join_thread *thread,
                    const struct join_thread *before, int64_t time)
{
    if (!samples || !before->stream->observed)
        return;
    reach(samples, before, end_of_program(samples, thread, time));
    samples->next[thread->index] = before->stream->observed == thread->stream->observed
                                       ? samples->next[before->index]
                                       : 0;
}

void samples_end(struct samples *samples, const struct join_thread *thread, int64_t time)
{
    if (samples && thread->stream->observed)
        reach(samples, thread, time);
}
