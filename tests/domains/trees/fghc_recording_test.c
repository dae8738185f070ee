/* SPDX-License-Identifier: Apache-2.0 */
/* Recordings of runs: what is written is read, in order, and what a kill leaves is, too. */
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

#include "domains/trees/fghc/machine_priv.h"
#include "tests/random.h"
#include "tests/test.h"

enum { PES = 3, MAX_RECORDS = 20000 };

static const char source[] = "p(X) :- q(X), q(X).\nq(_).\n";
static struct program program;
static struct query query;
static char path[64];
static struct recorder recorder;
static struct record_log logs[PES];

static int set_up(void **state)
{
    (void)state;
    struct weft_err err;
    struct program_text text = { "p.fghc", source, sizeof source - 1 };
    assert_true(program_read_texts(&program, &text, 1, &err));
    assert_true(program_read_goal(&program, "p(1)", &query, &err));
    strcpy(path, "/tmp/weft-recording-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    assert_true(recorder_open(&recorder, path, &program, &query, PES, &err));
    for (uint16_t i = 0; i < PES; i++) {
        log_open(&logs[i], i);
        assert_true(recorder_flush(&recorder, &logs[i], 1000, 0, false, &err));
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    if (recorder.fd >= 0)
        recorder_close(&recorder);
    for (int i = 0; i < PES; i++)
        log_close(&logs[i]);
    program_free(&program);
    unlink(path);
    return 0;
}

static void flush(unsigned pe, uint64_t tick, bool is_last)
{
    struct weft_err err;
    /* Half a nanosecond a tick. */
    assert_true(
        recorder_flush(&recorder, &logs[pe], tick, (tick - 1000) / 2, is_last, &err));
}

/* Nobody reads what is still written. */
static void end_recording(void)
{
    struct weft_err err;
    if (recorder.fd < 0)
        return;
    assert_null(fghc_recording_open(path, &err));
    assert_int_equal(err.code, WEFT_ERR_READ);
    recorder_close(&recorder);
}

static struct fghc_recording *open_it(void)
{
    struct weft_err err;
    end_recording();
    struct fghc_recording *recording = fghc_recording_open(path, &err);
    if (!recording)
        fail_msg("%s", err.message);
    return recording;
}

static void test_parents_come_first(void **state)
{
    (void)state;
    /* PE 1's clock is behind: by their times alone its child would come before the root. */
    log_reduction(&logs[0], 1200, 0, 0, 1, NULL);
    log_reduction(&logs[0], 1400, 0, 1, 2, NULL);
    log_reduction(&logs[1], 1100, 0, 1, 1, NULL);
    log_reduction(&logs[1], 1300, 1, 1, 2, NULL);
    for (unsigned i = 0; i < PES; i++)
        flush(i, 2000, true);
    struct fghc_recording *recording = open_it();
    struct fghc_order order;
    static const struct {
        unsigned pe, index;
        uint64_t time;
    } right[] = { { 0, 1, 100 }, { 1, 1, 50 }, { 1, 2, 150 }, { 0, 2, 200 } };
    fghc_order_open(&order, recording);
    for (int i = 0; i < 4; i++) {
        assert_true(fghc_order_next(&order));
        assert_int_equal(order.pe, right[i].pe);
        assert_int_equal(order.index, right[i].index);
        assert_int_equal(order.record.time, right[i].time);
    }
    assert_false(fghc_order_next(&order));
    fghc_order_close(&order);
    fghc_recording_close(recording);
}

/* ---- Random runs ---- */

static struct made_record {
    uint64_t tick;
    unsigned pe;
    uint64_t index;
    struct fghc_record record;
    struct fghc_wait wait;
    uint64_t idle; /* a tick before it since when the PE was idle; 0: it was not */
} made[MAX_RECORDS];
static size_t n_made;

/* Records of all kinds, on all PEs, with times that grow; some blocks are written between. */
static void make(size_t n, uint64_t seed)
{
    uint64_t tick = 1000, counts[PES] = { 0 };
    n_made = 0;
    roll_from(seed);
    for (size_t i = 0; i < n; i++) {
        struct made_record *m = &made[n_made++];
        memset(m, 0, sizeof *m);
        m->pe = i ? (unsigned)roll(PES) : 0;
        if (roll(10) == 0) {
            m->idle = tick += 2 * roll(50) + 2;
            tick += 2 * roll(50);
            log_idle(&logs[m->pe], m->idle, tick);
        }
        m->tick = tick += 2 * roll(roll(5) ? 60 : 1 << 20);
        m->index = ++counts[m->pe];
        if (i) {
            const struct made_record *parent =
                &made[roll(4) && i > 3 ? i - 1 - roll(3) : roll(i)];
            m->record.parent_pe = (uint16_t)parent->pe;
            m->record.parent_index = (uint32_t)parent->index;
        }
        m->record.clause = (uint16_t)(1 + roll(2));
        if (roll(5) == 0) {
            m->wait = (struct fghc_wait){ .suspended = tick - 2 * roll(400),
                                          .woken = tick + 2 * roll(9),
                                          .count = 1 + (uint32_t)roll(300),
                                          .by_index = (uint32_t)roll(i + 1),
                                          .by_pe = (uint16_t)roll(PES),
                                          .site = 1,
                                          .argument = 1 };
            if (m->wait.suspended < 1000)
                m->wait.suspended = 1000;
        }
        log_reduction(&logs[m->pe], m->tick, m->record.parent_pe, m->record.parent_index,
                      m->record.clause, m->wait.count ? &m->wait : NULL);
        if (roll(50) == 0 || log_is_full(&logs[m->pe]))
            flush(m->pe, tick, false);
    }
    tick += 1000; /* 500 ns */
    for (unsigned i = 0; i < PES; i++)
        flush(i, tick, true);
}

static uint64_t ns(uint64_t tick)
{
    return (tick - 1000) / 2;
}

static void check(const struct fghc_order *order, const struct made_record *m)
{
    assert_int_equal(order->pe, m->pe);
    assert_int_equal(order->index, m->index);
    assert_int_equal(order->record.time, ns(m->tick));
    assert_int_equal(order->record.clause, m->record.clause);
    assert_int_equal(order->record.parent_index, m->record.parent_index);
    if (m->record.parent_index)
        assert_int_equal(order->record.parent_pe, m->record.parent_pe);
    assert_int_equal(order->wait.count, m->wait.count);
    if (!m->wait.count)
        return;
    assert_int_equal(order->wait.suspended, ns(m->wait.suspended));
    assert_int_equal(order->wait.woken, ns(m->wait.woken));
    assert_int_equal(order->wait.by_index, m->wait.by_index);
    assert_int_equal(order->wait.by_pe, m->wait.by_pe);
}

static void test_random_runs(void **state)
{
    (void)state;
    make(MAX_RECORDS, 7);
    struct fghc_recording *recording = open_it();
    struct fghc_order order;
    assert_int_equal(fghc_recording_records(recording), MAX_RECORDS);
    assert_int_equal(fghc_recording_pes(recording), PES);
    fghc_order_open(&order, recording);
    bool seen[MAX_RECORDS] = { 0 };
    uint64_t counts[PES] = { 0 }, idle;
    for (size_t i = 0; i < n_made; i++) {
        assert_true(fghc_order_next(&order));
        /* Records of one time may come in any order of their PEs. */
        size_t k = i;
        while (k && made[k - 1].tick == made[i].tick)
            k--;
        while (k < n_made && (seen[k] || made[k].pe != order.pe))
            k++;
        assert_true(k < n_made);
        seen[k] = true;
        assert_int_equal(++counts[order.pe], order.index);
        check(&order, &made[k]);
        bool was_idle = fghc_order_idle(&order, order.pe, &idle);
        assert_int_equal(was_idle, made[k].idle != 0);
        if (was_idle)
            assert_int_equal(idle, ns(made[k].idle));
    }
    assert_false(fghc_order_next(&order));
    fghc_order_close(&order);
    fghc_recording_close(recording);
}

/* A PE that is idle already does not begin to be: of several times in a row the first is told. */
static void test_idle_again(void **state)
{
    (void)state;
    uint64_t idle;
    log_reduction(&logs[0], 2000, 0, 0, 1, NULL);
    for (uint64_t tick = 3000; tick < 9000; tick += 1000)
        log_idle(&logs[0], tick, tick + 500);
    log_reduction(&logs[0], 10000, 0, 1, 2, NULL);
    log_idle(&logs[0], 11000, 11500);
    for (unsigned i = 0; i < PES; i++)
        flush(i, 20000, true);
    struct fghc_recording *recording = open_it();
    struct fghc_order order;
    fghc_order_open(&order, recording);
    assert_true(fghc_order_next(&order));
    assert_false(fghc_order_idle(&order, 0, &idle));
    assert_true(fghc_order_next(&order));
    assert_true(fghc_order_idle(&order, 0, &idle));
    assert_int_equal(idle, 1000); /* half a nanosecond a tick, of which the first is 1000 */
    assert_false(fghc_order_idle(&order, 0, &idle));
    assert_false(fghc_order_next(&order));
    assert_true(fghc_order_idle(&order, 0, &idle));
    assert_int_equal(idle, 5000);
    assert_false(fghc_order_idle(&order, 0, &idle));
    fghc_order_close(&order);
    fghc_recording_close(recording);
}

/* What the latest walk said is missing. */
static enum fghc_loss loss;
static char said[300];

static size_t walk(void)
{
    struct weft_err err;
    end_recording();
    struct fghc_recording *recording = fghc_recording_open(path, &err);
    struct fghc_order order;
    size_t n = 0;
    if (!recording)
        return SIZE_MAX;
    fghc_order_open(&order, recording);
    while (fghc_order_next(&order)) {
        /* No reduction comes before its parent, or its parent is not there: then it has none. */
        assert_true(
            !order.record.parent_index
            || fghc_order_has(&order, order.record.parent_pe, order.record.parent_index));
        n++;
    }
    assert_false(fghc_order_failed(&order, &err));
    loss = fghc_recording_loss(recording, said, sizeof said);
    fghc_order_close(&order);
    fghc_recording_close(recording);
    return n;
}

/* A kill cuts the file anywhere: it opens, and every record that is read has its parent. */
static void test_cut_files(void **state)
{
    (void)state;
    struct stat status;
    make(2000, 3);
    assert_int_equal(stat(path, &status), 0);
    size_t before = 2000;
    assert_int_equal(walk(), before);
    assert_int_equal(loss, FGHC_WHOLE);
    for (off_t size = status.st_size; size >= 0; size -= 97) {
        assert_int_equal(truncate(path, size), 0);
        size_t n = walk();
        assert_true(n <= before || n == SIZE_MAX);
        if (n != SIZE_MAX && size < status.st_size)
            assert_int_equal(loss, FGHC_UNFINISHED);
        before = n == SIZE_MAX ? 0 : n;
        if (n == SIZE_MAX)
            assert_true(size < 400); /* the header itself */
    }
}

/*
 * A byte that is not what was written is said: the recording is refused, for its program, or it
 * is damaged there, and what is read is the begin of the run.
 */
static void test_damaged_files(void **state)
{
    (void)state;
    struct stat status;
    size_t read_on = 0;
    make(300, 5);
    assert_int_equal(stat(path, &status), 0);
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    for (long at = 0; at < status.st_size; at++) {
        fseek(file, at, SEEK_SET);
        int before = fgetc(file);
        fseek(file, at, SEEK_SET);
        fputc(before ^ 0x55, file);
        fflush(file);
        size_t n = walk();
        assert_true(n == SIZE_MAX || n <= 300);
        if (n == SIZE_MAX)
            assert_true(at < 200); /* the header itself */
        else
            assert_int_equal(loss, FGHC_DAMAGED);
        read_on += n != SIZE_MAX && n > 0;
        fseek(file, at, SEEK_SET);
        fputc(before, file);
        fflush(file);
    }
    fclose(file);
    assert_true(read_on > (size_t)status.st_size / 4); /* the others: a PE's first block */
    assert_int_equal(walk(), 300);
    assert_int_equal(loss, FGHC_WHOLE);
}

/* A block whose length alone is wrong looks as if a kill had cut it, and is none. */
static void test_damaged_length(void **state)
{
    (void)state;
    struct stat status;
    struct weft_err err;
    make(100, 9);
    log_reduction(&logs[0], 1u << 30, 0, 0, 1, NULL);
    assert_int_equal(stat(path, &status), 0);
    assert_true(recorder_flush(&recorder, &logs[0], 1u << 30, 1u << 29, true, &err));
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    /* The low byte of how many bytes there are: behind the magic, the PE and the flags. */
    fseek(file, (long)status.st_size + 8, SEEK_SET);
    fputc(0xff, file);
    fclose(file);
    assert_int_equal(walk(), 100);
    assert_int_equal(loss, FGHC_DAMAGED);
}

/* Two ticks a nanosecond: what the clocks say of a PE's absence, and what cannot be. */
static void test_absence(void **state)
{
    (void)state;
    const struct presence since = {
        .latest = 150000, .tick = 100000, .ns = 50000, .cpu_ns = 7000
    };
    static const struct {
        uint64_t tick, ns, cpu_ns, absent;
    } cases[] = {
        { 300000, 150000, 107000, 0 },    /* on its processor all the time */
        { 300000, 150000, 104000, 0 },    /* 3 us: the clocks' own difference */
        { 300000, 150000, 77000, 60000 }, /* 30 us away */
        { 300000, 150000, 7000, 150000 }, /* 100 us, of which 75 since the latest record */
        { 300000, 150000, 200000, 0 },    /* more processor than time */
        { 300000, 150000, 6000, 0 },      /* a clock that goes backwards */
        { 300000, 40000, 7000, 0 },
        { 150000, 75000, 7000, 0 }, /* nothing has passed */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct presence now = { .latest = cases[i].tick,
                                      .tick = cases[i].tick,
                                      .ns = cases[i].ns,
                                      .cpu_ns = cases[i].cpu_ns };
        assert_int_equal(record_absence(&since, &now), cases[i].absent);
    }
}

/* Clocks each reading of which takes 20 us, as it may for a process that is traced. */
static uint64_t slow_ns;

int clock_gettime(clockid_t clock, struct timespec *t)
{
    if (!slow_ns)
        return (int)syscall(SYS_clock_gettime, clock, t);
    slow_ns += 20000;
    *t = (struct timespec){ (time_t)(slow_ns / 1000000000), (long)(slow_ns % 1000000000) };
    return 0;
}

static void test_slow_clocks(void **state)
{
    (void)state;
    struct machine machine = { .options.record_to = "" };
    struct pe pe = { .machine = &machine };
    slow_ns = 1;
    record_start(&pe);
    slow_ns = 0;
    assert_true(pe.presence.ns > pe.presence.cpu_ns && pe.presence.cpu_ns);
    assert_true(pe.presence.latest == pe.presence.tick);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_absence),
        cmocka_unit_test(test_slow_clocks),
        cmocka_unit_test_setup_teardown(test_parents_come_first, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_random_runs, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_idle_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_cut_files, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_damaged_files, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_damaged_length, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
