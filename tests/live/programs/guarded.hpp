/* SPDX-License-Identifier: Apache-2.0 */
/* A template of the program's own, in a header: what it locks is locked here. */
#ifndef GUARDED_H
#define GUARDED_H

#include <mutex>

template <class T> class Guarded {
public:
    template <class F> auto with(F f)
    {
        std::lock_guard<std::mutex> guard(lock_); // held Guarded waits Guarded
        return f(value_);
    }

private:
    std::mutex lock_;
    T value_{};
};

#endif
