/* SPDX-License-Identifier: Apache-2.0 */
/* Waits of 0.1 s through GLib; a mark at the end of a line says that a thread waits there. */
#include <glib.h>

enum { MS = 1000, LONG = 100 * MS };

static GMutex mutex;
static GCond cond;
static GRWLock both;
static GRecMutex nested;
static GAsyncQueue *queue;
static GMainLoop *loop;
static gboolean flag;

static gpointer other(gpointer unused)
{
    g_mutex_lock(&mutex);
    g_usleep(LONG); /* waits */
    g_mutex_unlock(&mutex);
    g_usleep(LONG); /* waits */
    g_mutex_lock(&mutex);
    flag = TRUE;
    g_cond_signal(&cond);
    g_mutex_unlock(&mutex);
    g_usleep(LONG);               /* waits */
    g_rw_lock_writer_lock(&both); /* held */
    g_rec_mutex_lock(&nested);    /* held */
    g_async_queue_push(queue, queue);
    g_usleep(LONG); /* waits */
    g_rw_lock_writer_unlock(&both);
    g_usleep(LONG); /* waits */
    g_rec_mutex_unlock(&nested);
    g_usleep(LONG); /* waits */
    return unused;
}

static gboolean quit(gpointer unused)
{
    (void)unused;
    g_main_loop_quit(loop);
    return FALSE;
}

int main(void)
{
    GThread *thread;

    queue = g_async_queue_new();
    thread = g_thread_new("other", other, NULL);
    g_usleep(LONG / 4);   /* waits */
    g_mutex_lock(&mutex); /* waits */
    while (!flag)
        g_cond_wait(&cond, &mutex); /* waits */
    g_mutex_unlock(&mutex);
    g_async_queue_pop(queue);     /* waits */
    g_rw_lock_reader_lock(&both); /* waits held */
    g_rw_lock_reader_unlock(&both);
    g_rec_mutex_lock(&nested); /* waits held */
    g_rec_mutex_unlock(&nested);
    g_thread_join(thread); /* waits */
    loop = g_main_loop_new(NULL, FALSE);
    g_timeout_add(LONG / MS, quit, NULL);
    g_main_loop_run(loop); /* waits */
    return 0;
}
