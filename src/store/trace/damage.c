/* SPDX-License-Identifier: Apache-2.0 */
/* The list of damage; a damaged expendable file is unlinked. */
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/trace/trace_priv.h"

struct weft_trace_damage_list {
    pthread_mutex_t mutex; /* guards the rest */
    struct weft_damage *rows;
    size_t n, capacity;
    char *expendable; /* the path of a cache entry that can be rebuilt; or NULL */
    dev_t device;     /* of the file that had this path when it was opened */
    ino_t inode;
};

void weft_trace_damage_begin(struct weft_trace *trace)
{
    struct weft_trace_damage_list *list = weft_zalloc(1, sizeof *list);
    pthread_mutex_init(&list->mutex, NULL);
    trace->damaged = list;
}

void weft_trace_damage_end(struct weft_trace *trace)
{
    struct weft_trace_damage_list *list = trace->damaged;
    if (!list)
        return;
    pthread_mutex_destroy(&list->mutex);
    free(list->expendable);
    free(list->rows);
    free(list);
}

/*
 * With the mutex held: unlinks the expendable file, unless another process has put a new
 * one in its place.
 */
static void throw_away(struct weft_trace_damage_list *list)
{
    struct stat now;
    if (list->expendable && stat(list->expendable, &now) == 0 && now.st_dev == list->device
        && now.st_ino == list->inode)
        unlink(list->expendable);
    free(list->expendable);
    list->expendable = NULL;
}

void weft_trace_note_damage(const struct weft_trace *trace, struct weft_damage damage)
{
    struct weft_trace_damage_list *list = trace->damaged;
    pthread_mutex_lock(&list->mutex);
    list->rows = weft_grow(list->rows, &list->capacity, list->n + 1, sizeof *list->rows);
    list->rows[list->n++] = damage;
    throw_away(list);
    pthread_mutex_unlock(&list->mutex);
}

void weft_trace_expendable(struct weft_trace *trace, const char *path)
{
    struct weft_trace_damage_list *list = trace->damaged;
    struct stat status;
    pthread_mutex_lock(&list->mutex);
    if (!list->expendable && stat(path, &status) == 0) {
        list->expendable = weft_strdup(path);
        list->device = status.st_dev;
        list->inode = status.st_ino;
    }
    if (list->n)
        throw_away(list);
    pthread_mutex_unlock(&list->mutex);
}

size_t weft_trace_damage(const struct weft_source *source, size_t from,
                         struct weft_damage *out, size_t capacity)
{
    struct weft_trace_damage_list *list = weft_trace_of(source)->damaged;
    pthread_mutex_lock(&list->mutex);
    size_t n = list->n;
    for (size_t i = from; i < n && i - from < capacity; i++)
        out[i - from] = list->rows[i];
    pthread_mutex_unlock(&list->mutex);
    return n;
}
