/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/routes.h"

#include <string.h>

#include "serve/held_traces.h"

static const struct route {
    const char *path; /* one that ends in '/' or '.' matches all paths that begin with it */
    bool post;        /* changes something, so it must be a POST */
    route_function *run;
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
    { "/related", false, route_related },
    { "/step", false, route_step },
    { "/source", false, route_source },
    { "/search", false, route_search },
    { "/search/", false, route_search },
    { "/marks", false, route_marks },
    { "/marks", true, route_marks },
};

static bool run_route(struct request *request, struct answer *answer,
                      struct refusal *refusal)
{
    bool known = false;
    for (size_t i = 0; i < sizeof routes / sizeof *routes; i++) {
        const struct route *route = &routes[i];
        size_t n = strlen(route->path);
        bool open = n > 1 && (route->path[n - 1] == '/' || route->path[n - 1] == '.');
        bool fits = open ? strncmp(request->path, route->path, n) == 0
                         : strcmp(request->path, route->path) == 0;
        known |= fits;
        if (fits && route->post == request->post) {
            request->rest = request->path + n;
            return route->run(request, answer, refusal);
        }
    }
    if (!known)
        return refuse(refusal, 404, "there is nothing at this address");
    return refuse(refusal, 405, "ask for this with %s", request->post ? "GET" : "POST");
}

void routes_answer(const struct request *received, struct answer *answer)
{
    struct holding holding = { 0 };
    struct refusal refusal = { 0 };
    struct request request = *received;
    request.holding = &holding;
    bool ok = run_route(&request, answer, &refusal) && holding_intact(&request, &refusal);
    answer->damaged = holding_release(&request);
    if (!ok)
        answer_refuse(answer, &refusal);
}
