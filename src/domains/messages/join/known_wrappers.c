/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that call MPI for the program: those that bind it to Fortran. */
#include "domains/messages/join/mpi_join.h"

#include <ctype.h>
#include <string.h>

/*
 * The names of a call's functions in Open MPI and MPICH.  Compilers of Fortran write names
 * in small or capital letters, and append underscores.
 */
static const char *const forms[] = {
    "mpi_%s_",     "mpi_%s__",    "mpi_%s",        "MPI_%S",         "mpi_%s_f",
    "mpi_%s_f08",  "mpi_%s_f08_", "mpi_%s_f08ts_", "ompi_%s_f",      "pmpi_%s_",
    "pmpi_%s__",   "pmpi_%s",     "PMPI_%S",       "pmpi_%s_f08_",   "pmpi_%s_f08ts_",
    "MPI_%M",      "PMPI_%M",     "MPI_%M_f",      "PMPI_%M_f",      "MPI_%M_f08",
    "PMPI_%M_f08", "pompi_%s_f",  "MPIR_%M_cdesc", "PMPIR_%M_cdesc",
};

/* Returns FORM with the call's NAME in place of %s (small), %S (capitals) or %M. */
static const char *fill(struct weft_arena *arena, const char *form, const char *name)
{
    const char *at = strchr(form, '%');
    char *text = weft_arena_strdup(arena, name);

    for (char *c = text; *c && at[1] != 'M'; c++)
        *c = (char)(at[1] == 's' ? tolower((unsigned char)*c) : toupper((unsigned char)*c));
    return weft_arena_printf(arena, "%.*s%s%s", (int)(at - form), form, text, at + 2);
}

void mpi_know_wrappers(struct join *join)
{
    enum { FORMS = sizeof forms / sizeof *forms, PREFIX = 4 }; /* "MPI_" */
    static const struct sites_wrapper libraries[] = {
        { "libmpi_mpifh", .library = true },
        { "libmpi_usempi", .library = true },
        { "libmpichf", .library = true },
        { "libmpifort", .library = true },
    };
    struct sites_wrapper *table =
        weft_arena_zalloc(&join->arena, FORMS * WEFT_MPI_N_CALLS, sizeof *table);
    size_t n = 0;

    for (uint32_t i = 0; i < WEFT_MPI_N_CALLS; i++)
        for (uint32_t j = 0; j < FORMS; j++)
            table[n++].name = fill(&join->arena, forms[j], mpi_calls[i].name + PREFIX);
    sites_know_wrappers(join->sites, table, n);
    sites_know_wrappers(join->sites, libraries, sizeof libraries / sizeof *libraries);
}
