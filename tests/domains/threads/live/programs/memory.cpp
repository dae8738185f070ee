// SPDX-License-Identifier: Apache-2.0
// Allocates by C++'s operators what memory.sh expects.
#include <cstdio>
#include <new>

#define KEPT __attribute__((noinline, noclone)) static
static void *volatile keep;

struct leaked {
    char bytes[24];
};
struct alignas(64) aligned {
    char bytes[256];
};

KEPT long *make_one() { auto p = new long; keep = p; return p; }
KEPT char *make_array() { auto p = new char[1000]; keep = p; return p; }
KEPT void *make_leaked() { auto p = new (std::nothrow) leaked; keep = p; return p; }
KEPT aligned *make_aligned() { auto p = new aligned; keep = p; return p; }
KEPT char *make_too_large(std::size_t n) { auto p = new char[n]; keep = p; return p; }

int main(int n_arguments, char **)
{
    for (int i = 0; i < 5; i++)
        delete make_one();
    delete make_aligned();
    make_leaked();
    make_leaked();
    for (int i = 0; i < 3; i++)
        delete[] make_array();
    try {
        make_too_large(static_cast<std::size_t>(n_arguments) << 60);
    } catch (const std::bad_alloc &) {
        std::puts("refused");
    }
}
