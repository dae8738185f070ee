// SPDX-License-Identifier: Apache-2.0
// Locks of C++'s library, which no call initializes: they are called after the program's own line
// at which they were first used.  The marks are those of lock_names.c.
#include <condition_variable>
#include <memory>
#include <mutex>
#include <shared_mutex>

#include "weft/weft.h"

namespace pool {
std::mutex gate; // called: pool::gate

struct Queue {
    int length = 0;
    std::mutex lock;
    std::condition_variable full;
    std::shared_mutex table;
    std::recursive_mutex again;
    std::timed_mutex timed;

    void put()
    {
        std::lock_guard<std::mutex> guard(lock); // is: mutex, mutex 2
        length++;
        full.notify_one(); // is: condition, condition 2
    }
    void use()
    {
        std::lock_guard<std::recursive_mutex> outer(again); // is: mutex, mutex 2
        std::lock_guard<std::recursive_mutex> inner(again);
        std::shared_lock<std::shared_mutex> reading(table); // is: read-write lock, read-write lock 2
        std::unique_lock<std::timed_mutex> waiting(timed); // is: mutex, mutex 2
        std::lock_guard<std::mutex> guard(lock);
    }
};

struct Base {
    long length;
    std::mutex lock; // called: pool::derived.lock
};
struct Derived : Base {
    std::mutex locks[2]; // called: pool::derived.locks[1]
    static std::mutex shared;
};
std::mutex Derived::shared; // called: pool::Derived::shared
Derived derived;
} // namespace pool

int main()
{
    static std::mutex local; // called: main::local
    auto first = std::make_unique<pool::Queue>(), second = std::make_unique<pool::Queue>();
    auto named = std::make_unique<std::mutex>();
    std::lock_guard<std::mutex> guard(pool::gate);

    std::lock_guard<std::mutex> of_main(local);
    std::lock_guard<std::mutex> inherited(pool::derived.lock);
    std::lock_guard<std::mutex> element(pool::derived.locks[1]);
    std::lock_guard<std::mutex> member(pool::Derived::shared);

    first->put();
    second->put();
    first->use();
    second->use();
    weft_name_object(named.get(), "the named one"); // called: the named one
    std::lock_guard<std::mutex> last(*named);
}
