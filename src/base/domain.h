/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Domains: the subjects that Weft can show.  Each is a folder in src/domains with one
 * struct weft_domain, which holds all that the rest of Weft uses of it.  The core (every
 * other folder) knows no subject: where a picture or a command depends on one, it asks each
 * domain in turn. -Ddomains=threads,messages builds Weft with these two alone.
 */
#ifndef WEFT_BASE_DOMAIN_H
#define WEFT_BASE_DOMAIN_H

#include <stddef.h>

/*
 * A domain: what the rest of Weft uses of one subject.  Lists end with NULL; a list that is
 * NULL is empty.
 */
struct weft_domain {
    const char *name;                         /* that of its folder in src/domains */
    const struct weft_view *const *views;     /* view/view.h, in the order of weft views */
    const struct weft_reader *const *readers; /* read/reader.h */
    const struct weft_recorder *const *recorders; /* read/recording/recorder_registry.h */
    const struct weft_export *const *exports;     /* write/export.h */
    const struct weft_command *const *commands;   /* cli/command.h, in the order of help */

    /* ---- All of these may be NULL. ---- */

    /* tells for whose message a call waited (analyse/awaited_processor.h) */
    const struct weft_wait_partners *wait_partners;
    const struct weft_release_finder *releases; /* tells what let a wait end (analyse/) */
    /* what it tells to views that are not its own (view/domain_answers.h) */
    const struct weft_answers *answers;
    const struct weft_info *info; /* its part in weft info (cli/info_hooks.h) */
    /* its part in weft recover (cli/recover_hooks.h) */
    const struct weft_recovery *recovery;
};

/*
 * weft_domains: the domains that were built in, in the order of src/domains/meson.build;
 * weft_n_domains: their number.
 */
extern const struct weft_domain *const weft_domains[];
extern const size_t weft_n_domains;

/*
 * Returns element INDEX, from 0, of a sequence: CORE (a list that ends with NULL; or NULL:
 * empty), then one list of each domain, such as its views, in the order of weft_domains;
 * NULL if the sequence has no such element.  LIST is the offset in bytes (offsetof) of the
 * domains' list in struct weft_domain.
 */
const void *weft_domain_element(const void *const *core, size_t list, size_t index);

#endif
