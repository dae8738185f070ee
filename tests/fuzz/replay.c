/* SPDX-License-Identifier: Apache-2.0 */
/* Run a fuzz target over the files named: what was found once stays found. */
#include "fuzz.h"

#include <stdlib.h>

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        FILE *file = fopen(argv[i], "rb");
        if (!file) {
            perror(argv[i]);
            return 1;
        }
        size_t size = 0, capacity = 0;
        unsigned char *data = NULL;
        for (size_t got = 1; got; size += got) {
            data = weft_grow(data, &capacity, size + 4096, 1);
            got = fread(data + size, 1, 4096, file);
        }
        fclose(file);
        LLVMFuzzerTestOneInput(data, size);
        free(data);
    }
    printf("%d files replayed\n", argc - 1);
    const char *names[] = { "paje", "vista", "input", "weft" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *path = fuzz_path(names[i]);
        remove(path);
        free(path);
    }
    return argc > 1 ? 0 : 1;
}
