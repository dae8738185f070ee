/* SPDX-License-Identifier: Apache-2.0 */
#include "read/roles/user_maps.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "read/roles/builtin_role_tables.h"
#include "read/roles/rules.h"

static char *folder(void)
{
    const char *xdg = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    if (xdg && *xdg == '/')
        return weft_asprintf("%s/weft/maps", xdg);
    if (home && *home == '/')
        return weft_asprintf("%s/.config/weft/maps", home);
    return NULL;
}

/* The name of a format or tool comes from a trace: accept no path in it. */
static bool is_plain(const char *name)
{
    return name[0]
           && strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-_") == strlen(name);
}

static const char *tool_of(const struct weft_schema *schema)
{
    for (uint32_t i = 0; i < schema->n_notes; i++)
        if (strcmp(schema->notes[i].key, WEFT_NOTE_TOOL) == 0
            && is_plain(schema->notes[i].text))
            return schema->notes[i].text;
    return NULL;
}

bool weft_maps_any(void)
{
    static const char end[] = ".roles";
    char *in = folder();
    DIR *directory = in ? opendir(in) : NULL;
    struct dirent *entry;
    bool any = false;
    while (directory && !any && (entry = readdir(directory))) {
        size_t length = strlen(entry->d_name);
        any = length >= sizeof end
              && strcmp(entry->d_name + length + 1 - sizeof end, end) == 0;
    }
    if (directory)
        closedir(directory);
    free(in);
    return any;
}

char *weft_maps_path(const struct weft_schema *schema, struct weft_err *err)
{
    const char *tool = tool_of(schema);
    if (!is_plain(schema->format)) {
        weft_fail(err, WEFT_ERR_FORMAT,
                  "the trace does not say what format it was read from");
        return NULL;
    }
    char *in = folder();
    if (!in) {
        weft_fail(err, WEFT_ERR_WRITE,
                  "there is no folder to keep maps in (set HOME or XDG_CONFIG_HOME)");
        return NULL;
    }
    char *path = weft_asprintf("%s/%s%s%s.roles", in, schema->format, tool ? "-" : "",
                               tool ? tool : "");
    free(in);
    return path;
}

static void lay_over(struct weft_trace *trace, const struct weft_rules *rules,
                     const char *path, const struct weft_job *job)
{
    const struct weft_schema *schema = weft_trace_schema(trace);
    struct weft_roles roles;
    weft_roles_init(&roles, schema);
    weft_rules_apply(&rules, 1, schema, true, &roles, NULL, job);
    weft_trace_set_roles(trace, &(struct weft_trace_roles){ roles.types, roles.values,
                                                            roles.fields, roles.containers,
                                                            path });
    weft_roles_free(&roles);
}

static bool fits(const struct weft_rules *rules, const struct weft_trace *trace,
                 const char *path, const struct weft_job *job, struct weft_err *err)
{
    uint32_t line;
    return weft_rules_fit(rules, weft_trace_schema(trace), &line, job)
           || weft_fail_at(err, WEFT_ERR_FORMAT, path, line,
                           "the trace has nothing of what is needed here");
}

bool weft_maps_apply(struct weft_trace *trace, const char *path, bool *applied,
                     struct weft_job *job, struct weft_err *err)
{
    char *kept = path ? NULL : weft_maps_path(weft_trace_schema(trace), NULL);
    const char *file = path ? path : kept;
    bool ok = true, meant = false;
    if ((path && *path) || (kept && access(kept, F_OK) == 0)) {
        struct weft_rules *rules = weft_rules_read(file, err);
        meant = rules && fits(rules, trace, file, job, path ? err : NULL);
        ok = rules && (meant || !path);
        if (meant)
            lay_over(trace, rules, file, job);
        weft_rules_free(rules);
        ok = ok && weft_job_step(job, 1, 1, err); /* not all things have got their roles */
    }
    if (applied)
        *applied = meant;
    free(kept);
    return ok;
}

static bool make_folders(const char *path, struct weft_err *err)
{
    char *copy = weft_strdup(path);
    bool ok = true;
    for (char *at = strchr(copy + 1, '/'); ok && at; at = strchr(at + 1, '/')) {
        *at = '\0';
        ok = mkdir(copy, 0700) == 0 || errno == EEXIST;
        *at = '/';
    }
    if (!ok)
        weft_fail_errno(err, WEFT_ERR_WRITE, "cannot make the folder of \"%s\"", path);
    free(copy);
    return ok;
}

static bool copy_to(const char *from, const char *to, struct weft_err *err)
{
    struct weft_mapping map;
    struct weft_output out;
    if (!weft_map_file(&map, from, err))
        return false;
    bool ok = make_folders(to, err) && weft_output_open(&out, to, err);
    if (ok) {
        fwrite(map.data, 1, map.size, out.stream);
        ok = weft_output_commit(&out, err); /* fails if a write failed */
    }
    weft_unmap(&map);
    return ok;
}

bool weft_maps_keep(const struct weft_trace *trace, const char *file, struct weft_err *err)
{
    struct weft_rules *rules = weft_rules_read(file, err);
    bool ok = rules && fits(rules, trace, file, NULL, err);
    weft_rules_free(rules);
    char *path = ok ? weft_maps_path(weft_trace_schema(trace), err) : NULL;
    ok = path && copy_to(file, path, err);
    free(path);
    return ok;
}
