/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a random MPICL trace that is valid: what is received was sent before, calls are nested,
 * all members of a group call its collective operations in the same order.  It has every kind of
 * call; some messages are never received, and some processors end early.
 *
 *     generate SEED PROCESSORS ACTIONS [ties|skew]
 *
 * An action is one call, or one collective operation.  Records of different processors often
 * have the same time; with "ties" those of one have, too, and the trace is in node order, else
 * the seed decides whether it is in node order or in that of time.  With "skew" the clocks of
 * some processors are wrong, so that messages seem to be received before they are sent.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_PROCESSORS = 256,
    MAX_MESSAGES = 1 << 16,
    MAX_RECORDS = 1 << 20,
    MAX_GROUPS = 64,
    REQUESTS = 16, /* that a processor has at a time */
    DEPTH = 6,     /* of tasks and of what the user says that it is */
    TAGS = 3,
};
enum { MARK = -2, ENTRY = -3, EXIT = -4, LABEL = -5, TEXT = -7, SUBSET = -202 };
enum { ANY = -1, WORLD = -1 };

struct record {
    int64_t time; /* in units that are written as nanoseconds by `unit` */
    int node, type, key, sequence;
    char rest[40]; /* the fields, as text */
    int group;     /* of SUBSET: its number */
};

struct message {
    int source, destination, tag, size;
    int64_t sent; /* -1: the receive was begun, and nothing was sent yet */
    bool posted;  /* its receive was begun */
};

struct request {
    bool used, receive;
    int kind;    /* of sends: the key that began it */
    int message; /* of receives */
};

struct processor {
    int64_t clock;
    bool ended;
    struct request request[REQUESTS];
    int open[DEPTH], depth; /* tasks (from 0) and user's states (keys) */
};

struct group {
    int member[MAX_PROCESSORS], n;
    bool freed;
};

static struct record *records;
static int n_records;
static struct message message[MAX_MESSAGES];
static int n_messages;
static struct processor processor[MAX_PROCESSORS];
static int n_processors;
static struct group group[MAX_GROUPS]; /* group[0] is the world */
static int n_groups = 1;
static bool ties;
static int64_t skew[MAX_PROCESSORS]; /* by which a clock is fast */
static uint64_t seed;

/* splitmix64 (Steele, Lea, Flood 2014) */
static uint64_t next_random(void)
{
    uint64_t z = seed += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static int below(int n)
{
    return (int)(next_random() % (uint64_t)n);
}

/* One of some numbers. */
#define ONE_OF(...)                                                                        \
 ((const int[]){                                                                           \
     __VA_ARGS__ })[below((int)(sizeof((const int[]){ __VA_ARGS__ }) / sizeof(int)))]

/* ---- Records ---- */

static void pass(int node)
{
    processor[node].clock += ties ? below(3) : 1 + below(4);
}

/* What sends comes later than what the processor received: nobody could say in which order
   others see a moment in which it did both. */
static void pass_to_send(int node)
{
    processor[node].clock += ties ? 1 + below(2) : 1 + below(4);
}

static struct record *put(int node, int type, int key, const char *rest)
{
    if (n_records == MAX_RECORDS) {
        fputs("generate: too many records\n", stderr);
        exit(1);
    }
    struct record *r = &records[n_records];
    *r = (struct record){ .time = processor[node].clock + skew[node],
                          .node = node,
                          .type = type,
                          .key = key,
                          .sequence = n_records++ };
    snprintf(r->rest, sizeof r->rest, "%s", rest);
    return r;
}

/* With N fields, which are integers. */
static void put_fields(int node, int type, int key, int n, int a, int b, int c)
{
    char rest[40];
    int field[3] = { a, b, c }, length = snprintf(rest, sizeof rest, n ? "%d 2" : "%d", n);
    for (int i = 0; i < n; i++)
        length += snprintf(rest + length, sizeof rest - (size_t)length, " %d", field[i]);
    put(node, type, key, rest);
}

/* From here on the clock is later than a time, by more than nothing. */
static void wait_for(int node, int64_t time)
{
    pass(node);
    if (processor[node].clock <= time)
        processor[node].clock = time + 1 + below(3);
}

/* ---- Messages between two ---- */

static int new_message(int source, int destination, int tag)
{
    if (n_messages == MAX_MESSAGES)
        exit(1);
    message[n_messages] = (struct message){ .source = source,
                                            .destination = destination,
                                            .tag = tag,
                                            .size = below(4) ? below(100) : below(1000000),
                                            .sent = -1 };
    return n_messages++;
}

/* The first message of a channel that is not yet sent, or not yet asked for; or -1. */
static int first(int source, int destination, int tag, bool sent)
{
    for (int i = 0; i < n_messages; i++) {
        const struct message *m = &message[i];
        if (m->source == source && m->destination == destination && m->tag == tag
            && (sent ? m->sent >= 0 && !m->posted : m->sent < 0))
            return i;
    }
    return -1;
}

static int free_request(int node)
{
    for (int i = 0; i < REQUESTS; i++)
        if (!processor[node].request[i].used)
            return i;
    return -1;
}

static void send(int node, int destination, int tag)
{
    int request = free_request(node);
    int key = ONE_OF(-21, -21, -22, -23, -24, -27, -33, -39, -45);
    bool blocks = key > -27;
    if (!blocks && request < 0)
        return;
    int m = first(node, destination, tag, false);
    if (m < 0)
        m = new_message(node, destination, tag);
    pass_to_send(node);
    message[m].sent = processor[node].clock;
    put_fields(node, ENTRY, key, 3, message[m].size, tag, destination);
    pass(node);
    put_fields(node, EXIT, key, !blocks, request, 0, 0);
    if (!blocks)
        processor[node].request[request] = (struct request){ .used = true, .kind = key };
}

static void begin_receive(int node, int source, int tag)
{
    int request = free_request(node), m = first(source, node, tag, true);
    if (request < 0)
        return;
    if (m < 0)
        m = new_message(source, node, tag);
    message[m].posted = true;
    pass(node);
    bool any = below(4) == 0;
    put_fields(node, ENTRY, -57, 2, any ? ANY : tag, any ? ANY : source, 0);
    pass(node);
    put_fields(node, EXIT, -57, 1, request, 0, 0);
    processor[node].request[request] =
        (struct request){ .used = true, .receive = true, .message = m };
}

/* The first message of a channel that nobody has asked for yet, if there is one. */
static void receive(int node, int source, int tag)
{
    int m = first(source, node, tag, true);
    if (m < 0)
        return;
    int key = ONE_OF(-51, -52, -52, -56); /* a probe takes nothing */
    message[m].posted = key != -56;
    pass(node);
    bool any = below(4) == 0;
    put_fields(node, ENTRY, key, 2, any ? ANY : tag, any ? ANY : source, 0);
    wait_for(node, message[m].sent);
    put_fields(node, EXIT, key, 3, message[m].size, tag, source);
}

/* Ask for the end of a request, or wait for it. */
static void complete(int node, int request)
{
    struct request *r = &processor[node].request[request];
    if (!r->used)
        return;
    bool there = !r->receive || message[r->message].sent >= 0;
    if (!there || below(6) == 0) { /* test, and it is not there yet */
        int key = r->receive ? -58 : r->kind - 1;
        pass(node);
        put_fields(node, ENTRY, key, 1, request, 0, 0);
        pass(node);
        put_fields(node, EXIT, key, 0, 0, 0, 0);
        return;
    }
    int key = r->receive ? ONE_OF(-58, -60, -61) : r->kind - ONE_OF(1, 3, 4);
    pass(node);
    put_fields(node, ENTRY, key, 1, request, 0, 0);
    if (r->receive) {
        const struct message *m = &message[r->message];
        wait_for(node, m->sent);
        put_fields(node, EXIT, key, 3, m->size, m->tag, m->source);
    } else {
        pass(node);
        put_fields(node, EXIT, key, 0, 0, 0, 0);
    }
    r->used = false;
}

/* ---- Groups ---- */

static bool all_there(const struct group *g)
{
    for (int i = 0; i < g->n; i++)
        if (processor[g->member[i]].ended)
            return false;
    return !g->freed;
}

static int number_of(const struct group *g)
{
    return g == group ? WORLD : (int)(g - group);
}

/* Does the member at INDEX wait for the one at OTHER? */
static bool waits(int key, int index, int other, int root)
{
    switch (key) {
    case -785:
    case -793: return other == root;
    case -786:
    case -790: return index == root;
    case -792: return other < index;
    default: return true;
    }
}

static void collective(const struct group *g)
{
    int key = ONE_OF(-402, -780, -782, -783, -785, -786, -790, -791, -792, -793);
    int root = below(g->n), size = below(1000);
    int64_t entry[MAX_PROCESSORS];
    for (int i = 0; i < g->n; i++) {
        int node = g->member[i];
        pass_to_send(node);
        entry[i] = processor[node].clock;
        int mine = key == -786 ? size + i : size; /* gathered pieces may differ */
        if (key == -402)
            put_fields(node, ENTRY, key, 1, number_of(g), 0, 0);
        else if (key == -785 || key == -786 || key == -790 || key == -793)
            put_fields(node, ENTRY, key, 3, mine, g->member[root], number_of(g));
        else
            put_fields(node, ENTRY, key, 2, mine, number_of(g), 0);
    }
    for (int i = 0; i < g->n; i++) {
        int64_t last = -1;
        for (int k = 0; k < g->n; k++)
            if (waits(key, i, k, root) && entry[k] > last)
                last = entry[k];
        wait_for(g->member[i], last);
        put_fields(g->member[i], EXIT, key, key != -402, size, 0, 0);
    }
}

/* A group of some members of another, in an order of its own. */
static void new_group(const struct group *old)
{
    if (n_groups == MAX_GROUPS)
        return;
    struct group *made = &group[n_groups];
    *made = *old;
    for (int i = made->n - 1; i > 0; i--) {
        int k = below(i + 1), member = made->member[i];
        made->member[i] = made->member[k];
        made->member[k] = member;
    }
    made->n = 1 + below(made->n);
    int key = ONE_OF(-804, -805, -812, -826, -827, -841, -846, -849);
    for (int i = 0; i < made->n; i++) {
        int node = made->member[i];
        pass(node);
        put_fields(node, ENTRY, key, 1, number_of(old), 0, 0);
        pass(node);
        put_fields(node, EXIT, key, 2, n_groups, made->n, 0);
        put(node, SUBSET, key, "")->group = n_groups;
    }
    n_groups++;
}

static void free_group(struct group *g)
{
    for (int i = 0; g != group && i < g->n; i++) {
        pass(g->member[i]);
        put_fields(g->member[i], ENTRY, -806, 1, number_of(g), 0, 0);
        pass(g->member[i]);
        put_fields(g->member[i], EXIT, -806, 0, 0, 0, 0);
    }
    g->freed = g != group;
}

/* ---- What one does alone ---- */

static void close_innermost(int node)
{
    struct processor *p = &processor[node];
    int key = p->open[--p->depth];
    pass(node);
    put_fields(node, EXIT, key, key >= 0 ? below(2) : 0, below(500), 0, 0);
}

static void open_or_close(int node)
{
    struct processor *p = &processor[node];
    if (p->depth == DEPTH || (p->depth && below(2))) {
        close_innermost(node);
        return;
    }
    int key = ONE_OF(0, 1, 2, 3, 77, -601, -602, -603);
    pass(node);
    put_fields(node, ENTRY, key, key >= 0 ? below(2) : 0, below(9), 0, 0);
    p->open[p->depth++] = key;
}

static void alone(int node)
{
    int key = ONE_OF(-201, -202, -221, -251, -756, -773, MARK, LABEL, TEXT);
    pass(node);
    switch (key) {
    case MARK: put_fields(node, MARK, below(5), below(3), 1, 2, 3); return;
    case LABEL: put(node, LABEL, below(5), "4 0 loop"); return;
    case TEXT: put(node, TEXT, below(5), "5 0 hello"); return;
    case -201: put(node, ENTRY, key, "data.txt"); break;
    case -202: put_fields(node, ENTRY, key, 1, 3, 0, 0); break;
    case -221: put_fields(node, ENTRY, key, 2, 512, 3, 0); break;
    case -756: put_fields(node, ENTRY, key, 1, 64, 0, 0); break;
    default: put_fields(node, ENTRY, key, 0, 0, 0, 0); break;
    }
    pass(node);
    if (key == -251)
        put_fields(node, EXIT, key, 2, 512, 3, 0);
    else
        put_fields(node, EXIT, key, key == -201 || key == -773, 3, 0, 0);
}

/* Everything is closed and completed, but for what cannot be. */
static void end(int node)
{
    struct processor *p = &processor[node];
    while (p->depth)
        close_innermost(node);
    for (int i = 0; i < REQUESTS; i++)
        for (int tries = 0; tries < 3; tries++)
            complete(node, i);
    pass(node);
    put_fields(node, EXIT, -901, 0, 0, 0, 0);
    p->ended = true;
}

static void act(void)
{
    int node = below(n_processors), other = below(n_processors), tag = below(TAGS);
    if (processor[node].ended)
        return;
    struct group *g = &group[below(n_groups)];
    int what = below(100);
    if (what < 30)
        send(node, other, tag);
    else if (what < 45)
        receive(node, other, tag);
    else if (what < 55)
        begin_receive(node, other, tag);
    else if (what < 75)
        complete(node, below(REQUESTS));
    else if (what < 85)
        open_or_close(node);
    else if (what < 90)
        alone(node);
    else if (what < 97 && all_there(g))
        collective(g);
    else if (what == 97 && all_there(g))
        new_group(g);
    else if (what == 98 && all_there(g) && below(3) == 0)
        free_group(g);
    else if (what == 99 && below(10) == 0)
        end(node);
}

/* ---- Writing ---- */

static bool in_node_order;

/* ParaGraph's order of time, or MPICL's. */
static int compare(const void *a, const void *b)
{
    const struct record *x = a, *y = b;
    if (in_node_order && x->node != y->node)
        return x->node - y->node;
    if (!in_node_order && x->time != y->time)
        return x->time < y->time ? -1 : 1;
    if (!in_node_order && x->node != y->node && x->key != y->key)
        return y->key - x->key;
    if (!in_node_order && x->node != y->node && x->type != y->type)
        return y->type - x->type;
    return x->sequence - y->sequence;
}

static void write_record(const struct record *r, int64_t unit)
{
    int64_t ns = r->time * unit;
    printf("%d %d %lld.%09lld %d 0", r->type, r->key, (long long)(ns / 1000000000),
           (long long)(ns % 1000000000), r->node);
    if (r->type == SUBSET) {
        const struct group *g = &group[r->group];
        printf(" %d 2 %d", g->n + 1, r->group);
        for (int i = 0; i < g->n; i++)
            printf(" %d", g->member[i]);
    } else {
        printf(" %s", r->rest);
    }
    putchar('\n');
}

int main(int argc, char **argv)
{
    n_processors = argc > 3 ? atoi(argv[2]) : 0;
    if (n_processors < 1 || n_processors > MAX_PROCESSORS) {
        fputs("usage: generate SEED PROCESSORS ACTIONS [ties|skew]\n", stderr);
        return 2;
    }
    seed = strtoull(argv[1], NULL, 10);
    ties = argc > 4 && strcmp(argv[4], "ties") == 0;
    records = calloc(MAX_RECORDS, sizeof *records);
    if (!records)
        return 1;
    static const int64_t units[] = { 1000, 1000, 1, 1000000 };
    int64_t unit = units[below(4)];
    int64_t start = below(2) ? 0 : below(5000);
    in_node_order = below(3) == 0 || ties;
    for (int i = 0; argc > 4 && strcmp(argv[4], "skew") == 0 && i < n_processors; i++)
        skew[i] = below(2) ? 0 : below(40);
    group[0].n = n_processors;
    for (int i = 0; i < n_processors; i++) {
        group[0].member[i] = i;
        processor[i].clock = start + (below(3) ? 0 : below(20));
        put_fields(i, ENTRY, -901, 0, 0, 0, 0);
    }
    for (int i = 0, actions = atoi(argv[3]); i < actions; i++)
        act();
    for (int i = 0; i < n_processors; i++)
        if (!processor[i].ended)
            end(i);
    qsort(records, (size_t)n_records, sizeof *records, compare);
    for (int i = 0; i < n_records; i++)
        write_record(&records[i], unit);
    free(records);
    return fflush(stdout) == 0 ? 0 : 1;
}
