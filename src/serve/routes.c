/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/routes.h"

#include <string.h>

#include "view/damage.h"

static const struct route {
    const char *path; /* one that ends in '/' or '.' matches all paths that begin with it */
    bool post;        /* changes something, so it must be a POST */
    void (*run)(struct exchange *exchange, const char *rest);
} routes[] = {
    { "/", false, route_page },
    { "/catalogue", false, route_catalogue },
    { "/trace", false, route_trace },
    { "/cancel", true, route_cancel },
    { "/reload", true, route_reload },
    { "/settings", false, route_settings },
    { "/settings", true, route_settings },
    { "/containers", false, route_containers },
    { "/view/", false, route_view },
    { "/point/", false, route_point },
    { "/workbench.", true, route_workbench },
    { "/detail", false, route_detail },
    { "/source", false, route_source },
    { "/search", false, route_search },
    { "/search/", false, route_search },
    { "/marks", false, route_marks },
    { "/marks", true, route_marks },
};

/*
 * Replaces a successful answer if the file of one of its traces has changed, counts the
 * damage of the traces, and releases them.
 */
static void release_traces(struct exchange *exchange)
{
    struct traces *traces = exchange->service->traces;
    struct weft_err err;
    exchange->damaged = 0;
    for (struct taken_trace *t = exchange->taken->traces; t; t = t->next) {
        const struct weft_source *source = weft_trace_source(t->trace);
        exchange->damaged += weft_damage_of_set(&(struct weft_set){ &source, 1 });
        if (exchange->status == 200
            && (traces_changed(traces, t->index) || !weft_trace_intact(t->trace, &err)))
            asking_changed(exchange, t->index);
        traces_release(traces, t->index, t->trace);
    }
}

static void run_route(struct exchange *exchange)
{
    bool known = false;
    for (size_t i = 0; i < sizeof routes / sizeof *routes; i++) {
        const struct route *route = &routes[i];
        size_t n = strlen(route->path);
        bool open = n > 1 && (route->path[n - 1] == '/' || route->path[n - 1] == '.');
        bool fits = open ? strncmp(exchange->path, route->path, n) == 0
                         : strcmp(exchange->path, route->path) == 0;
        known |= fits;
        if (fits && route->post == exchange->post) {
            route->run(exchange, exchange->path + n);
            return;
        }
    }
    if (known)
        exchange_fail(exchange, 405,
                      exchange->post ? "ask for this with GET" : "ask for this with POST");
    else
        exchange_fail(exchange, 404, "there is nothing at this address");
}

void routes_answer(struct exchange *exchange)
{
    struct taken taken = { 0 };
    exchange->taken = &taken;
    run_route(exchange);
    release_traces(exchange);
    atomic_fetch_sub(&exchange->service->pixels, taken.pixels);
    exchange->taken = NULL;
}
