// SPDX-License-Identifier: Apache-2.0
// Locks and waits of the C++ library, in all kinds of functions that threads run.  A mark at
// the end of a line says what is there: the place where locks are held ("held LOCK..."), or
// waited for ("waits LOCK..."), or where a thread sleeps, joins or waits ("at").
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <functional>
#include <future>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <unistd.h>
using namespace std::chrono_literals;
static std::mutex m1, m2, m3, m4, m5, m6;
static std::recursive_mutex m7;
static std::timed_mutex m8;
static std::shared_mutex s1;
static std::shared_timed_mutex s2;
static std::mutex cm;
static std::condition_variable cv;
static std::mutex cm2;
static std::condition_variable_any cva;
static bool ready, ready2;
static std::atomic<bool> held;
static inline __attribute__((always_inline)) void hold(int more = 0)
{
    held = true;
    usleep(150000 + more); // at
}
static void wait_for_holder()
{
    while (!held)
        std::this_thread::yield();
    held = false;
}
struct Functor {
    int n;
    void operator()() const
    {
        std::lock_guard<std::mutex> g(m2); // held m2
        held = true;
        std::this_thread::sleep_for(150ms); // at
    }
};
struct Object {
    std::mutex own;
    void member(int)
    {
        std::unique_lock<std::mutex> g(m3); // held m3
        hold();
    }
};
static void plain()
{
    m1.lock(); // held m1
    hold();
    m1.unlock();
}
static void bound(int a, int b)
{
    std::scoped_lock g(m4, m5);
    hold(a + b);
}
template <class M> static void templated(M &m)
{
    m.lock(); // held m7 m8
    hold();
    m.unlock();
}
int main()
{
    Object object;
    {
        std::thread a(plain);
        wait_for_holder();
        m1.lock(); // waits m1
        m1.unlock();
        a.join(); // at
    }
    {
        std::thread a(Functor{ 3 });
        wait_for_holder();
        std::unique_lock<std::mutex> g(m2); // waits m2
        g.unlock();
        a.join(); // at
    }
    {
        std::thread a(&Object::member, &object, 3);
        wait_for_holder();
        std::scoped_lock<std::mutex> g(m3); // waits m3
        a.join(); // at
    }
    {
        std::thread a(std::bind(bound, 1, 2));
        wait_for_holder();
        m4.lock(); // waits m4
        m4.unlock();
        a.join(); // at
    }
    {
        std::function<void()> f = [] {
            std::unique_lock<std::shared_mutex> g(s1); // held s1
            hold();
        };
        std::thread a(f);
        wait_for_holder();
        std::shared_lock<std::shared_mutex> g(s1); // waits s1
        a.join(); // at
    }
    {
        std::thread a([] {
            std::lock_guard<std::shared_timed_mutex> g(s2); // held s2
            hold();
        });
        wait_for_holder();
        s2.lock_shared(); // waits s2
        s2.unlock_shared();
        a.join(); // at
    }
    {
        auto f = std::async(std::launch::async, [] {
            std::lock_guard g(m6); // held m6
            hold();
            return 3;
        });
        wait_for_holder();
        {
            std::lock_guard g(m6); // waits m6
        }
        printf("%d\n", f.get());
    }
    {
        std::thread a([] {
            std::unique_lock<std::mutex> g(cm);
            held = true; // main gets the mutex in the wait
            cv.wait(g, [] { return ready; }); // at
        });
        wait_for_holder();
        std::thread b([] {
            std::unique_lock<std::mutex> g(cm2);
            held = true;
            while (!ready2)
                cva.wait(g); // at
        });
        wait_for_holder();
        { std::lock_guard<std::mutex> g(cm); ready = true; cv.notify_all(); }
        { std::lock_guard<std::mutex> g(cm2); ready2 = true; cva.notify_all(); }
        a.join();
        b.join();
    }
    {
        std::thread a([] { templated(m7); templated(m8); });
        wait_for_holder();
        m7.lock(); // waits m7
        wait_for_holder();
        m8.lock(); // waits m8
        m7.unlock();
        m8.unlock();
        a.join();
    }
}
