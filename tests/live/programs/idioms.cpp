// SPDX-License-Identifier: Apache-2.0
// Ten idioms of C++20, each with a lock that is held, or a wait of 0.1 s.  A mark at the end of a
// line says what is there: "held LOCK", "waits LOCK", "at" (a thread waits for something else),
// "thread" (a lambda begins that a thread runs).
#include <atomic>
#include <barrier>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <future>
#include <latch>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <thread>
#include <unistd.h>
#include "guarded.hpp"

static std::mutex plain, unique, first, second, called, guard_of_flag;
static std::shared_mutex shared;
static std::condition_variable changed;
static std::once_flag once;
static Guarded<int> guarded;
static bool flag;
static std::atomic<int> holding;

static inline void hold()
{
    holding = 1;
    usleep(100000); // at
}
static void until_held()
{
    while (!holding)
        sched_yield();
    holding = 0;
}
static void lock_guards()
{
    std::thread t([] { // thread
        std::lock_guard<std::mutex> g(plain); // held plain
        hold();
    });
    until_held();
    {
        std::lock_guard<std::mutex> g(plain); // waits plain
    }
    t.join();
}
static void unique_locks()
{
    std::thread t([] { // thread
        std::unique_lock<std::mutex> g(unique); // held unique
        hold();
    });
    until_held();
    std::unique_lock<std::mutex> g(unique, std::defer_lock);
    g.lock(); // waits unique
    g.unlock();
    t.join();
}
static void scoped_locks()
{
    std::thread t([] { // thread
        first.lock(); // held first
        hold();
        first.unlock();
    });
    until_held();
    {
        std::scoped_lock g(first, second); // waits first
    }
    t.join();
}
static void conditions()
{
    std::thread t([] { // thread
        std::unique_lock<std::mutex> g(guard_of_flag);
        holding = 1;
        changed.wait(g, [] { return flag; }); // at
    });
    until_held();
    usleep(100000); // at
    {
        std::lock_guard<std::mutex> g(guard_of_flag);
        flag = true;
    }
    changed.notify_one();
    t.join();
}
static void futures()
{
    auto later = std::async(std::launch::async, [] { // thread
        usleep(100000); // at
        return 1;
    });
    later.get(); // at
    std::promise<int> promise;
    std::thread t([&] { // thread
        usleep(100000); // at
        promise.set_value(2);
    });
    promise.get_future().wait(); // at
    t.join();
}
static void joins()
{
    int n = 100000;
    std::thread t([n](int more) { // thread
        usleep(n + more); // at
        holding = 0; // a call at the very end would be a jump, without a place of its own
    }, 1);
    t.join(); // at
}
static void newer()
{
    std::latch latch(1);
    std::barrier barrier(2);
    std::counting_semaphore<4> semaphore(0);
    std::jthread t([&](std::stop_token) { // thread
        latch.wait(); // at
        usleep(100000); // at
        barrier.arrive_and_wait();
        usleep(100000); // at
        semaphore.release();
    });
    usleep(100000); // at
    latch.count_down();
    barrier.arrive_and_wait(); // at
    semaphore.acquire(); // at
}
static void run(const std::function<void(int)> &callback, int n)
{
    callback(n);
}
static void callbacks()
{
    std::thread t([] { // thread
        run([](int) {
            std::lock_guard<std::mutex> g(called); // held called
            hold();
        }, 1);
    });
    until_held();
    run([](int) {
        called.lock(); // waits called
        called.unlock();
    }, 2);
    t.join();
}
static void readers()
{
    std::thread t([] { // thread
        std::unique_lock<std::shared_mutex> g(shared); // held shared
        hold();
    });
    until_held();
    {
        std::shared_lock<std::shared_mutex> g(shared); // waits shared
    }
    t.join();
}
static void once_only()
{
    std::thread t([] { // thread
        std::call_once(once, [] { hold(); });
    });
    until_held();
    std::call_once(once, [] {}); // at
    t.join();
}
static void wrapped()
{
    std::thread t([] { // thread
        guarded.with([](int &n) { n++; hold(); });
    });
    until_held();
    guarded.with([](int &n) { n++; });
    t.join();
}
int main()
{
    lock_guards();
    unique_locks();
    scoped_locks();
    conditions();
    futures();
    joins();
    newer();
    callbacks();
    readers();
    once_only();
    wrapped();
}
