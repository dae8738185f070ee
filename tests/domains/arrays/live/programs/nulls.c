/* SPDX-License-Identifier: Apache-2.0 */
/* NULL where a name, a kind, a shape or a list of indices is asked for: no call fails. */
#include <stdio.h>

#include "weft/weft.h"
#include "weft/weft_array.h"
#include <weft/mpicl/binding.h>

int main(void)
{
    const size_t shape[1] = { 8 };
    int no_name, no_shape, array;

    weft_begin_text(NULL);
    weft_end();
    weft_thread_name(NULL);
    no_name = weft_array(NULL, 1, shape);
    no_shape = weft_array("x", 1, NULL);
    array = weft_array("y", 1, shape);
    weft_array_reference(0, array, NULL, array, shape, shape, 0);
    weft_array_reference(0, array, shape, array, NULL, NULL, 1);
    tracelevel(1, 1, 1);
    traceevent(NULL, 1, 0);
    tracedata(1, 2, NULL, 1, shape);
    weft_instant("behind them");
    printf("%d %d %d\n", no_name, no_shape, array);
    return 0;
}
