/* SPDX-License-Identifier: Apache-2.0 */
/* Who may ask: every combination of right and wrong Host, Origin and token. */
#include "serve/access.h"
#include "tests/test.h"

static const char token[] = "0123456789abcdef";
static const char *const names[] = { "login.example.org", "node7", NULL };
static const struct access_rules rules = {
    .token = token, .prefix = "/user/me", .hosts = names, .port = 8080
};

struct text {
    const char *text;
    bool right;
};

static const struct text hosts[] = {
    { "127.0.0.1:8080", true },
    { "localhost:8080", true },
    { "LocalHost:8080", true },
    { "[::1]:8080", true },
    { "login.example.org", true },
    { "LOGIN.example.org:443", true },
    { "node7", true },
    { NULL, false },
    { "", false },
    { ":8080", false },
    { "127.0.0.1", false },
    { "127.0.0.1:808", false },
    { "127.0.0.1:80800", false },
    { "127.0.0.1:8080.evil.example", false },
    { "127.0.0.1:8080@evil.example", false },
    { "evil.example:8080", false },
    { "evil.example", false },
    { "login.example.org.evil.example", false },
    { "evil-login.example.org", false },
    { "login.example", false },
    { "node77", false },
    { "node", false },
    { "::1:8080", false },
};

static const struct text origins[] = {
    { NULL, true }, /* not from a page of another site: browsers would send one */
    { "http://127.0.0.1:8080", true },
    { "http://localhost:8080", true },
    { "https://login.example.org", true },
    { "null", false },
    { "", false },
    { "http://", false },
    { "http:127.0.0.1:8080", false },
    { "127.0.0.1:8080", false },
    { "ftp://127.0.0.1:8080", false },
    { "httpx://127.0.0.1:8080", false },
    { "http:evil://127.0.0.1:8080", false },
    { "http://evil.example", false },
    { "http://evil.example://127.0.0.1:8080", false },
    { "http://127.0.0.1:8081", false },
    { "http://127.0.0.1:8080/", false },
};

static const struct text tokens[] = {
    { token, true },
    { NULL, false },
    { "", false },
    { "0123456789abcde", false },
    { "0123456789abcdef0", false },
    { "0123456789abcdeF", false },
    { "1123456789abcdef", false },
};

#define LENGTH(array) (sizeof(array) / sizeof *(array))

static void test_every_combination(void **state)
{
    (void)state;
    for (size_t h = 0; h < LENGTH(hosts); h++)
        for (size_t o = 0; o < LENGTH(origins); o++)
            for (size_t b = 0; b < LENGTH(tokens); b++)
                for (size_t t = 0; t < LENGTH(tokens); t++) {
                    char bearer[64] = "";
                    unsigned status = 0;
                    snprintf(bearer, sizeof bearer, "Bearer %s",
                             tokens[b].text ? tokens[b].text : "");
                    const struct access_claim claim = { hosts[h].text, origins[o].text,
                                                        tokens[b].text ? bearer : NULL,
                                                        tokens[t].text };
                    const char *why = access_refusal(&rules, &claim, &status);
                    bool known = tokens[b].right || tokens[t].right;
                    if (hosts[h].right && origins[o].right && known) {
                        assert_null(why);
                        continue;
                    }
                    assert_non_null(why);
                    assert_int_equal(status,
                                     hosts[h].right && origins[o].right ? 401 : 403);
                    assert_null(strstr(why, token));
                }
}

/* Each byte of the token counts, and only "Bearer " introduces it. */
static void test_a_token_that_differs_anywhere_is_wrong(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof token - 1; i++)
        for (int byte = 1; byte < 256; byte++) {
            char changed[sizeof token];
            unsigned status;
            memcpy(changed, token, sizeof token);
            changed[i] = (char)byte;
            const struct access_claim claim = { "localhost:8080", NULL, NULL, changed };
            bool passes = !access_refusal(&rules, &claim, &status);
            assert_true(passes == (changed[i] == token[i]));
        }
    static const char *const headers[] = { "Basic 0123456789abcdef", "0123456789abcdef",
                                           "Bearer", "Bearer  0123456789abcdef",
                                           "Bearer0123456789abcdef" };
    for (size_t i = 0; i < LENGTH(headers); i++) {
        unsigned status;
        const struct access_claim claim = { "localhost:8080", NULL, headers[i], NULL };
        assert_non_null(access_refusal(&rules, &claim, &status));
        assert_int_equal(status, 401);
    }
}

static void test_without_further_names_only_the_loopback_is_known(void **state)
{
    const struct access_rules strict = { .token = token, .port = 80 };
    unsigned status;
    (void)state;
    struct access_claim claim = { "localhost:80", NULL, NULL, token };
    assert_null(access_refusal(&strict, &claim, &status));
    claim.host = "login.example.org";
    assert_non_null(access_refusal(&strict, &claim, &status));
}

/* An address that the server was told to listen at is one of its names. */
static void test_the_own_address_is_known(void **state)
{
    static const struct {
        const char *address;
        unsigned port;
        const char *host;
        bool right;
    } cases[] = {
        { "127.0.0.2", 8080, "127.0.0.2:8080", true },
        { "127.0.0.2", 8080, "127.0.0.1:8080", true },
        { "127.0.0.2", 8080, "127.0.0.2", false },
        { "127.0.0.2", 8080, "127.0.0.2:80", false },
        { "127.0.0.2", 8080, "127.0.0.22:8080", false },
        { "127.0.0.2", 8080, "127.0.0.2:8080.evil.example", false },
        { "127.0.0.2", 8080, "127.0.0.3:8080", false },
        { "[FE80::1]", 8080, "[fe80::1]:8080", true },
        { "[fe80::1]", 8080, "fe80::1:8080", false },
        /* Port 80 is left out of Host and Origin. */
        { "127.0.0.2", 80, "127.0.0.2", true },
        { "127.0.0.2", 80, "127.0.0.2:80", true },
        { "127.0.0.2", 80, "localhost", true },
        { "127.0.0.2", 80, "[::1]", true },
        { "127.0.0.2", 80, "127.0.0.2:8080", false },
        { "127.0.0.2", 80, "127.0.0.2.evil.example", false },
        { "127.0.0.2", 80, "localhost.evil.example", false },
        { "127.0.0.2", 80, "", false },
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        const struct access_rules own = { .token = token,
                                          .address = cases[i].address,
                                          .port = cases[i].port };
        char origin[64];
        unsigned status;
        snprintf(origin, sizeof origin, "http://%s", cases[i].host);
        const struct access_claim by_host = { cases[i].host, NULL, NULL, token };
        const struct access_claim by_origin = { "localhost:80", origin, NULL, token };
        assert_true(!access_refusal(&own, &by_host, &status) == cases[i].right);
        if (cases[i].port == 80)
            assert_true(!access_refusal(&own, &by_origin, &status) == cases[i].right);
    }
}

static void test_the_prefix_is_taken_off(void **state)
{
    static const char *const cases[][2] = {
        { "/user/me/view/x.svg", "/view/x.svg" },
        { "/user/me/", "/" },
        { "/user/me", "/" },
        { "/view/x.svg", "/view/x.svg" },
        { "/", "/" },
        { "", "/" },
        { "/user/me2/view", "/user/me2/view" }, /* somebody else's */
        { "/user/m", "/user/m" },
        { "/user/me/user/me/x", "/user/me/x" },
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++)
        assert_string_equal(access_path(&rules, cases[i][0]), cases[i][1]);
    assert_string_equal(access_path(&(struct access_rules){ .token = token }, "/user/me"),
                        "/user/me");
    assert_string_equal(access_path(&(struct access_rules){ .prefix = "" }, ""), "/");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_combination),
        cmocka_unit_test(test_a_token_that_differs_anywhere_is_wrong),
        cmocka_unit_test(test_without_further_names_only_the_loopback_is_known),
        cmocka_unit_test(test_the_own_address_is_known),
        cmocka_unit_test(test_the_prefix_is_taken_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
