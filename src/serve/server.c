/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/server.h"

#include <arpa/inet.h>
#include <limits.h>
#include <malloc.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "read/reader.h"
#include "serve/access_token.h"
#include "serve/http.h"
#include "serve/routes.h"
#include "serve/searches.h"
#include "view/prepare.h"

enum {
    MAX_CONNECTIONS = 4000, /* a few kilobytes each while they wait */
    FILES_KEPT = 200,       /* descriptors that connections leave for traces */
    /* Connections that the kernel queues until they are accepted. */
    BACKLOG = 512,
};

struct weft_server {
    struct service service;
    struct http_options options;
    struct http *http;
    char **hosts;
    char *prefix;
    char *own; /* the host in its URL */
    char token[TOKEN_SIZE];
    bool forgets; /* the new token could not be stored */
    unsigned port;
    char *url;
};

/* Returns how many connections the limit of open files allows, leaving some for traces. */
static unsigned connection_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return 500;
    if (limit.rlim_cur < MAX_CONNECTIONS + FILES_KEPT) {
        limit.rlim_cur = limit.rlim_max < MAX_CONNECTIONS + FILES_KEPT
                             ? limit.rlim_max
                             : MAX_CONNECTIONS + FILES_KEPT;
        (void)!setrlimit(RLIMIT_NOFILE, &limit);
    }
    if (limit.rlim_cur > MAX_CONNECTIONS + FILES_KEPT)
        return MAX_CONNECTIONS;
    return limit.rlim_cur > 2 * FILES_KEPT ? (unsigned)limit.rlim_cur - FILES_KEPT
                                           : (unsigned)limit.rlim_cur / 2;
}

static int listen_at(const char *address, unsigned port, unsigned *got,
                     struct weft_err *err)
{
    char service[16];
    struct addrinfo *found = NULL;
    const struct addrinfo hints = { .ai_socktype = SOCK_STREAM,
                                    .ai_flags = AI_NUMERICHOST | AI_PASSIVE };
    snprintf(service, sizeof service, "%u", port);
    int wrong = getaddrinfo(address, service, &hints, &found);
    if (wrong == EAI_NONAME || wrong == EAI_FAMILY)
        weft_fail(err, WEFT_ERR_USAGE, "'%s' is no address (such as 127.0.0.1)", address);
    else if (wrong)
        weft_fail(err, WEFT_ERR_READ, "cannot look at the address %s: %s", address,
                  gai_strerror(wrong));
    if (wrong)
        return -1;
    int fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0),
        on = 1;
    struct sockaddr_storage bound;
    socklen_t size = sizeof bound;
    bool ok = fd >= 0;
    if (ok)
        (void)!setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    ok = ok && bind(fd, found->ai_addr, found->ai_addrlen) == 0 && listen(fd, BACKLOG) == 0
         && getsockname(fd, (struct sockaddr *)&bound, &size) == 0;
    if (!ok) {
        weft_fail_errno(err, WEFT_ERR_WRITE, "cannot listen at %s:%u", address, port);
        if (fd >= 0)
            close(fd);
        fd = -1;
    } else {
        *got =
            ntohs(bound.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&bound)->sin6_port
                                              : ((struct sockaddr_in *)&bound)->sin_port);
    }
    freeaddrinfo(found);
    return fd;
}

/*
 * Returns the usual port of these traces of this user, so that an open tab finds a
 * restarted server: below the ports that systems give to connections, above most registered
 * ones.
 */
static unsigned usual_port(const struct weft_server_options *options)
{
    enum { FIRST = 21000, PORTS = 8000 };
    uint32_t hash = (uint32_t)geteuid();
    for (size_t i = 0; i < options->n_paths; i++) {
        char *real = realpath(options->paths[i], NULL);
        for (const char *at = real; at && *at; at++)
            hash = (hash ^ (unsigned char)*at) * 16777619u; /* FNV-1a */
        free(real);
    }
    return FIRST + hash % PORTS;
}

static int listen_where(const struct weft_server_options *options, const char *address,
                        unsigned *got, struct weft_err *err)
{
    struct weft_err taken;
    int fd = -1;
    if (options->usual_port && !options->port)
        fd = listen_at(address, usual_port(options), got, &taken);
    return fd >= 0 ? fd : listen_at(address, options->port, got, err);
}

/* Restores the state kept between runs: the token, and long settings. */
static bool remember(struct weft_server *server, bool new_token, struct weft_err *err)
{
    char *folder = state_folder();
    char *settings = folder ? weft_asprintf("%s/settings", folder) : NULL;
    server->service.texts = text_cache_new(settings);
    bool kept, ok = state_token(server->token, folder, new_token, &kept, err);
    server->forgets = !kept;
    free(settings);
    free(folder);
    return ok;
}

static char **copy_list(const char *const *list)
{
    size_t n = 0;
    while (list && list[n])
        n++;
    char **copy = weft_zalloc(n + 1, sizeof *copy);
    for (size_t i = 0; i < n; i++)
        copy[i] = weft_strdup(list[i]);
    return copy;
}

static void free_list(char **list)
{
    for (size_t i = 0; list && list[i]; i++)
        free(list[i]);
    free(list);
}

/* Resolves the roots, so that a comparison with a real path is enough. */
static char **resolve_roots(const char *const *roots, struct weft_err *err)
{
    static const char *const here[] = { ".", NULL };
    char **copy = copy_list(roots ? roots : here);
    for (size_t i = 0; copy[i]; i++) {
        char *real = realpath(copy[i], NULL);
        if (!real) {
            weft_fail_errno(err, WEFT_ERR_READ, "cannot read the folder %s", copy[i]);
            free_list(copy);
            return NULL;
        }
        free(copy[i]);
        copy[i] = real;
    }
    return copy;
}

/* Frees what was made of a trace that is about to be closed, and that no request uses. */
static void forget(void *user, struct weft_trace *trace)
{
    struct service *service = user;
    filter_chains_forget(service->filters, trace);
    searches_forget(service->searches, weft_trace_source(trace));
    weft_shelf_forget(service->shelf, weft_trace_source(trace));
}

static bool start(struct weft_server *server, const struct weft_server_options *options,
                  struct weft_err *err)
{
    /* Frames of some megabytes come and go.  By default malloc would return their pages to
     * the kernel, and clearing new ones takes longer than drawing: keep up to 128 MB. */
    mallopt(M_MMAP_THRESHOLD, 64 << 20);
    mallopt(M_TRIM_THRESHOLD, 128 << 20);
    mallopt(M_ARENA_MAX, 2);
    const char *address = options->address ? options->address : "127.0.0.1";
    struct service *service = &server->service;
    service->searches = searches_new();
    service->shelf = weft_shelf_new();
    service->filters = filter_chains_new(service->shelf, service->searches);
    service->views = options->views;
    service->layout = options->layout ? weft_strdup(options->layout) : NULL;
    service->usual_filters = options->filters ? weft_strdup(options->filters) : NULL;
    server->hosts = copy_list(options->hosts);
    server->prefix = weft_strdup(options->prefix ? options->prefix : "");
    size_t n = strlen(server->prefix);
    if (n && server->prefix[n - 1] == '/')
        server->prefix[n - 1] = '\0';
    service->source_roots = resolve_roots(options->source_roots, err);
    if (!service->source_roots || !remember(server, options->new_token, err))
        return false;
    service->traces = traces_find(options->paths, options->n_paths, &options->reading, err);
    if (!service->traces)
        return false;
    traces_forget_by(service->traces, forget, service);
    unsigned most = connection_limit();
    int fd = listen_where(options, address, &server->port, err);
    if (fd < 0)
        return false;
    bool any = strcmp(address, "0.0.0.0") == 0 || strcmp(address, "::") == 0;
    bool six = strchr(address, ':') && !any;
    server->own = weft_asprintf("%s%s%s", six ? "[" : "", any ? "127.0.0.1" : address,
                                six ? "]" : "");
    server->options = (struct http_options){
        .access = { .token = server->token,
                    .address = server->own,
                    .prefix = server->prefix,
                    .hosts = (const char *const *)server->hosts,
                    .port = server->port },
        .most_connections = most,
    };
    server->url = weft_asprintf("http://%s:%u%s/?token=%s", server->own, server->port,
                                server->prefix, server->token);
    server->http = http_start(service, &server->options, fd, err);
    return server->http != NULL;
}

struct weft_server *weft_server_start(const struct weft_server_options *options,
                                      struct weft_err *err)
{
    struct weft_server *server = weft_zalloc(1, sizeof *server);
    if (start(server, options, err))
        return server;
    weft_server_stop(server);
    return NULL;
}

void weft_server_stop(struct weft_server *server)
{
    if (!server)
        return;
    http_stop(server->http);
    searches_free(server->service.searches);
    weft_shelf_free(server->service.shelf);
    filter_chains_free(server->service.filters);
    traces_close(server->service.traces);
    text_cache_free(server->service.texts);
    free_list(server->service.source_roots);
    free_list(server->hosts);
    free(server->service.layout);
    free(server->service.usual_filters);
    free(server->prefix);
    free(server->own);
    free(server->url);
    free(server);
}

unsigned weft_server_port(const struct weft_server *server)
{
    return server->port;
}

const char *weft_server_url(const struct weft_server *server)
{
    return server->url;
}

const char *weft_server_remark(const struct weft_server *server, size_t index)
{
    const char *remarks[] = {
        traces_remark(server->service.traces),
        server->forgets
            ? "its secret cannot be kept (in XDG_STATE_HOME/weft): this address "
              "is for this run only"
            : NULL,
    };
    for (size_t i = 0; i < sizeof remarks / sizeof *remarks; i++)
        if (remarks[i] && index-- == 0)
            return remarks[i];
    return NULL;
}

bool weft_server_has_page(void)
{
    return routes_page_size > 0;
}
