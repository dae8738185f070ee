/* SPDX-License-Identifier: Apache-2.0 */
/* What the views of trees prepare is kept, shared by threads, and can be cancelled. */
#include "tree_runs.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "view/prepare.h"

static void *draw_often(void *user)
{
    struct weft_shelf *shelf = user;
    static const char *const names[] = { "reduction-tree", "tree-levels", "tree-nodes",
                                         "tree-pes" };
    for (int i = 0; i < 40; i++) {
        const struct weft_view *view = weft_view_find(names[i % 4]);
        struct weft_request request = runs_ask(NULL);
        struct weft_arena arena = { 0 };
        struct weft_scene scene;
        struct weft_err err;
        request.height = 100 + 50 * (i % 10); /* other layouts */
        request.shelf = shelf;
        if (!weft_view_scene(view, &request, &arena, &scene, &err))
            abort();
        weft_arena_free(&arena);
    }
    return NULL;
}

static void threads_share_what_is_prepared(void **state)
{
    (void)state;
    struct weft_shelf *shelf = weft_shelf_new();
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, draw_often, shelf), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    /*
     * The tree, how its nodes are spread, their sizes; layouts by these and by counts, with room for
     * all three levels, and that of VISTA for the table of nodes; edges, graph and its longest way.
     */
    struct weft_shelf_counts counts = weft_shelf_count(shelf);
    assert_int_equal(counts.started, 9);
    assert_int_equal(counts.n_things, 9);
    weft_shelf_forget(shelf, runs_sources[1]); /* was never prepared */
    assert_int_equal(weft_shelf_count(shelf).n_things, 9);
    weft_shelf_forget(shelf, runs_sources[0]);
    assert_int_equal(weft_shelf_count(shelf).n_things, 0);
    assert_int_equal(weft_shelf_count(shelf).bytes, 0);
    weft_shelf_free(shelf);
}

/* What a picture asks for again is there, unless something that it is made for differs. */
static void each_part_is_prepared_once(void **state)
{
    (void)state;
    static const struct {
        const char *view, *setting;
        unsigned more; /* things that are made for it */
    } steps[] = {
        { "reduction-tree", "color=pe", 7 }, /* tree, spread, sizes, layout; edges, graph, span */
        { "reduction-tree", "color=time", 0 },    { "reduction-tree", "edges=node", 0 },
        { "reduction-tree", "edges=bundles", 1 }, /* and how they are bundled */
        { "reduction-tree", "edges=bundles", 0 }, { "reduction-tree", "root=record:2", 2 },
        { "reduction-tree", "root=record:2", 0 }, { "tree-levels", "distance=150", 1 },
        { "tree-nodes", "root=record:2", 1 }, /* VISTA's layout */
    };
    struct weft_shelf *shelf = weft_shelf_new();
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        const struct weft_view *view = weft_view_find(steps[i].view);
        const char *settings[32] = { 0 };
        struct weft_arena arena = { 0 };
        struct weft_scene scene;
        struct weft_err err;
        uint64_t before = weft_shelf_count(shelf).started;
        assert_true(weft_setting_parse(view, steps[i].setting, settings, &err));
        struct weft_request request = runs_ask(settings);
        request.shelf = shelf;
        assert_true(weft_view_scene(view, &request, &arena, &scene, &err));
        assert_int_equal(weft_shelf_count(shelf).started - before, steps[i].more);
        weft_arena_free(&arena);
    }
    weft_shelf_free(shelf);
}

static void a_cancelled_request_draws_nothing(void **state)
{
    (void)state;
    struct weft_job job = { .cancelled = true };
    for (size_t i = 0; i < weft_view_count(); i++) {
        struct weft_request request = runs_ask(NULL);
        struct weft_arena arena = { 0 };
        struct weft_scene scene;
        struct weft_err err;
        if (strcmp(weft_view_at(i)->group, "Tree") != 0
            || !weft_view_at(i)->fills(&runs_set))
            continue;
        request.job = &job;
        assert_false(weft_view_scene(weft_view_at(i), &request, &arena, &scene, &err));
        assert_int_equal(err.code, WEFT_ERR_CANCELLED);
        weft_arena_free(&arena);
    }
}

static void cancel(struct weft_job *job, void *user)
{
    (void)user;
    job->cancelled = true;
}

/* What is counted for each picture looks at the job, though all that is kept is there. */
static void what_is_not_kept_is_cancelled(void **state)
{
    (void)state;
    const struct weft_view *view = weft_view_find("tree-pes");
    struct weft_shelf *shelf = weft_shelf_new();
    for (int with_job = 0; with_job < 2; with_job++) {
        struct weft_job job = { .progress = cancel };
        struct weft_request request = runs_ask(NULL);
        struct weft_arena arena = { 0 };
        struct weft_scene scene;
        struct weft_err err;
        request.shelf = shelf;
        request.job = with_job ? &job : NULL;
        bool ok = weft_view_scene(view, &request, &arena, &scene, &err);
        assert_int_equal(ok, !with_job);
        assert_true(ok || err.code == WEFT_ERR_CANCELLED);
        weft_arena_free(&arena);
    }
    weft_shelf_free(shelf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_share_what_is_prepared),
        cmocka_unit_test(each_part_is_prepared_once),
        cmocka_unit_test(a_cancelled_request_draws_nothing),
        cmocka_unit_test(what_is_not_kept_is_cancelled),
    };
    return cmocka_run_group_tests(tests, runs_set_up, runs_tear_down);
}
