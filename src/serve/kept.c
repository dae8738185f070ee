/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/kept.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/file.h"
#include "serve/request_limits.h"

enum { IN_MEMORY = 16 }; /* texts: those of the open panels */

struct kept_text {
    char key[KEPT_KEY];
    char *text;
};

struct kept {
    pthread_mutex_t lock;
    char *folder;                      /* or NULL */
    struct kept_text texts[IN_MEMORY]; /* the most recently used first */
};

struct kept *kept_new(const char *folder)
{
    struct kept *kept = weft_zalloc(1, sizeof *kept);
    pthread_mutex_init(&kept->lock, NULL);
    if (folder)
        mkdir(folder, 0700); /* if it fails, writing a file fails, too, and tells why */
    kept->folder = folder ? weft_strdup(folder) : NULL;
    return kept;
}

void kept_free(struct kept *kept)
{
    if (!kept)
        return;
    for (size_t i = 0; i < IN_MEMORY; i++)
        free(kept->texts[i].text);
    pthread_mutex_destroy(&kept->lock);
    free(kept->folder);
    free(kept);
}

bool kept_is_key(const char *text)
{
    return text[0] == '@' && strlen(text) == KEPT_KEY - 1
           && strspn(text + 1, "0123456789abcdef") == KEPT_KEY - 2;
}

static void key_of(const char *text, size_t size, char key[KEPT_KEY])
{
    XXH128_hash_t hash = XXH3_128bits(text, size);
    snprintf(key, KEPT_KEY, "@%016llx%016llx", (unsigned long long)hash.high64,
             (unsigned long long)hash.low64);
}

static char *path_of(const struct kept *kept, const char *key)
{
    return weft_asprintf("%s/%s", kept->folder, key + 1);
}

/* With the lock held: puts a text first in memory; takes ownership of it. */
static void remember(struct kept *kept, const char *key, char *text)
{
    free(kept->texts[IN_MEMORY - 1].text);
    memmove(kept->texts + 1, kept->texts, (IN_MEMORY - 1) * sizeof *kept->texts);
    memcpy(kept->texts[0].key, key, KEPT_KEY);
    kept->texts[0].text = text;
}

/* With the lock held: takes a text out of memory; NULL if it is not there. */
static char *take(struct kept *kept, const char *key)
{
    for (size_t i = 0; i < IN_MEMORY; i++)
        if (kept->texts[i].text && strcmp(kept->texts[i].key, key) == 0) {
            char *text = kept->texts[i].text;
            memmove(kept->texts + i, kept->texts + i + 1,
                    (IN_MEMORY - 1 - i) * sizeof *kept->texts);
            kept->texts[IN_MEMORY - 1].text = NULL;
            return text;
        }
    return NULL;
}

/* With the lock held: removes the least recently used files beyond KEPT_MAX. */
static void tidy(const struct kept *kept)
{
    for (size_t n = KEPT_MAX + 1; n > KEPT_MAX;) {
        char *oldest = NULL;
        struct timespec time = { 0 };
        DIR *dir = opendir(kept->folder);
        n = 0;
        for (struct dirent *e; dir && (e = readdir(dir));) {
            struct stat st;
            if (e->d_name[0] == '.' || fstatat(dirfd(dir), e->d_name, &st, 0) != 0)
                continue;
            n++;
            bool older =
                !oldest || st.st_mtim.tv_sec < time.tv_sec
                || (st.st_mtim.tv_sec == time.tv_sec && st.st_mtim.tv_nsec < time.tv_nsec);
            if (!older)
                continue;
            free(oldest);
            oldest = weft_strdup(e->d_name);
            time = st.st_mtim;
        }
        if (n > KEPT_MAX && unlinkat(dirfd(dir), oldest, 0) != 0)
            n = 0;
        if (dir)
            closedir(dir);
        free(oldest);
    }
}

static bool write_text(const struct kept *kept, const char *key, const char *text,
                       struct weft_err *err)
{
    struct weft_output out;
    char *path = path_of(kept, key);
    struct stat st;
    /* Writing to a pipe would wait for a reader, with the lock held. */
    if (lstat(path, &st) == 0 && !S_ISREG(st.st_mode))
        unlink(path);
    bool ok = weft_output_open(&out, path, err);
    if (ok) {
        (void)!fchmod(fileno(out.stream), 0600);
        fputs(text, out.stream); /* the commit checks for errors */
        ok = weft_output_commit(&out, err);
    }
    free(path);
    if (ok)
        tidy(kept);
    return ok;
}

bool kept_put(struct kept *kept, const char *text, char key[KEPT_KEY], struct weft_err *err)
{
    key_of(text, strlen(text), key);
    pthread_mutex_lock(&kept->lock);
    char *old = take(kept, key);
    remember(kept, key, old ? old : weft_strdup(text));
    bool ok = !kept->folder || write_text(kept, key, text, err);
    pthread_mutex_unlock(&kept->lock);
    return ok;
}

/* With the lock held: reads the text of a key from its file.  A damaged text would be
   another set: it counts as missing. */
static char *read_text(const struct kept *kept, const char *key)
{
    struct weft_mapping map;
    char *path = path_of(kept, key), *text = NULL;
    if (weft_map_file(&map, path, NULL)) {
        char found[KEPT_KEY] = "";
        if (map.size <= LIMIT_BODY)
            key_of((const char *)map.data, map.size, found);
        if (strcmp(found, key) == 0 && !memchr(map.data, 0, map.size))
            text = weft_strndup((const char *)map.data, map.size);
        weft_unmap(&map);
        (void)!utimensat(AT_FDCWD, path, NULL, 0); /* mark the file as used */
    }
    free(path);
    return text;
}

const char *kept_get(struct kept *kept, const char *key, struct weft_arena *arena)
{
    const char *copy = NULL;
    if (!kept_is_key(key)) /* the key becomes part of a file name */
        return NULL;
    pthread_mutex_lock(&kept->lock);
    char *text = take(kept, key);
    if (!text && kept->folder)
        text = read_text(kept, key);
    if (text) {
        copy = weft_arena_strdup(arena, text);
        remember(kept, key, text);
    }
    pthread_mutex_unlock(&kept->lock);
    return copy;
}
