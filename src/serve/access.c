/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/access.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/*
 * Compares in constant time, so that an attacker cannot measure how many characters are
 * right.
 */
static bool same_text(const char *given, const char *right)
{
    size_t n = strlen(right);
    unsigned char difference = 0;
    if (strlen(given) != n)
        return false;
    for (size_t i = 0; i < n; i++)
        difference |= (unsigned char)(given[i] ^ right[i]);
    return !difference;
}

/* Returns true if HOST is this name with the server's port; clients leave port 80 out. */
static bool is_own(const struct access_rules *rules, const char *name, const char *host)
{
    size_t n = strlen(name);
    char port[8]; /* ":65535" */
    snprintf(port, sizeof port, ":%u", rules->port);
    return strncasecmp(name, host, n) == 0
           && (strcmp(host + n, port) == 0 || (rules->port == 80 && !host[n]));
}

static bool is_host(const struct access_rules *rules, const char *host)
{
    static const char *const local[] = { "127.0.0.1", "localhost", "[::1]" };
    for (size_t i = 0; i < sizeof local / sizeof *local; i++)
        if (is_own(rules, local[i], host))
            return true;
    if (rules->address && is_own(rules, rules->address, host))
        return true;
    for (size_t i = 0; rules->hosts && rules->hosts[i]; i++) {
        size_t n = strlen(rules->hosts[i]);
        if (strncasecmp(rules->hosts[i], host, n) == 0 && (!host[n] || host[n] == ':'))
            return true;
    }
    return false;
}

static bool is_origin(const struct access_rules *rules, const char *origin)
{
    size_t scheme = strncmp(origin, "http://", 7) == 0    ? 7
                    : strncmp(origin, "https://", 8) == 0 ? 8
                                                          : 0;
    return scheme && is_host(rules, origin + scheme);
}

const char *access_refusal(const struct access_rules *rules,
                           const struct access_claim *claim, unsigned *status)
{
    static const char bearer[] = "Bearer ";
    *status = 403;
    if (!claim->host || !is_host(rules, claim->host))
        return "this server is not known by that name (weft view --allow-host NAME)";
    if (claim->origin && !is_origin(rules, claim->origin))
        return "requests from other sites are not answered";
    if (claim->authorization && strncmp(claim->authorization, bearer, strlen(bearer)) == 0
        && same_text(claim->authorization + strlen(bearer), rules->token))
        return NULL;
    if (claim->token && same_text(claim->token, rules->token))
        return NULL;
    *status = 401;
    return "the token is missing or wrong: open the address that weft view printed";
}

const char *access_path(const struct access_rules *rules, const char *path)
{
    size_t n = rules->prefix ? strlen(rules->prefix) : 0;
    if (n && strncmp(path, rules->prefix, n) == 0 && (path[n] == '/' || !path[n]))
        path += n;
    return *path ? path : "/";
}
