/* SPDX-License-Identifier: Apache-2.0 */
#include "observations.h"

#include <stdio.h>
#include <string.h>

void put(struct file *file, const void *bytes, size_t size)
{
    assert_true(file->size + size <= sizeof file->bytes);
    memcpy(file->bytes + file->size, bytes, size);
    file->size += size;
}

struct file begin_file(void)
{
    struct weft_schedule_head head = { .magic = WEFT_SCHEDULE_MAGIC,
                                       .pid = 9,
                                       .processors = 2 };
    struct file file = { .size = 0 };

    strcpy(head.host, "alpha");
    strcpy(head.boot, "boot-a");
    put(&file, &head, sizeof head);
    return file;
}

void put_record(struct file *file, uint32_t type, uint16_t misc, const void *body,
                size_t size, struct weft_schedule_sample sample)
{
    struct perf_event_header header = { type, misc,
                                        (uint16_t)(sizeof header + size + sizeof sample) };

    put(file, &header, sizeof header);
    put(file, body, size);
    put(file, &sample, sizeof sample);
}

void put_switch(struct file *file, int64_t time, uint32_t processor, uint32_t pid,
                uint32_t tid, uint16_t misc)
{
    put_record(file, PERF_RECORD_SWITCH, misc, "", 0,
               (struct weft_schedule_sample){ pid, tid, time, processor, 0 });
}

void put_life(struct file *file, uint32_t type, int64_t time, uint32_t processor,
              uint32_t pid, uint32_t tid, uint32_t parent)
{
    uint32_t body[6] = { pid, parent, tid, parent, 0, 0 };

    put_record(file, type, 0, body, sizeof body,
               (struct weft_schedule_sample){ pid, tid, time, processor, 0 });
}

void put_name(struct file *file, int64_t time, uint32_t pid, uint32_t tid, const char *name)
{
    struct {
        uint32_t pid, tid;
        char name[8];
    } body = { pid, tid, "" };

    memcpy(body.name, name, strlen(name));
    put_record(file, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, &body, sizeof body,
               (struct weft_schedule_sample){ pid, tid, time, 0, 0 });
}

struct recorded trace_of(const char *description, const struct file *file)
{
    struct synthetic synthetic = synthetic_write(description);
    struct recorded recorded;
    char path[128];
    FILE *out;

    snprintf(path, sizeof path, "%s/0/schedule-alpha-9", synthetic.path);
    out = fopen(path, "w");
    assert_non_null(out);
    assert_int_equal(fwrite(file->bytes, 1, file->size, out), file->size);
    assert_int_equal(fclose(out), 0);
    recorded = synthetic_join(&synthetic);
    synthetic_remove(&synthetic);
    return recorded;
}

const char *story(const struct recorded *recorded, const char *type, const char *name,
                  const char *states_type)
{
    static char text[1024];
    struct found_state found[64];
    size_t n = states(recorded,
                      track(recorded, container(recorded, type, name), states_type), found,
                      64),
           at = 0;

    text[0] = 0;
    for (size_t i = 0; i < n; i++) {
        at += (size_t)snprintf(text + at, sizeof text - at, "%s %d, ", found[i].value,
                               (int)found[i].state.begin);
        if (i + 1 == n || found[i + 1].state.begin != found[i].state.end)
            at += (size_t)snprintf(text + at, sizeof text - at, "end %d%s",
                                   (int)found[i].state.end, i + 1 == n ? "" : "; ");
    }
    return text;
}
