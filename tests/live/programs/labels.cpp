// SPDX-License-Identifier: Apache-2.0
// Functions that a compiler makes of a part of another one; each works for 0.1 s of its thread's
// time.  A mark says which of them a thread runs ("thread") and which works ("works").
#include <ctime>
#include <functional>
#include <future>
#include <mutex>
#include <pthread.h>
#include <thread>

static std::mutex lock;
static __attribute__((always_inline)) inline void work()
{
    timespec now;
    do {
        std::lock_guard<std::mutex> g(lock); // a sample may be in the recorder's hook
        for (volatile int i = 0; i < 20000; i = i + 1)
            ;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    } while (now.tv_nsec % 1000000000 < 100000000);
}
struct Worker {
    int rounds = 0;
    void start()
    {
        std::thread t([this] { // thread works
            rounds++;
            work();
            rounds++;
        });
        t.join();
    }
};
int main()
{
    std::function<void(int)> f = [](int) { // works
        work();
    };
    std::thread direct([&](int n) { // thread
        f(n);
        lock.lock();
        lock.unlock();
    }, 3);
    direct.join();
    auto later = std::async(std::launch::async, [] { // thread works
        work();
        return 1;
    });
    later.get();
    Worker().start();
    pthread_t id;
    pthread_create(&id, nullptr, [](void *) -> void * { // thread works
        work();
        return nullptr;
    }, nullptr);
    pthread_join(id, nullptr);
}
