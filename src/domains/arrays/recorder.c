/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/command.h"
#include "domains/arrays/cli/record_arrays.h"
#include "domains/arrays/format/records.h"
#include "read/recording/recorder_registry.h"

extern const struct join_family join_arrays;
extern const struct weft_recorder weft_recorder_arrays;

static const struct weft_option options[] = {
    { "array", 0, "NAME:SHAPE:TYPE", true,
      "--with arrays: this variable of PROGRAM is an array, such as B:10x10:double" },
};

const struct weft_recorder weft_recorder_arrays = {
    .number = WEFT_FAMILY_ARRAYS,
    .name = "arrays",
    .library = "libweft-record-arrays.so",
    .records =
        "references to arrays that a program says through weft_array.h; when it is named, all "
        "references of a program that is compiled with -fsanitize=thread and linked with "
        "-lweft-array",
    .by_default = true,
    .join = &join_arrays,
    .help =
        "References to arrays: weft_array.h has the calls by which a program says them. With "
        "--with arrays, the loads and stores of a program are recorded that was compiled by cc "
        "-O1 -g -fsanitize=thread -c and linked with -lweft-array.",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .hooks = &record_arrays_hooks,
};
