/* SPDX-License-Identifier: Apache-2.0 */
/* Binary searches, as macros that evaluate an expression for an index. */
#ifndef WEFT_BASE_SEARCH_H
#define WEFT_BASE_SEARCH_H

/* clang-format off */

/*
 * Returns the first I, FROM <= I < TO, for which the expression IS_TRUE holds, in which the
 * name I stands for the index; TO if there is none, FROM if FROM >= TO.  If IS_TRUE holds
 * for one I, it must hold for all greater ones.  FROM and TO are evaluated once, IS_TRUE
 * O(log(TO - FROM)) times.
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
 * Returns the last I, FROM < I < TO, for which the expression IS_TRUE holds; FROM if there
 * is none, also if IS_TRUE, which is not evaluated for FROM, would be false there.  If it
 * holds for one I, it must hold for all smaller ones.
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
