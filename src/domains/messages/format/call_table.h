/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists the calls of MPI that are recorded, as macros that apply CALL to each: its name,
 * without MPI_, its role while it lasts (WEFT_ROLE_... without the prefix, as in
 * read/roles/mpi.roles), and what it begins:
 *
 * NONE                   nothing, or the operations that its records name
 * LATER                  a persistent request, which a start begins again and again
 * PARTS                  a partitioned persistent request; matches only such ones
 * ONE_TO_ALL ... PREFIX  a collective operation of this pattern
 * BARRIER                all to all, without data
 * NEIGHBORS              a neighbourhood collective
 * ..._LATER              a persistent request of such an operation
 * PUT, GET, EXCHANGE     a one-sided transfer to a rank, from it, or both
 *
 * The order is that of the standard's chapters.  The numbers (enum weft_mpi_call) may
 * change with each version of Weft.
 */
#ifndef WEFT_FORMAT_RECORDING_MPI_CALL_TABLE_H
#define WEFT_FORMAT_RECORDING_MPI_CALL_TABLE_H

/*
 * Applies CALL to the call MPI_NAME and to its form for large counts, MPI_NAME_c; both have
 * the same ROLE and BEGINS.
 */
#define WEFT_MPI_BOTH(CALL, name, role, begins)                                            \
 CALL(name, role, begins) CALL(name##_c, role, begins)

/*
 * Expands to CALL(name, role, begins) for each call that begins or ends MPI, and
 * MPI_Pcontrol: its name without "MPI_", its role while it lasts (WEFT_ROLE_... without the
 * prefix) and what it begins (MPI_BEGINS_... without the prefix).
 */
#define WEFT_MPI_CALLS_OF_ENVIRONMENT(CALL)                                                \
 CALL(Init, SETTING_UP, NONE)                                                              \
 CALL(Init_thread, SETTING_UP, NONE)                                                       \
 CALL(Finalize, SETTING_UP, NONE)                                                          \
 CALL(Session_init, SETTING_UP, NONE)                                                      \
 CALL(Session_finalize, SETTING_UP, NONE)                                                  \
 CALL(Abort, OVERHEAD, NONE)                                                               \
 CALL(Pcontrol, OVERHEAD, NONE)

/*
 * Expands to CALL(name, role, begins) for each call of point-to-point communication: its
 * name without "MPI_", its role while it lasts (WEFT_ROLE_... without the prefix) and what
 * it begins (MPI_BEGINS_... without the prefix).
 */
#define WEFT_MPI_CALLS_OF_MESSAGES(CALL)                                                   \
 WEFT_MPI_BOTH(CALL, Send, BLOCKING_SEND, NONE)                                            \
 WEFT_MPI_BOTH(CALL, Bsend, SENDING, NONE)                                                 \
 WEFT_MPI_BOTH(CALL, Ssend, BLOCKED_ON_RECEIVER, NONE)                                     \
 WEFT_MPI_BOTH(CALL, Rsend, BLOCKING_SEND, NONE)                                           \
 WEFT_MPI_BOTH(CALL, Isend, SENDING, NONE)                                                 \
 WEFT_MPI_BOTH(CALL, Ibsend, SENDING, NONE)                                                \
 WEFT_MPI_BOTH(CALL, Issend, SENDING, NONE)                                                \
 WEFT_MPI_BOTH(CALL, Irsend, SENDING, NONE)                                                \
 WEFT_MPI_BOTH(CALL, Recv, BLOCKED_ON_MESSAGE, NONE)                                       \
 WEFT_MPI_BOTH(CALL, Irecv, RECEIVING, NONE)                                               \
 WEFT_MPI_BOTH(CALL, Mrecv, BLOCKED_ON_MESSAGE, NONE)                                      \
 WEFT_MPI_BOTH(CALL, Imrecv, RECEIVING, NONE)                                              \
 WEFT_MPI_BOTH(CALL, Sendrecv, BLOCKED_ON_MESSAGE, NONE)                                   \
 WEFT_MPI_BOTH(CALL, Sendrecv_replace, BLOCKED_ON_MESSAGE, NONE)                           \
 WEFT_MPI_BOTH(CALL, Isendrecv, SENDING, NONE)                                             \
 WEFT_MPI_BOTH(CALL, Isendrecv_replace, SENDING, NONE)                                     \
 WEFT_MPI_BOTH(CALL, Send_init, SENDING, LATER)                                            \
 WEFT_MPI_BOTH(CALL, Bsend_init, SENDING, LATER)                                           \
 WEFT_MPI_BOTH(CALL, Ssend_init, SENDING, LATER)                                           \
 WEFT_MPI_BOTH(CALL, Rsend_init, SENDING, LATER)                                           \
 WEFT_MPI_BOTH(CALL, Recv_init, RECEIVING, LATER)                                          \
 CALL(Psend_init, SENDING, PARTS)                                                          \
 CALL(Precv_init, RECEIVING, PARTS)                                                        \
 CALL(Pready, SENDING, NONE)                                                               \
 CALL(Pready_range, SENDING, NONE)                                                         \
 CALL(Pready_list, SENDING, NONE)                                                          \
 CALL(Parrived, TESTING, NONE)                                                             \
 CALL(Probe, BLOCKED_ON_MESSAGE, NONE)                                                     \
 CALL(Iprobe, TESTING, NONE)                                                               \
 CALL(Mprobe, BLOCKED_ON_MESSAGE, NONE)                                                    \
 CALL(Improbe, TESTING, NONE)                                                              \
 CALL(Start, SENDING, NONE)                                                                \
 CALL(Startall, SENDING, NONE)                                                             \
 CALL(Wait, BLOCKED_ON_MESSAGE, NONE)                                                      \
 CALL(Waitany, BLOCKED_ON_MESSAGE, NONE)                                                   \
 CALL(Waitsome, BLOCKED_ON_MESSAGE, NONE)                                                  \
 CALL(Waitall, BLOCKED_ON_MESSAGE, NONE)                                                   \
 CALL(Test, TESTING, NONE)                                                                 \
 CALL(Testany, TESTING, NONE)                                                              \
 CALL(Testsome, TESTING, NONE)                                                             \
 CALL(Testall, TESTING, NONE)                                                              \
 CALL(Request_get_status, TESTING, NONE)                                                   \
 CALL(Request_free, OVERHEAD, NONE)                                                        \
 CALL(Cancel, OVERHEAD, NONE)                                                              \
 CALL(Buffer_attach, OVERHEAD, NONE)                                                       \
 CALL(Buffer_detach, OVERHEAD, NONE)                                                       \
 WEFT_MPI_BOTH(CALL, Pack, OVERHEAD, NONE)                                                 \
 WEFT_MPI_BOTH(CALL, Unpack, OVERHEAD, NONE)                                               \
 WEFT_MPI_BOTH(CALL, Pack_external, OVERHEAD, NONE)                                        \
 WEFT_MPI_BOTH(CALL, Unpack_external, OVERHEAD, NONE)

/*
 * Applies CALL to a collective call in three forms: blocking (NAME), whose role is ROLE,
 * nonblocking (INAME) and persistent (NAME_init), whose role is SENDING.  The first two
 * begin BEGINS, the last BEGINS_LATER.  WEFT_MPI_COLLECTIVE_BOTH has the forms for large
 * counts, too.
 */
#define WEFT_MPI_COLLECTIVE(CALL, name, iname, role, begins)                               \
 CALL(name, role, begins)                                                                  \
 CALL(iname, SENDING, begins) CALL(name##_init, SENDING, begins##_LATER)
/*
 * Applies CALL to a collective call in six forms: blocking (NAME, of the role
 * BLOCKED_ON_COLLECTIVE), nonblocking (INAME) and persistent (NAME_init), both of the role
 * SENDING, each also for large counts (..._c).  The persistent forms begin BEGINS_LATER,
 * the others BEGINS.
 */
#define WEFT_MPI_COLLECTIVE_BOTH(CALL, name, iname, begins)                                \
 WEFT_MPI_BOTH(CALL, name, BLOCKED_ON_COLLECTIVE, begins)                                  \
 WEFT_MPI_BOTH(CALL, iname, SENDING, begins)                                               \
 WEFT_MPI_BOTH(CALL, name##_init, SENDING, begins##_LATER)

/*
 * Expands to CALL(name, role, begins) for each call of a collective operation, and
 * MPI_Reduce_local: its name without "MPI_", its role while it lasts (WEFT_ROLE_... without
 * the prefix) and what it begins (MPI_BEGINS_... without the prefix).
 */
#define WEFT_MPI_CALLS_OF_COLLECTIVES(CALL)                                                \
 WEFT_MPI_COLLECTIVE(CALL, Barrier, Ibarrier, BLOCKED_ON_BARRIER, BARRIER)                 \
 WEFT_MPI_COLLECTIVE_BOTH(CALL, Bcast, Ibcast, ONE_TO_ALL)                                 \
 WEFT_MPI_COLLECTIVE_BOTH(CALL, Gather, Igather, ALL_TO_ONE)                               \
 WEFT_MPI_COLLECTIVE_BOTH(CALL, Gatherv, Igatherv, ALL_TO_ONE)                             \
 WEFT_MPI_COLLECTIVE_BOTH(CALL, Scatter, Iscatter, ONE_TO_ALL)                             \
 WEFT_MPI_COLLECTIVE_BOTH(CALL, Scatterv, Iscatterv, ONE_TO_ALL)                           \
 WEFT_MPI_COLLECTIVE_BOTH(CALL, Allgather, Iallgather, ALL_TO_ALL)                         \
 WEFT_MPI_COLLECTIVE_BOTH(CALL, Allgatherv, Iallgatherv, ALL_TO_ALL)                       \
 WEFT_MPI_COLLECTIVE_BOTH(CALL, Alltoall, Ialltoall, ALL_TO_ALL)                           \
 WEFT_MPI_COLLECTIVE_BOTH(CALL, Alltoallv, Ialltoallv, ALL_TO_ALL)                         \
 WEFT_MPI_COLLECTIVE_BOTH(CALL, Alltoallw, Ialltoallw, ALL_TO_ALL)                         \
 WEFT_MPI_COLLECTIVE_BOTH(CALL, Reduce, Ireduce, ALL_TO_ONE)                               \
 WEFT_MPI_COLLECTIVE_BOTH(CALL, Allreduce, Iallreduce, ALL_TO_ALL)                         \
 WEFT_MPI_COLLECTIVE_BOTH(CALL, Reduce_scatter, Ireduce_scatter, ALL_TO_ALL)               \
 WEFT_MPI_COLLECTIVE_BOTH(CALL, Reduce_scatter_block, Ireduce_scatter_block, ALL_TO_ALL)   \
 WEFT_MPI_COLLECTIVE_BOTH(CALL, Scan, Iscan, PREFIX)                                       \
 WEFT_MPI_COLLECTIVE_BOTH(CALL, Exscan, Iexscan, PREFIX)                                   \
 WEFT_MPI_COLLECTIVE_BOTH(CALL, Neighbor_allgather, Ineighbor_allgather, NEIGHBORS)        \
 WEFT_MPI_COLLECTIVE_BOTH(CALL, Neighbor_allgatherv, Ineighbor_allgatherv, NEIGHBORS)      \
 WEFT_MPI_COLLECTIVE_BOTH(CALL, Neighbor_alltoall, Ineighbor_alltoall, NEIGHBORS)          \
 WEFT_MPI_COLLECTIVE_BOTH(CALL, Neighbor_alltoallv, Ineighbor_alltoallv, NEIGHBORS)        \
 WEFT_MPI_COLLECTIVE_BOTH(CALL, Neighbor_alltoallw, Ineighbor_alltoallw, NEIGHBORS)        \
 WEFT_MPI_BOTH(CALL, Reduce_local, OVERHEAD, NONE)

/*
 * Expands to CALL(name, role, begins) for each call on communicators, groups and processes:
 * its name without "MPI_", its role while it lasts (WEFT_ROLE_... without the prefix) and
 * what it begins (MPI_BEGINS_... without the prefix).
 */
#define WEFT_MPI_CALLS_OF_COMMUNICATORS(CALL)                                              \
 CALL(Comm_dup, OVERHEAD, NONE)                                                            \
 CALL(Comm_dup_with_info, OVERHEAD, NONE)                                                  \
 CALL(Comm_idup, OVERHEAD, NONE)                                                           \
 CALL(Comm_idup_with_info, OVERHEAD, NONE)                                                 \
 CALL(Comm_create, OVERHEAD, NONE)                                                         \
 CALL(Comm_create_group, OVERHEAD, NONE)                                                   \
 CALL(Comm_create_from_group, OVERHEAD, NONE)                                              \
 CALL(Comm_split, OVERHEAD, NONE)                                                          \
 CALL(Comm_split_type, OVERHEAD, NONE)                                                     \
 CALL(Comm_free, OVERHEAD, NONE)                                                           \
 CALL(Comm_disconnect, OVERHEAD, NONE)                                                     \
 CALL(Comm_set_name, OVERHEAD, NONE)                                                       \
 CALL(Intercomm_create, OVERHEAD, NONE)                                                    \
 CALL(Intercomm_create_from_groups, OVERHEAD, NONE)                                        \
 CALL(Intercomm_merge, OVERHEAD, NONE)                                                     \
 CALL(Cart_create, OVERHEAD, NONE)                                                         \
 CALL(Cart_sub, OVERHEAD, NONE)                                                            \
 CALL(Graph_create, OVERHEAD, NONE)                                                        \
 CALL(Dist_graph_create, OVERHEAD, NONE)                                                   \
 CALL(Dist_graph_create_adjacent, OVERHEAD, NONE)                                          \
 CALL(Group_union, OVERHEAD, NONE)                                                         \
 CALL(Group_intersection, OVERHEAD, NONE)                                                  \
 CALL(Group_difference, OVERHEAD, NONE)                                                    \
 CALL(Group_incl, OVERHEAD, NONE)                                                          \
 CALL(Group_excl, OVERHEAD, NONE)                                                          \
 CALL(Group_range_incl, OVERHEAD, NONE)                                                    \
 CALL(Group_range_excl, OVERHEAD, NONE)                                                    \
 CALL(Group_translate_ranks, OVERHEAD, NONE)                                               \
 CALL(Group_from_session_pset, OVERHEAD, NONE)                                             \
 CALL(Comm_spawn, OVERHEAD, NONE)                                                          \
 CALL(Comm_spawn_multiple, OVERHEAD, NONE)                                                 \
 CALL(Comm_accept, OVERHEAD, NONE)                                                         \
 CALL(Comm_connect, OVERHEAD, NONE)

/*
 * Expands to CALL(name, role, begins) for each call of one-sided communication: its name
 * without "MPI_", its role while it lasts (WEFT_ROLE_... without the prefix) and what it
 * begins (MPI_BEGINS_... without the prefix).
 */
#define WEFT_MPI_CALLS_OF_WINDOWS(CALL)                                                    \
 WEFT_MPI_BOTH(CALL, Win_create, OVERHEAD, NONE)                                           \
 WEFT_MPI_BOTH(CALL, Win_allocate, OVERHEAD, NONE)                                         \
 WEFT_MPI_BOTH(CALL, Win_allocate_shared, OVERHEAD, NONE)                                  \
 CALL(Win_create_dynamic, OVERHEAD, NONE)                                                  \
 CALL(Win_free, OVERHEAD, NONE)                                                            \
 WEFT_MPI_BOTH(CALL, Put, SENDING, PUT)                                                    \
 WEFT_MPI_BOTH(CALL, Get, SENDING, GET)                                                    \
 WEFT_MPI_BOTH(CALL, Accumulate, SENDING, PUT)                                             \
 WEFT_MPI_BOTH(CALL, Get_accumulate, SENDING, EXCHANGE)                                    \
 CALL(Fetch_and_op, SENDING, EXCHANGE)                                                     \
 CALL(Compare_and_swap, SENDING, EXCHANGE)                                                 \
 WEFT_MPI_BOTH(CALL, Rput, SENDING, PUT)                                                   \
 WEFT_MPI_BOTH(CALL, Rget, SENDING, GET)                                                   \
 WEFT_MPI_BOTH(CALL, Raccumulate, SENDING, PUT)                                            \
 WEFT_MPI_BOTH(CALL, Rget_accumulate, SENDING, EXCHANGE)                                   \
 CALL(Win_fence, BLOCKED_ON_BARRIER, NONE)                                                 \
 CALL(Win_start, OVERHEAD, NONE)                                                           \
 CALL(Win_complete, BLOCKED_ON_MESSAGE, NONE)                                              \
 CALL(Win_post, OVERHEAD, NONE)                                                            \
 CALL(Win_wait, BLOCKED_ON_MESSAGE, NONE)                                                  \
 CALL(Win_test, TESTING, NONE)                                                             \
 CALL(Win_lock, BLOCKED_ON_LOCK, NONE)                                                     \
 CALL(Win_lock_all, BLOCKED_ON_LOCK, NONE)                                                 \
 CALL(Win_unlock, BLOCKED_ON_MESSAGE, NONE)                                                \
 CALL(Win_unlock_all, BLOCKED_ON_MESSAGE, NONE)                                            \
 CALL(Win_flush, BLOCKED_ON_MESSAGE, NONE)                                                 \
 CALL(Win_flush_all, BLOCKED_ON_MESSAGE, NONE)                                             \
 CALL(Win_flush_local, BLOCKED_ON_MESSAGE, NONE)                                           \
 CALL(Win_flush_local_all, BLOCKED_ON_MESSAGE, NONE)                                       \
 CALL(Win_sync, OVERHEAD, NONE)

/*
 * Applies CALL to MPI_NAME, a call on a file that blocks, and to its form for large counts,
 * MPI_NAME_c: of the role BLOCKED_ON_INPUT_OUTPUT, which begin nothing (NONE).
 */
#define WEFT_MPI_FILE_BOTH(CALL, name)                                                     \
 WEFT_MPI_BOTH(CALL, name, BLOCKED_ON_INPUT_OUTPUT, NONE)
/*
 * Expands to CALL(name, role, begins) for each call on files: its name without "MPI_", its
 * role while it lasts (WEFT_ROLE_... without the prefix) and what it begins (MPI_BEGINS_...
 * without the prefix).
 */
#define WEFT_MPI_CALLS_OF_FILES(CALL)                                                      \
 CALL(File_open, BLOCKED_ON_INPUT_OUTPUT, NONE)                                            \
 CALL(File_close, BLOCKED_ON_INPUT_OUTPUT, NONE)                                           \
 CALL(File_delete, BLOCKED_ON_INPUT_OUTPUT, NONE)                                          \
 CALL(File_set_size, BLOCKED_ON_INPUT_OUTPUT, NONE)                                        \
 CALL(File_preallocate, BLOCKED_ON_INPUT_OUTPUT, NONE)                                     \
 CALL(File_set_view, BLOCKED_ON_INPUT_OUTPUT, NONE)                                        \
 CALL(File_seek, BLOCKED_ON_INPUT_OUTPUT, NONE)                                            \
 CALL(File_seek_shared, BLOCKED_ON_INPUT_OUTPUT, NONE)                                     \
 CALL(File_sync, BLOCKED_ON_INPUT_OUTPUT, NONE)                                            \
 WEFT_MPI_FILE_BOTH(CALL, File_read_at)                                                    \
 WEFT_MPI_FILE_BOTH(CALL, File_read_at_all)                                                \
 WEFT_MPI_FILE_BOTH(CALL, File_write_at)                                                   \
 WEFT_MPI_FILE_BOTH(CALL, File_write_at_all)                                               \
 WEFT_MPI_FILE_BOTH(CALL, File_read)                                                       \
 WEFT_MPI_FILE_BOTH(CALL, File_read_all)                                                   \
 WEFT_MPI_FILE_BOTH(CALL, File_write)                                                      \
 WEFT_MPI_FILE_BOTH(CALL, File_write_all)                                                  \
 WEFT_MPI_FILE_BOTH(CALL, File_read_shared)                                                \
 WEFT_MPI_FILE_BOTH(CALL, File_write_shared)                                               \
 WEFT_MPI_FILE_BOTH(CALL, File_read_ordered)                                               \
 WEFT_MPI_FILE_BOTH(CALL, File_write_ordered)                                              \
 WEFT_MPI_BOTH(CALL, File_iread_at, OVERHEAD, NONE)                                        \
 WEFT_MPI_BOTH(CALL, File_iread_at_all, OVERHEAD, NONE)                                    \
 WEFT_MPI_BOTH(CALL, File_iwrite_at, OVERHEAD, NONE)                                       \
 WEFT_MPI_BOTH(CALL, File_iwrite_at_all, OVERHEAD, NONE)                                   \
 WEFT_MPI_BOTH(CALL, File_iread, OVERHEAD, NONE)                                           \
 WEFT_MPI_BOTH(CALL, File_iread_all, OVERHEAD, NONE)                                       \
 WEFT_MPI_BOTH(CALL, File_iwrite, OVERHEAD, NONE)                                          \
 WEFT_MPI_BOTH(CALL, File_iwrite_all, OVERHEAD, NONE)                                      \
 WEFT_MPI_BOTH(CALL, File_iread_shared, OVERHEAD, NONE)                                    \
 WEFT_MPI_BOTH(CALL, File_iwrite_shared, OVERHEAD, NONE)                                   \
 WEFT_MPI_FILE_BOTH(CALL, File_read_at_all_begin)                                          \
 CALL(File_read_at_all_end, BLOCKED_ON_INPUT_OUTPUT, NONE)                                 \
 WEFT_MPI_FILE_BOTH(CALL, File_write_at_all_begin)                                         \
 CALL(File_write_at_all_end, BLOCKED_ON_INPUT_OUTPUT, NONE)                                \
 WEFT_MPI_FILE_BOTH(CALL, File_read_all_begin)                                             \
 CALL(File_read_all_end, BLOCKED_ON_INPUT_OUTPUT, NONE)                                    \
 WEFT_MPI_FILE_BOTH(CALL, File_write_all_begin)                                            \
 CALL(File_write_all_end, BLOCKED_ON_INPUT_OUTPUT, NONE)                                   \
 WEFT_MPI_FILE_BOTH(CALL, File_read_ordered_begin)                                         \
 CALL(File_read_ordered_end, BLOCKED_ON_INPUT_OUTPUT, NONE)                                \
 WEFT_MPI_FILE_BOTH(CALL, File_write_ordered_begin)                                        \
 CALL(File_write_ordered_end, BLOCKED_ON_INPUT_OUTPUT, NONE)

/*
 * Expands to CALL(name, role, begins) for each recorded call, chapter of the standard by
 * chapter: its name without "MPI_", its role while it lasts (WEFT_ROLE_... without the
 * prefix) and what it begins (MPI_BEGINS_... without the prefix).
 */
#define WEFT_MPI_CALLS(CALL)                                                               \
 WEFT_MPI_CALLS_OF_ENVIRONMENT(CALL)                                                       \
 WEFT_MPI_CALLS_OF_MESSAGES(CALL)                                                          \
 WEFT_MPI_CALLS_OF_COLLECTIVES(CALL)                                                       \
 WEFT_MPI_CALLS_OF_COMMUNICATORS(CALL)                                                     \
 WEFT_MPI_CALLS_OF_WINDOWS(CALL)                                                           \
 WEFT_MPI_CALLS_OF_FILES(CALL)

/* Makes WEFT_MPI_NAME, a constant of enum weft_mpi_call, of what WEFT_MPI_CALLS gives it;
   ROLE and BEGINS are not used. */
#define WEFT_MPI_NUMBER(name, role, begins) WEFT_MPI_##name,
/*
 * The number of each recorded call: WEFT_MPI_Send for MPI_Send; WEFT_MPI_N_CALLS is how
 * many there are.  The number in a recording is valid for the version of Weft that wrote
 * it.
 */
enum weft_mpi_call { WEFT_MPI_CALLS(WEFT_MPI_NUMBER) WEFT_MPI_N_CALLS };

#endif
