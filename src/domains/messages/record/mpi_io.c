/* SPDX-License-Identifier: Apache-2.0 */
/* MPI's files: the bytes that a call asks for, or hands over. */
#include "domains/messages/record/mpi_hook_macros.h"

#define ACCESS(name, parameters, arguments)                                                \
 WEFT_MPI_HOOK(name, WEFT_MPI_UNPACK parameters)                                           \
 {                                                                                         \
  int result;                                                                              \
  WEFT_MPI_IN_CALL;                                                                        \
  if (weft_mpi_is_nested(&in_call))                                                        \
   return WEFT_MPI_REAL(name) arguments;                                                   \
  WEFT_MPI_ENTER(WEFT_RECORD_MPI_CALL_FILE, name, weft_mpi_bytes(n, type));                \
  result = WEFT_MPI_REAL(name) arguments;                                                  \
  return weft_mpi_return(weft_ticks(), result);                                            \
 }

/* Reading and writing, blocking, nonblocking and split; t: the type of counts. */
#define READ(name, t)                                                                      \
 ACCESS(name, (MPI_File file, void *buffer, t n, MPI_Datatype type, MPI_Status *status),   \
        (file, buffer, n, type, status))
#define WRITE(name, t)                                                                     \
 ACCESS(name,                                                                              \
        (MPI_File file, const void *buffer, t n, MPI_Datatype type, MPI_Status *status),   \
        (file, buffer, n, type, status))
#define READ_AT(name, t)                                                                   \
 ACCESS(name,                                                                              \
        (MPI_File file, MPI_Offset at, void *buffer, t n, MPI_Datatype type,               \
         MPI_Status *status),                                                              \
        (file, at, buffer, n, type, status))
#define WRITE_AT(name, t)                                                                  \
 ACCESS(name,                                                                              \
        (MPI_File file, MPI_Offset at, const void *buffer, t n, MPI_Datatype type,         \
         MPI_Status *status),                                                              \
        (file, at, buffer, n, type, status))
#define IREAD(name, t)                                                                     \
 ACCESS(name, (MPI_File file, void *buffer, t n, MPI_Datatype type, MPI_Request *request), \
        (file, buffer, n, type, request))
#define IWRITE(name, t)                                                                    \
 ACCESS(name,                                                                              \
        (MPI_File file, const void *buffer, t n, MPI_Datatype type, MPI_Request *request), \
        (file, buffer, n, type, request))
#define IREAD_AT(name, t)                                                                  \
 ACCESS(name,                                                                              \
        (MPI_File file, MPI_Offset at, void *buffer, t n, MPI_Datatype type,               \
         MPI_Request *request),                                                            \
        (file, at, buffer, n, type, request))
#define IWRITE_AT(name, t)                                                                 \
 ACCESS(name,                                                                              \
        (MPI_File file, MPI_Offset at, const void *buffer, t n, MPI_Datatype type,         \
         MPI_Request *request),                                                            \
        (file, at, buffer, n, type, request))
#define READ_BEGIN(name, t)                                                                \
 ACCESS(name, (MPI_File file, void *buffer, t n, MPI_Datatype type),                       \
        (file, buffer, n, type))
#define WRITE_BEGIN(name, t)                                                               \
 ACCESS(name, (MPI_File file, const void *buffer, t n, MPI_Datatype type),                 \
        (file, buffer, n, type))
#define READ_AT_BEGIN(name, t)                                                             \
 ACCESS(name, (MPI_File file, MPI_Offset at, void *buffer, t n, MPI_Datatype type),        \
        (file, at, buffer, n, type))
#define WRITE_AT_BEGIN(name, t)                                                            \
 ACCESS(name, (MPI_File file, MPI_Offset at, const void *buffer, t n, MPI_Datatype type),  \
        (file, at, buffer, n, type))

#define ALL(t, c)                                                                          \
 READ_AT(File_read_at##c, t)                                                               \
 READ_AT(File_read_at_all##c, t)                                                           \
 WRITE_AT(File_write_at##c, t)                                                             \
 WRITE_AT(File_write_at_all##c, t)                                                         \
 READ(File_read##c, t)                                                                     \
 READ(File_read_all##c, t)                                                                 \
 WRITE(File_write##c, t)                                                                   \
 WRITE(File_write_all##c, t)                                                               \
 READ(File_read_shared##c, t)                                                              \
 WRITE(File_write_shared##c, t)                                                            \
 READ(File_read_ordered##c, t)                                                             \
 WRITE(File_write_ordered##c, t)                                                           \
 IREAD_AT(File_iread_at##c, t)                                                             \
 IREAD_AT(File_iread_at_all##c, t)                                                         \
 IWRITE_AT(File_iwrite_at##c, t)                                                           \
 IWRITE_AT(File_iwrite_at_all##c, t)                                                       \
 IREAD(File_iread##c, t)                                                                   \
 IREAD(File_iread_all##c, t)                                                               \
 IWRITE(File_iwrite##c, t)                                                                 \
 IWRITE(File_iwrite_all##c, t)                                                             \
 IREAD(File_iread_shared##c, t)                                                            \
 IWRITE(File_iwrite_shared##c, t)                                                          \
 READ_AT_BEGIN(File_read_at_all_begin##c, t)                                               \
 WRITE_AT_BEGIN(File_write_at_all_begin##c, t)                                             \
 READ_BEGIN(File_read_all_begin##c, t)                                                     \
 WRITE_BEGIN(File_write_all_begin##c, t)                                                   \
 READ_BEGIN(File_read_ordered_begin##c, t)                                                 \
 WRITE_BEGIN(File_write_ordered_begin##c, t)

ALL(int, )
#if MPI_VERSION >= 4
ALL(MPI_Count, _c)
#endif

#define READ_END(name)                                                                     \
 WEFT_MPI_PLAIN(name, (MPI_File file, void *buffer, MPI_Status *status),                   \
                (file, buffer, status))
#define WRITE_END(name)                                                                    \
 WEFT_MPI_PLAIN(name, (MPI_File file, const void *buffer, MPI_Status *status),             \
                (file, buffer, status))
READ_END(File_read_at_all_end)
WRITE_END(File_write_at_all_end)
READ_END(File_read_all_end)
WRITE_END(File_write_all_end)
READ_END(File_read_ordered_end)
WRITE_END(File_write_ordered_end)

WEFT_MPI_PLAIN(File_open,
               (MPI_Comm comm, const char *name, int mode, MPI_Info info, MPI_File *file),
               (comm, name, mode, info, file))
WEFT_MPI_PLAIN(File_close, (MPI_File * file), (file))
WEFT_MPI_PLAIN(File_delete, (const char *name, MPI_Info info), (name, info))
WEFT_MPI_PLAIN(File_set_size, (MPI_File file, MPI_Offset size), (file, size))
WEFT_MPI_PLAIN(File_preallocate, (MPI_File file, MPI_Offset size), (file, size))
WEFT_MPI_PLAIN(File_set_view,
               (MPI_File file, MPI_Offset at, MPI_Datatype unit, MPI_Datatype type,
                const char *representation, MPI_Info info),
               (file, at, unit, type, representation, info))
WEFT_MPI_PLAIN(File_seek, (MPI_File file, MPI_Offset at, int whence), (file, at, whence))
WEFT_MPI_PLAIN(File_seek_shared, (MPI_File file, MPI_Offset at, int whence),
               (file, at, whence))
WEFT_MPI_PLAIN(File_sync, (MPI_File file), (file))
