/* SPDX-License-Identifier: Apache-2.0 */
/* Threads of GLib: with a name, with one that is longer than the kernel takes, with none. */
#include <glib.h>

static void *carry(void *unused)
{
    g_usleep(1000);
    return unused;
}

int main(void)
{
    GThread *threads[] = { g_thread_new("loader", carry, NULL),
                           g_thread_new("writer of thumbnails", carry, NULL),
                           g_thread_new(NULL, carry, NULL) };

    for (unsigned i = 0; i < G_N_ELEMENTS(threads); i++)
        g_thread_join(threads[i]);
    return 0;
}
