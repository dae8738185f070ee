/* SPDX-License-Identifier: Apache-2.0 */
/* The recorder's variables, and the name of the program.  Uses no heap and no TLS. */
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "format/sanitizer_library_names.h"
#include "record/core/system.h"
#include "record/maps/readable_memory.h"
#include "record/process/child_environment.h"
#include "record/process/process.h"
#include "record/process/seccomp_filters.h"

#define PRELOAD "LD_PRELOAD="
#define FOLDER  WEFT_RECORD_DIR_VARIABLE "="
#define LOG     WEFT_RECORD_LOG_VARIABLE "="

enum { PRELOAD_MAX = 2048 }; /* bytes of the paths of our libraries; usually about 200 */

static struct {
    char preload[sizeof PRELOAD + PRELOAD_MAX]; /* the entry with our libraries only */
    char first[sizeof PRELOAD + PRELOAD_MAX];   /* the first of them; all share a folder */
    char folder[sizeof FOLDER + WEFT_PATH_MAX];
} ours;

/* Returns true if the path of SIZE bytes is one of the recorder's libraries. */
static bool is_ours(const char *path, size_t size)
{
    const char *name = path;

    for (size_t i = 0; i < size; i++)
        if (path[i] == '/')
            name = path + i + 1;
    size -= (size_t)(name - path);
    return size > strlen(WEFT_LIBRARY_PREFIX)
           && memcmp(name, WEFT_LIBRARY_PREFIX, strlen(WEFT_LIBRARY_PREFIX)) == 0;
}

static void note_preload(const char *list)
{
    char *to = weft_text_copy(ours.preload, PRELOAD);

    for (const char *at = list; *at;) {
        size_t size = strcspn(at, " :");
        if (size > 0 && is_ours(at, size)) {
            if (to + 1 + size >= ours.preload + sizeof ours.preload) {
                ours.preload[strlen(PRELOAD)] = 0; /* too long: use none */
                return;
            }
            if (to != ours.preload + strlen(PRELOAD))
                *to++ = ':';
            else
                memcpy(ours.first, at, size);
            memcpy(to, at, size);
            to += size;
        }
        at += size + (at[size] != 0);
    }
    *to = 0;
}

void weft_programs_start(void)
{
    const char *preload = weft_variable("LD_PRELOAD");
    const char *folder = weft_variable(WEFT_RECORD_DIR_VARIABLE);

    if (preload && folder && *folder && strlen(folder) < WEFT_PATH_MAX) {
        note_preload(preload);
        weft_text_copy(weft_text_copy(ours.folder, FOLDER), folder);
    }
}

static bool is_named(const char *entry, const char *name)
{
    return strncmp(entry, name, strlen(name)) == 0;
}

/* Returns true if a list has our libraries.  They always come together, the core first. */
static bool has_ours(const char *list)
{
    for (; *list; list += strcspn(list, " :")) {
        list += strspn(list, " :");
        if (is_ours(list, strcspn(list, " :")))
            return true;
    }
    return false;
}

/* Note what ENTRY of the environment has; returns false if the program opts out. */
static bool look_at(const char *entry, struct weft_lacking *lacking)
{
    if (is_named(entry, PRELOAD)) {
        lacking->others = entry + strlen(PRELOAD);
        if (has_ours(lacking->others))
            lacking->others = NULL;
    } else if (is_named(entry, FOLDER)) {
        if (entry[strlen(FOLDER)] == 0)
            return false;
        lacking->folder = false;
        if (strcmp(entry, ours.folder) != 0) { /* another recording has its own logs */
            lacking->handover.log = false;
            lacking->handover.entry[0] = 0;
        }
    } else if (strcmp(entry, lacking->handover.entry) == 0) {
        lacking->handover.entry[0] = 0;
    }
    return true;
}

bool weft_programs_lacks(char *const *environment, bool may_ask,
                         struct weft_lacking *lacking)
{
    lacking->entries = lacking->preload_size = 0;
    lacking->others = "";
    lacking->preload = NULL;
    lacking->folder = true;
    lacking->withheld = false;
    weft_handover_make(&lacking->handover, may_ask);
    if (ours.folder[0] == 0 || ours.preload[strlen(PRELOAD)] == 0)
        return false;
    if (!weft_readable_texts(environment)) {
        lacking->handover.log = false;
        return false;
    }
    for (; environment && environment[lacking->entries]; lacking->entries++)
        if (!look_at(environment[lacking->entries], lacking)) {
            lacking->handover.log = false;
            return false;
        }
    if (lacking->others && *lacking->others)
        lacking->preload_size = strlen(ours.preload) + 1 + strlen(lacking->others) + 1;
    else
        lacking->preload = ours.preload;
    return lacking->others || lacking->folder || lacking->handover.entry[0];
}

bool weft_programs_sanitize(char *const *environment)
{
    for (; environment && *environment; environment++)
        if (is_named(*environment, PRELOAD) && weft_names_sanitizer(*environment))
            return true;
    return false;
}

bool weft_programs_can_load(void)
{
    return ours.first[0] == 0 || !weft_sandbox_allows(WEFT_NEED_HANDOVER)
           || weft_sys_may_read(ours.first);
}

bool weft_programs_withhold(char *const *environment, struct weft_lacking *lacking)
{
    *lacking = (struct weft_lacking){ 0 };
    for (; environment && environment[lacking->entries]; lacking->entries++) {
        const char *entry = environment[lacking->entries];
        if (is_named(entry, PRELOAD) && has_ours(entry + strlen(PRELOAD))) {
            lacking->withheld = true;
            lacking->preload_size += strlen(entry) + 1;
        }
    }
    return lacking->withheld;
}

/* Copy ENTRY without our libraries; returns its end, TEXT if no library is left. */
static char *copy_others(char *text, const char *entry)
{
    char *first = weft_text_copy(text, PRELOAD), *to = first;

    for (const char *at = entry + strlen(PRELOAD); *at;) {
        size_t size = strcspn(at, " :");
        if (size > 0 && !is_ours(at, size)) {
            if (to != first)
                *to++ = ':';
            memcpy(to, at, size);
            to += size;
        }
        at += size + (at[size] != 0);
    }
    *to = 0;
    return to == first ? text : to + 1;
}

static void complete_without_ours(char *const *environment, char **to, char *text)
{
    for (; environment && *environment; environment++) {
        char *entry = *environment, *end = text;
        if (is_named(entry, PRELOAD) && has_ours(entry + strlen(PRELOAD))) {
            end = copy_others(text, entry);
            entry = end == text ? NULL : text;
        }
        if (entry)
            *to++ = entry;
        text = end;
    }
    *to = NULL;
}

static void complete_with_ours(char *const *environment, const struct weft_lacking *lacking,
                               char **to, char *text)
{
    const char *handover = lacking->handover.entry;

    for (; environment && *environment; environment++)
        if (!(lacking->others && is_named(*environment, PRELOAD))
            && !(*handover && is_named(*environment, LOG)))
            *to++ = *environment;
    if (lacking->others && lacking->preload) {
        *to++ = (char *)lacking->preload;
    } else if (lacking->others) {
        *to++ = text;
        weft_text_copy(weft_text_copy(weft_text_copy(text, ours.preload), ":"),
                       lacking->others);
    }
    if (lacking->folder)
        *to++ = ours.folder;
    if (*handover) {
        *to++ = text + lacking->preload_size;
        weft_text_copy(text + lacking->preload_size, handover);
    }
    *to = NULL;
}

void weft_programs_complete(char *const *environment, const struct weft_lacking *lacking,
                            char **to, char *text)
{
    if (lacking->withheld)
        complete_without_ours(environment, to, text);
    else
        complete_with_ours(environment, lacking, to, text);
}

/* Copy the last component of PATH. */
static void copy_name(char *to, const char *path, uint32_t size)
{
    const char *slash = strrchr(path, '/');
    uint32_t n = 0;

    for (path = slash && slash[1] ? slash + 1 : path; path[n] && n < size - 1; n++)
        to[n] = path[n];
    to[n] = 0;
}

void weft_programs_name(char *to, uint32_t size)
{
    const char *path = (const char *)getauxval(AT_EXECFN);
    char file[WEFT_PATH_MAX];

    /* Executed by a descriptor: that path says nothing, so use the link to the file. */
    if (!path || is_named(path, "/proc/") || is_named(path, "/dev/fd/"))
        path = weft_sys_read_link("/proc/self/exe", file, sizeof file) > 0 ? file : "";
    copy_name(to, path, size);
}
