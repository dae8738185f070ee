/* SPDX-License-Identifier: Apache-2.0 */
/* The export of references to arrays in weft convert. */
#include "write/export.h"

#include "cli/command.h"
#include "domains/arrays/write/ddv.h"

extern const struct weft_export weft_export_ddv;

/* Finds the array NAME, or the first one if NAME is NULL. */
static bool find_array(const struct weft_profile *profile, const char *name, uint32_t *out,
                       struct weft_err *err)
{
    *out = name ? weft_profile_array_named(profile, name) : 0;
    if (*out < weft_profile_arrays(profile))
        return true;
    return weft_fail(err, WEFT_ERR_USAGE, "there is no array \"%s\" (weft info says which)",
                     name ? name : "");
}

static bool write_references(const struct weft_source *source, FILE *stream,
                             const struct weft_arguments *arguments, char **losses,
                             struct weft_job *job, struct weft_err *err)
{
    const char *distribution = weft_option_value(arguments, "distribution");
    struct weft_profile *profile = weft_profile_open(source, job, err);
    struct weft_distributions *distributions = NULL;
    uint32_t array;
    bool ok =
        profile && find_array(profile, weft_option_value(arguments, "array"), &array, err);
    (void)losses;
    if (ok && distribution) {
        distributions = weft_distributions_read(distribution, profile, err);
        ok = distributions != NULL;
    } else if (ok && !weft_profile_as_found(profile)) {
        ok = weft_fail(err, WEFT_ERR_USAGE,
                       "how is the array distributed?  --distribution FILE says it");
    }
    if (ok) {
        const struct weft_count_query query = { .profile = profile,
                                                .distributions = distributions,
                                                .after_step = weft_profile_steps(profile) };
        ok = weft_write_ddv(&query, array, weft_option_given(arguments, "requesters"),
                            stream, job, err);
    }
    weft_distributions_free(distributions);
    weft_profile_close(profile);
    return ok;
}

static const char *const endings[] = { ".ddv", NULL };
static const struct weft_option options[] = {
    { "distribution", 0, "FILE", false, "ddv: how arrays lie (directives, or a map)" },
    { "array", 0, "NAME", false, "ddv: whose references (the first array)" },
    { "requesters", 0, NULL, false,
      "ddv: with the processor that asked, two more columns" },
};

const struct weft_export weft_export_ddv = {
    .name = "ddv",
    .endings = endings,
    .files = ";\nof arrays FILE.ddv (a line a reference)",
    .sentence =
        "References to\nan array become a line each: time, row and column of the owner, of "
        "the element, read or\nwrite, local or remote.",
    .alone = "the references to one array",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .options_are_for = "--array, --distribution and --requesters are for FILE.ddv",
    .reads = "distribution",
    .write = write_references,
};
