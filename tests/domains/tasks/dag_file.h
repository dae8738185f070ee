/* SPDX-License-Identifier: Apache-2.0 */
/* A random DAG as DAG Recorder would write it into a file; offsets are those of its structs. */
#ifndef WEFT_TESTS_DAG_FILE_H
#define WEFT_TESTS_DAG_FILE_H

#include "random_dag.h"

/* Bytes of the file; free them.  FILE of a site is "a.c" or "dir/b.c", its line the site's. */
unsigned char *dag_file_make(const struct random_dag *dag, size_t *size);

#endif
