/* SPDX-License-Identifier: Apache-2.0 */
/* A stand-in for OpenCilk: its keywords left away, which is what a Cilk program means. */
#ifndef WEFT_STANDIN_CILK_H
#define WEFT_STANDIN_CILK_H

#define cilk_spawn
#define cilk_sync ((void)0)

#endif
