/* SPDX-License-Identifier: Apache-2.0 */
/* Names of C++ and Rust, as c++filt and rustfilt print them. */
#include "read/recording/sites/demangle.h"
#include "tests/test.h"

static void is(const char *symbol, bool parameters, const char *expected)
{
    char *name = demangle(symbol, parameters);

    if (expected)
        assert_string_equal(name, expected);
    else
        assert_null(name);
    free(name);
}

static void names(void **state)
{
    (void)state;
    is("_ZNSt5mutex4lockEv", false, "std::mutex::lock");
    is("_ZNSt5mutex4lockEv", true, "std::mutex::lock()");
    is("_Z3addIiET_S0_S0_", true, "int add<int>(int, int)");
    is("_RNvC6_123foo3bar", false, "123foo::bar");
    is("_ZN3foo3bar17h05af221e174051e9E", false, "foo::bar");
    is("main", false, NULL);
    is("_Z", false, NULL);
    is("_ZZZZZZ", true, NULL);
}

/* A<int, int> is a part of A<that, that>, which is a part of the next one, and so on. */
static void doubled(void **state)
{
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    char symbol[1024] = "_Z1fI1AIiiE";

    (void)state;
    for (size_t i = 0; i < 36; i++)
        sprintf(symbol + strlen(symbol), "S_IS%c_S%c_E", digits[i], digits[i]);
    strcat(symbol, "EvT_");
    is(symbol, true, NULL);
    is(symbol, false, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(names),
                                        cmocka_unit_test(doubled) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
