/* SPDX-License-Identifier: Apache-2.0 */
/* What the sanitizers are told by programs that ask mutants: to end them beyond a size. */

/* MiB: of one allocation, and of the process with what the sanitizer keeps. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "max_allocation_size_mb=512:hard_rss_limit_mb=1024:quarantine_size_mb=16";
}
__attribute__((visibility("default"))) const char *__ubsan_default_options(void);
const char *__ubsan_default_options(void)
{
    return "halt_on_error=1:print_stacktrace=1";
}
/* fontconfig keeps its configuration for the life of the process. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libfontconfig\nleak:libpango\n";
}
