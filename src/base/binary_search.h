/* SPDX-License-Identifier: Apache-2.0 */
/* Binary searches, as macros that evaluate an expression for an index. */
#ifndef WEFT_BASE_BINARY_SEARCH_H
#define WEFT_BASE_BINARY_SEARCH_H

/* clang-format off */

/*
 * Returns the first index from FROM on, below TO, for which the expression IS_TRUE holds,
 * which refers to the index by the name I; TO if there is none; FROM if FROM >= TO.  Where
 * IS_TRUE holds for one index, it must hold for all greater ones.  FROM and TO are
 * evaluated once, IS_TRUE O(log(TO - FROM)) times.
 *
 *     size_t at = WEFT_FIRST(i, 0, n, list[i].time >= time);
 */
#define WEFT_FIRST(i, from, to, is_true)                                                   \
    ({                                                                                     \
        __typeof__((from) + (to)) low_ = (from), high_ = (to);                             \
        while (low_ < high_) {                                                             \
            __typeof__(low_) i = low_ + (high_ - low_) / 2;                                \
            if (is_true)                                                                   \
                high_ = i;                                                                 \
            else                                                                           \
                low_ = i + 1;                                                              \
        }                                                                                  \
        low_;                                                                              \
    })

/*
 * Returns the last index above FROM, below TO, for which the expression IS_TRUE holds,
 * which refers to the index by the name I; FROM if there is none: IS_TRUE is not evaluated
 * for FROM, where it may be false.  Where it holds for one index above FROM, it must hold
 * for all smaller ones.
 */
#define WEFT_LAST(i, from, to, is_true)                                                    \
    ({                                                                                     \
        __typeof__((from) + (to)) low_ = (from), high_ = (to);                             \
        while (low_ + 1 < high_) {                                                         \
            __typeof__(low_) i = low_ + (high_ - low_) / 2;                                \
            if (is_true)                                                                   \
                low_ = i;                                                                  \
            else                                                                           \
                high_ = i;                                                                 \
        }                                                                                  \
        low_;                                                                              \
    })

/* clang-format on */

#endif
