/* SPDX-License-Identifier: Apache-2.0 */
/* A getenv of the program's own, which takes a lock. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((visibility("default"))) char *getenv(const char *name)
{
    size_t size = strlen(name);
    char *found = NULL;

    pthread_mutex_lock(&lock);
    for (char **entry = environ; entry && *entry && !found; entry++)
        if (strncmp(*entry, name, size) == 0 && (*entry)[size] == '=')
            found = *entry + size + 1;
    pthread_mutex_unlock(&lock);
    return found;
}

int main(void)
{
    printf("PATH is %s\n", getenv("PATH") ? "there" : "not there");
    return 0;
}
