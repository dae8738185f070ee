/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_by_dlsym LIBRARY: calls functions of MPI as Julia and Python's ctypes find them. */
#include <dlfcn.h>
#include <stdlib.h>

int main(int n, char **arguments)
{
    void *library = n > 1 ? dlopen(arguments[1], RTLD_NOW | RTLD_GLOBAL) : NULL;
    int (*init)(int *, char ***), (*finalize)(void);

    if (!library)
        abort();
    init = (int (*)(int *, char ***))dlsym(library, "MPI_Init");
    finalize = (int (*)(void))dlsym(library, "MPI_Finalize");
    return init(NULL, NULL) != 0 || finalize() != 0;
}
