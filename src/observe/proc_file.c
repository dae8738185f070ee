/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "observe/proc_file.h"

#include <fcntl.h>
#include <unistd.h>

bool proc_file_read(const char *path, char *text, size_t size)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = file >= 0 ? read(file, text, size - 1) : -1;

    if (file >= 0)
        close(file);
    text[n > 0 ? n : 0] = 0;
    return n > 0;
}
