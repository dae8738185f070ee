/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Locks and the like of every origin.  A mark says which objects are called after its line:
 * "is: mutex, mutex 2" stands for "mutex of lock_names.c:LINE" and so on; "called: NAME" has a
 * whole name.  lock_names.sh compares all of them with the trace.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "weft/weft.h"

void uv_mutex_init(pthread_mutex_t *mutex);

struct work {
    pthread_mutex_t mutex;
    pthread_rwlock_t table;
    pthread_spinlock_t spin;
    pthread_cond_t ready;
    sem_t room;
    pthread_barrier_t step;
};

static pthread_mutex_t alone = PTHREAD_MUTEX_INITIALIZER; /* called: alone */

/* Members of variables are called so. */
static struct {
    pthread_mutex_t lock; /* called: table.lock */
    struct {
        int length;
        pthread_mutex_t lock; /* called: table.row[2].lock */
        sem_t room;           /* called: table.row[1].room */
    } row[3];
} table;

static void use_mutex(pthread_mutex_t *mutex)
{
    pthread_mutex_lock(mutex);
    pthread_mutex_unlock(mutex);
}

static struct work *make_work(void)
{
    struct work *work = malloc(sizeof *work);

    pthread_mutex_init(&work->mutex, NULL);     /* is: mutex, mutex 2 */
    pthread_rwlock_init(&work->table, NULL);    /* is: read-write lock, read-write lock 2 */
    pthread_spin_init(&work->spin, 0);          /* is: spin lock, spin lock 2 */
    pthread_cond_init(&work->ready, NULL);      /* is: condition, condition 2 */
    sem_init(&work->room, 0, 1);                /* is: semaphore, semaphore 2 */
    pthread_barrier_init(&work->step, NULL, 1); /* is: barrier, barrier 2 */
    return work;
}

static void use_work(struct work *work)
{
    use_mutex(&work->mutex);
    pthread_rwlock_rdlock(&work->table);
    pthread_rwlock_unlock(&work->table);
    pthread_spin_lock(&work->spin);
    pthread_spin_unlock(&work->spin);
    pthread_cond_signal(&work->ready);
    sem_wait(&work->room);
    pthread_barrier_wait(&work->step);
}

/* Without a call that initializes them, they are called after their first use. */
static void use_constants(void)
{
    static pthread_mutex_t local =
        PTHREAD_MUTEX_INITIALIZER; /* called: use_constants::local */
    static const pthread_mutex_t new_mutex = PTHREAD_MUTEX_INITIALIZER;
    static const pthread_cond_t new_condition = PTHREAD_COND_INITIALIZER;
    pthread_mutex_t on_stack = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_t *on_heap = malloc(sizeof *on_heap);
    pthread_cond_t *condition = malloc(sizeof *condition);

    use_mutex(&local);
    memcpy(on_heap, &new_mutex, sizeof new_mutex);
    memcpy(condition, &new_condition, sizeof new_condition);
    pthread_mutex_lock(&on_stack);  /* is: mutex */
    pthread_mutex_lock(on_heap);    /* is: mutex */
    pthread_cond_signal(condition); /* is: condition */
    pthread_mutex_unlock(on_heap);
    pthread_mutex_unlock(&on_stack);
}

/* The same memory, three times, with a name at the first time and at the second. */
static void use_again(void)
{
    pthread_mutex_t mutex;

    pthread_mutex_init(&mutex, NULL);
    weft_name_object(&mutex, "first life"); /* called: first life */
    use_mutex(&mutex);
    pthread_mutex_init(&mutex, NULL);
    use_mutex(&mutex);
    weft_name_object(&mutex, "second life"); /* called: second life */
    pthread_mutex_destroy(&mutex);
    pthread_mutex_init(&mutex, NULL); /* is: mutex */
    use_mutex(&mutex);
    pthread_mutex_destroy(&mutex);
}

/* The program's names win, also over that of a variable. */
static void use_named(void)
{
    static pthread_mutex_t variable = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_t *orders = malloc(2 * sizeof *orders);
    char text[] = "of orders";

    pthread_mutex_init(&orders[0], NULL);
    pthread_mutex_init(&orders[1], NULL);
    weft_name_object(&orders[0], text); /* called: of orders */
    weft_name_object(&orders[1], text); /* called: of orders 2 */
    weft_name_object(&orders[1], NULL); /* which has no effect */
    memset(text, '?', sizeof text - 1);
    use_mutex(&orders[0]);
    use_mutex(&orders[1]);
    use_mutex(&variable);
    weft_name_object(&variable, "renamed"); /* called: renamed */
    for (int i = 0; i < 3; i++)
        weft_name_object(&variable, "renamed");
}

/* A child has the objects and names of its parent. */
static void use_in_child(struct work *work)
{
    pthread_mutex_t *mine = malloc(sizeof *mine), *named = malloc(sizeof *named);
    pid_t child;

    pthread_mutex_init(mine, NULL); /* is: mutex */
    pthread_mutex_init(named, NULL);
    weft_name_object(named, "inherited"); /* called: inherited */
    child = fork();
    if (child == 0) {
        use_mutex(mine);
        use_mutex(named);
        pthread_mutex_init(&work->mutex, NULL); /* is: mutex */
        use_mutex(&work->mutex);
        exit(0);
    }
    waitpid(child, NULL, 0);
}

int main(void)
{
    struct work *first = make_work(), *second = make_work();
    pthread_mutex_t wrapped;

    use_mutex(&alone);
    use_mutex(&table.lock);
    use_mutex(&table.row[2].lock);
    sem_post(&table.row[1].room);
    use_work(first);
    use_work(second);
    uv_mutex_init(&wrapped); /* is: mutex */
    use_mutex(&wrapped);
    use_constants();
    use_again();
    use_named();
    use_in_child(first);
    return 0;
}
