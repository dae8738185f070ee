/* SPDX-License-Identifier: Apache-2.0 */
/* Attaches the hooks, and the calls that begin and end MPI. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "domains/messages/record/mpi_hook_macros.h"

struct weft_mpi_functions weft_mpi;
bool weft_mpi_cancels;
const char *weft_mpi_version;
bool weft_mpi_has_world;

/* Bounds of the section of hooks, set by the linker. */
extern WEFT_HIDDEN struct weft_mpi_row __start_weft_mpi_hooks[], __stop_weft_mpi_hooks[];

/* In the order of struct weft_mpi_functions. */
static const char *const function_names[] = {
    "PMPI_Type_size_x",
    "PMPI_Get_elements_x",
    "PMPI_Test_cancelled",
    "PMPI_Error_class",
    "PMPI_Comm_rank",
    "PMPI_Comm_size",
    "PMPI_Comm_group",
    "PMPI_Comm_remote_group",
    "PMPI_Comm_remote_size",
    "PMPI_Comm_test_inter",
    "PMPI_Group_size",
    "PMPI_Group_translate_ranks",
    "PMPI_Group_free",
    "PMPI_Topo_test",
    "PMPI_Cartdim_get",
    "PMPI_Cart_shift",
    "PMPI_Graph_neighbors_count",
    "PMPI_Graph_neighbors",
    "PMPI_Dist_graph_neighbors_count",
    "PMPI_Dist_graph_neighbors",
    "PMPI_Send",
    "PMPI_Recv",
    "PMPI_Comm_split",
    "PMPI_Comm_get_parent",
};
enum { FUNCTIONS = sizeof function_names / sizeof *function_names };
_Static_assert(sizeof weft_mpi == FUNCTIONS * sizeof(void *), "one name for each function");

static const struct weft_record_family family = {
    .number = WEFT_FAMILY_MPI,
    .core_size = sizeof(struct weft_record_core),
};

/* Not recorded.  It counts as a call, so that calls MPI makes for it are nested. */
static void synchronize(void)
{
    WEFT_MPI_IN_CALL;

    if (!weft_mpi_has_world || weft_mpi_is_nested(&in_call))
        return;
    weft_mpi_align_clocks();
    weft_mpi_inside = 0;
}

WEFT_EXPORT weft_mpi_attach_function weft_mpi_attach_v1;
bool weft_mpi_attach_v1(void *library, const char *version, void **hooks)
{
    void *functions[FUNCTIONS];

    /* The hooks for one implementation cannot read the other's handles. */
#ifdef OPEN_MPI
    bool same = strncmp(version, "Open MPI", strlen("Open MPI")) == 0;
#else
    bool same = dlsym(library, "ompi_mpi_comm_world") == NULL;
#endif
    for (int i = 0; i < FUNCTIONS && same; i++) {
        functions[i] = dlsym(library, function_names[i]);
        same = functions[i] != NULL;
    }
    if (!same || !CORE.join(&family))
        return false;
    memcpy(&weft_mpi, functions, sizeof functions);
    weft_mpi_version = version;
    weft_mpi_synchronize = synchronize;
    for (struct weft_mpi_row *row = __start_weft_mpi_hooks; row < __stop_weft_mpi_hooks;
         row++) {
        row->function = dlsym(library, row->name);
        if (row->function)
            hooks[row->number] = row->hook;
    }
    return true;
}

/*
 * Returns a hash of the launcher's name of the run, which tells apart the runs in one
 * recording; 0 if the environment has none.
 */
static uint64_t identity_of_run(void)
{
    static const char *const variables[] = { "PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid",
                                             "PMI_JOBID", "SLURM_STEP_ID" };
    const uint64_t prime = UINT64_C(0x100000001b3); /* Fowler, Noll and Vo's */
    uint64_t hash = 0;

    for (size_t i = 0; i < sizeof variables / sizeof *variables && hash == 0; i++) {
        const char *text = getenv(variables[i]);
        for (; text && *text; text++)
            hash = (hash ^ (unsigned char)*text) * prime;
    }
    return hash;
}

static void begin_rank(uint64_t ticks)
{
    int rank = 0, size = 0;
    uint64_t words[4];

    if (weft_mpi.comm_rank(MPI_COMM_WORLD, &rank) != MPI_SUCCESS
        || weft_mpi.comm_size(MPI_COMM_WORLD, &size) != MPI_SUCCESS)
        return;
    words[0] = (uint64_t)(uint32_t)rank << 32 | (uint32_t)size;
    words[1] = identity_of_run();
    words[2] = WEFT_MPI_HANDLE(MPI_COMM_WORLD);
    words[3] = WEFT_MPI_HANDLE(MPI_COMM_SELF);
    CORE.log_text(ticks, WEFT_RECORD_MPI_RANK, words, 4, weft_mpi_version);
}

/* A run that was spawned has an intercommunicator with its parents from the beginning. */
static void begin_with_parent(uint64_t ticks)
{
    MPI_Comm parent = MPI_COMM_NULL;

    if (weft_mpi.comm_get_parent(&parent) == MPI_SUCCESS && parent != MPI_COMM_NULL)
        weft_mpi_new_communicator(ticks, WEFT_MPI_OF_GROUPS | WEFT_MPI_ANSWERED, parent,
                                  MPI_COMM_WORLD);
}

static int initialized(int result)
{
    if (result == MPI_SUCCESS) {
        weft_mpi_has_world = true;
        begin_rank(weft_ticks());
        begin_with_parent(weft_ticks());
        weft_mpi_align_clocks();
    }
    return weft_mpi_return(weft_ticks(), result);
}

WEFT_MPI_HOOK(Init, int *argc, char ***argv)
{
    WEFT_MPI_IN_CALL;

    if (weft_mpi_is_nested(&in_call))
        return WEFT_MPI_REAL(Init)(argc, argv);
    WEFT_MPI_ENTER(WEFT_RECORD_MPI_CALL, Init);
    return initialized(WEFT_MPI_REAL(Init)(argc, argv));
}

WEFT_MPI_HOOK(Init_thread, int *argc, char ***argv, int required, int *provided)
{
    WEFT_MPI_IN_CALL;

    if (weft_mpi_is_nested(&in_call))
        return WEFT_MPI_REAL(Init_thread)(argc, argv, required, provided);
    WEFT_MPI_ENTER(WEFT_RECORD_MPI_CALL, Init_thread);
    return initialized(WEFT_MPI_REAL(Init_thread)(argc, argv, required, provided));
}

WEFT_MPI_HOOK(Finalize, void)
{
    int result;

    /* MPI itself never calls this, so a call that seems to go on was left. */
    if (weft_mpi_inside != 0)
        weft_mpi_left(weft_mpi_passed);
    WEFT_MPI_IN_CALL;
    if (weft_mpi_is_nested(&in_call))
        return WEFT_MPI_REAL(Finalize)();
    WEFT_MPI_ENTER(WEFT_RECORD_MPI_CALL, Finalize);
    if (weft_mpi_has_world)
        weft_mpi_align_clocks();
    weft_mpi_has_world = false;
    result = WEFT_MPI_REAL(Finalize)();
    return weft_mpi_return(weft_ticks(), result);
}

/*
 * The standard defines levels for profiling: 0 off, 1 on, 2 on with buffers flushed, which
 * Weft's records always are.  MPI itself does nothing.
 */
WEFT_MPI_HOOK(Pcontrol, const int level, ...)
{
    int result;
    WEFT_MPI_IN_CALL;

    if (weft_mpi_is_nested(&in_call))
        return WEFT_MPI_REAL(Pcontrol)(level);
    WEFT_MPI_ENTER(WEFT_RECORD_MPI_CALL, Pcontrol);
    result = weft_mpi_has_world ? WEFT_MPI_REAL(Pcontrol)(level) : MPI_SUCCESS;
    if (level >= 0 && level <= 2)
        weft_log_put(weft_log_get(), weft_ticks(), WEFT_RECORD_MPI_SHOWN, level > 0);
    return weft_mpi_return(weft_ticks(), result);
}

WEFT_MPI_PLAIN(Abort, (MPI_Comm comm, int code), (comm, code))

#if MPI_VERSION >= 4
WEFT_MPI_PLAIN(Session_init, (MPI_Info info, MPI_Errhandler handler, MPI_Session *session),
               (info, handler, session))
WEFT_MPI_PLAIN(Session_finalize, (MPI_Session * session), (session))
#endif
