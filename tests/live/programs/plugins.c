/* SPDX-License-Identifier: Apache-2.0 */
/* Loads the library that it is given, which must not take for ever: SIGALRM ends it then. */
#include <dlfcn.h>
#include <stddef.h>
#include <unistd.h>

int main(int n_arguments, char **arguments)
{
    alarm(100);
    return n_arguments == 2 && dlopen(arguments[1], RTLD_NOW) != NULL ? 0 : 1;
}
