/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/long_settings.h"

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

struct cached_text {
    char key[TEXT_CACHE_KEY];
    char *text;
};

struct text_cache {
    pthread_mutex_t lock;
    char *folder;                        /* or NULL */
    struct cached_text texts[IN_MEMORY]; /* the most recently used first */
};

struct text_cache *text_cache_new(const char *folder)
{
    struct text_cache *cache = weft_zalloc(1, sizeof *cache);
    pthread_mutex_init(&cache->lock, NULL);
    if (folder)
        mkdir(folder, 0700); /* if it fails, writing a file fails, too, and tells why */
    cache->folder = folder ? weft_strdup(folder) : NULL;
    return cache;
}

void text_cache_free(struct text_cache *cache)
{
    if (!cache)
        return;
    for (size_t i = 0; i < IN_MEMORY; i++)
        free(cache->texts[i].text);
    pthread_mutex_destroy(&cache->lock);
    free(cache->folder);
    free(cache);
}

bool text_cache_is_key(const char *text)
{
    return text[0] == '@' && strlen(text) == TEXT_CACHE_KEY - 1
           && strspn(text + 1, "0123456789abcdef") == TEXT_CACHE_KEY - 2;
}

static void key_of(const char *text, size_t size, char key[TEXT_CACHE_KEY])
{
    XXH128_hash_t hash = XXH3_128bits(text, size);
    snprintf(key, TEXT_CACHE_KEY, "@%016llx%016llx", (unsigned long long)hash.high64,
             (unsigned long long)hash.low64);
}

static char *path_of(const struct text_cache *cache, const char *key)
{
    return weft_asprintf("%s/%s", cache->folder, key + 1);
}

/* With the lock held: puts a text first in memory; takes ownership of it. */
static void remember(struct text_cache *cache, const char *key, char *text)
{
    free(cache->texts[IN_MEMORY - 1].text);
    memmove(cache->texts + 1, cache->texts, (IN_MEMORY - 1) * sizeof *cache->texts);
    memcpy(cache->texts[0].key, key, TEXT_CACHE_KEY);
    cache->texts[0].text = text;
}

/* With the lock held: takes a text out of memory; NULL if it is not there. */
static char *take(struct text_cache *cache, const char *key)
{
    for (size_t i = 0; i < IN_MEMORY; i++)
        if (cache->texts[i].text && strcmp(cache->texts[i].key, key) == 0) {
            char *text = cache->texts[i].text;
            memmove(cache->texts + i, cache->texts + i + 1,
                    (IN_MEMORY - 1 - i) * sizeof *cache->texts);
            cache->texts[IN_MEMORY - 1].text = NULL;
            return text;
        }
    return NULL;
}

/* With the lock held: removes the least recently used files beyond TEXT_CACHE_MAX. */
static void tidy(const struct text_cache *cache)
{
    for (size_t n = TEXT_CACHE_MAX + 1; n > TEXT_CACHE_MAX;) {
        char *oldest = NULL;
        struct timespec time = { 0 };
        DIR *dir = opendir(cache->folder);
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
        if (n > TEXT_CACHE_MAX && unlinkat(dirfd(dir), oldest, 0) != 0)
            n = 0;
        if (dir)
            closedir(dir);
        free(oldest);
    }
}

static bool write_text(const struct text_cache *cache, const char *key, const char *text,
                       struct weft_err *err)
{
    struct weft_output out;
    char *path = path_of(cache, key);
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
        tidy(cache);
    return ok;
}

bool text_cache_put(struct text_cache *cache, const char *text, char key[TEXT_CACHE_KEY],
                    struct weft_err *err)
{
    key_of(text, strlen(text), key);
    pthread_mutex_lock(&cache->lock);
    char *old = take(cache, key);
    remember(cache, key, old ? old : weft_strdup(text));
    bool ok = !cache->folder || write_text(cache, key, text, err);
    pthread_mutex_unlock(&cache->lock);
    return ok;
}

/* With the lock held: reads the text of a key from its file.  A damaged text would be
   another set: it counts as missing. */
static char *read_text(const struct text_cache *cache, const char *key)
{
    struct weft_mapping map;
    char *path = path_of(cache, key), *text = NULL;
    if (weft_map_file(&map, path, NULL)) {
        char found[TEXT_CACHE_KEY] = "";
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

const char *text_cache_get(struct text_cache *cache, const char *key,
                           struct weft_arena *arena)
{
    const char *copy = NULL;
    if (!text_cache_is_key(key)) /* the key becomes part of a file name */
        return NULL;
    pthread_mutex_lock(&cache->lock);
    char *text = take(cache, key);
    if (!text && cache->folder)
        text = read_text(cache, key);
    if (text) {
        copy = weft_arena_strdup(arena, text);
        remember(cache, key, text);
    }
    pthread_mutex_unlock(&cache->lock);
    return copy;
}
