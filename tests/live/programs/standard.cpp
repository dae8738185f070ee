// SPDX-License-Identifier: Apache-2.0
// Threads of C++'s library: pool::serve(2) and a lambda of main wait for pool::gate, which main
// holds for 100 ms; a member function waits in pool::full, 100 ms more.
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "asleep.h"

namespace pool {
std::mutex gate;
std::condition_variable full;
bool is_full;
int of_server, of_taker; // numbers of threads

void serve(int which)
{
    if (which == 2)
        __atomic_store_n(&of_server, own_thread(), __ATOMIC_RELEASE);
    std::lock_guard<std::mutex> lock(gate);
}

struct Queue {
    int length = 0;

    void take()
    {
        __atomic_store_n(&of_taker, own_thread(), __ATOMIC_RELEASE);
        std::unique_lock<std::mutex> lock(gate);
        full.wait(lock, [] { return is_full; });
        length++;
    }
};
} // namespace pool

int main()
{
    pool::Queue queue;

    pool::gate.lock();
    std::thread server(pool::serve, 2);
    std::thread anonymous([] { pool::serve(3); });
    std::thread taker(&pool::Queue::take, &queue);
    wait_until_at(&pool::of_server, &pool::gate, sizeof pool::gate);
    wait_until_at(&pool::of_taker, &pool::gate, sizeof pool::gate);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    pool::gate.unlock();
    wait_until_at(&pool::of_taker, &pool::full, sizeof pool::full);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    {
        std::lock_guard<std::mutex> lock(pool::gate);
        pool::is_full = true;
        pool::full.notify_all();
    }
    server.join();
    anonymous.join();
    taker.join();
}
