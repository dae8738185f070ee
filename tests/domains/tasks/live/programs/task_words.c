/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program of the thesis's figure 1.2a, as it is printed there, in C and in C++, on whatever
 * runtime it is compiled for: task_words N.  Prints fib(N), where fib(0) = fib(1) = 1.
 */
#include <stdio.h>
#include <stdlib.h>

#include <weft/dag_recorder/weft_task_words.h>

// clang-format off
cilk int fib(int n) {
  if (n < 2)
    return 1;
  else {
    int x, y;
    mk_task_group;

    create_task( x, x = spawn fib(n-1) );

    create_task( y, y = spawn fib(n-2) );

    wait_tasks;
    return x+y;
  }
}
// clang-format on

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 3, result = 0;

    weft_run_tasks(dr_start(); result = fib(n); dr_stop(););
    dr_dump();
    printf("%d\n", result);
    return 0;
}
