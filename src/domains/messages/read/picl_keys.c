/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The keys of MPICL's library.  Calls that wait for another processor are idle, all other
 * communication is overhead, and all other calls are busy.
 */
#include "domains/messages/read/picl_keys.h"

#include <stddef.h>

/* clang-format off */
#define KEY(number, name, shape, role, pattern)                                            \
 [number] = { name, PICL_SHAPE_##shape, WEFT_ROLE_##role, WEFT_ROLE_##pattern, false }
#define ASIDE(number, name)                                                                \
 [number] = { name, PICL_SHAPE_NONE, WEFT_ROLE_NONE, WEFT_ROLE_NONE, true }

/* By the key without its sign; name is NULL in the gaps. */
static const struct picl_key keys[] = {
    KEY(11,  "open",            NONE,          NONE,                  NONE),
    KEY(21,  "send",            SEND,          BLOCKING_SEND,         NONE),
    KEY(22,  "bsend",           SEND,          SENDING,               NONE),
    KEY(23,  "ssend",           SEND,          BLOCKED_ON_RECEIVER,   NONE),
    KEY(24,  "rsend",           SEND,          BLOCKING_SEND,         NONE),
    KEY(27,  "sendbegin",       SEND_BEGIN,    SENDING,               NONE),
    KEY(28,  "senddone",        SEND_END,      TESTING,               NONE),
    KEY(30,  "sendend",         SEND_END,      OVERHEAD,              NONE),
    KEY(31,  "sendendblock",    SEND_END,      BLOCKED_ON_RECEIVER,   NONE),
    KEY(33,  "bsendbegin",      SEND_BEGIN,    SENDING,               NONE),
    KEY(34,  "bsenddone",       SEND_END,      TESTING,               NONE),
    KEY(36,  "bsendend",        SEND_END,      OVERHEAD,              NONE),
    KEY(37,  "bsendendblock",   SEND_END,      BLOCKED_ON_RECEIVER,   NONE),
    KEY(39,  "ssendbegin",      SEND_BEGIN,    SENDING,               NONE),
    KEY(40,  "ssenddone",       SEND_END,      TESTING,               NONE),
    KEY(42,  "ssendend",        SEND_END,      OVERHEAD,              NONE),
    KEY(43,  "ssendendblock",   SEND_END,      BLOCKED_ON_RECEIVER,   NONE),
    KEY(45,  "rsendbegin",      SEND_BEGIN,    SENDING,               NONE),
    KEY(46,  "rsenddone",       SEND_END,      TESTING,               NONE),
    KEY(48,  "rsendend",        SEND_END,      OVERHEAD,              NONE),
    KEY(49,  "rsendendblock",   SEND_END,      BLOCKED_ON_RECEIVER,   NONE),
    KEY(51,  "rcv",             RECEIVE,       RECEIVING,             NONE),
    KEY(52,  "rcvblock",        RECEIVE,       BLOCKED_ON_MESSAGE,    NONE),
    KEY(56,  "waitblock",       PROBE,         BLOCKED_ON_MESSAGE,    NONE),
    KEY(57,  "rcvbegin",        RECEIVE_BEGIN, RECEIVING,             NONE),
    KEY(58,  "rcvdone",         RECEIVE_END,   TESTING,               NONE),
    KEY(60,  "rcvend",          RECEIVE_END,   RECEIVING,             NONE),
    KEY(61,  "rcvendblock",     RECEIVE_END,   BLOCKED_ON_MESSAGE,    NONE),
    KEY(201, "fileopen",        NONE,          NONE,                  NONE),
    KEY(202, "fileclose",       NONE,          NONE,                  NONE),
    KEY(221, "write",           NONE,          NONE,                  NONE),
    KEY(251, "read",            NONE,          NONE,                  NONE),
    KEY(401, "clocksync",       NONE,          NONE,                  NONE),
    KEY(402, "barrier",         BARRIER,       BLOCKED_ON_BARRIER,    ALL_WAIT),
    KEY(501, "getprocs",        NONE,          NONE,                  NONE),
    KEY(502, "relprocs",        NONE,          NONE,                  NONE),
    KEY(503, "load",            NONE,          NONE,                  NONE),
    KEY(601, "idle",            NONE,          IDLE,                  NONE),
    KEY(602, "systemoh",        NONE,          OVERHEAD,              NONE),
    KEY(603, "useroh",          NONE,          OVERHEAD,              NONE),
    KEY(756, "pack",            NONE,          OVERHEAD,              NONE),
    KEY(773, "unpack",          NONE,          OVERHEAD,              NONE),
    KEY(780, "allgather",       ALL,           BLOCKED_ON_COLLECTIVE, ALL_TO_ALL),
    KEY(782, "allreduce",       ALL,           BLOCKED_ON_COLLECTIVE, ALL_TO_ALL),
    KEY(783, "alltoall",        ALL,           BLOCKED_ON_COLLECTIVE, ALL_TO_ALL),
    KEY(785, "bcast",           ROOTED,        BLOCKED_ON_COLLECTIVE, ONE_TO_ALL),
    KEY(786, "gather",          ROOTED,        BLOCKED_ON_COLLECTIVE, ALL_TO_ONE),
    KEY(790, "reduce",          ROOTED,        BLOCKED_ON_COLLECTIVE, ALL_TO_ONE),
    KEY(791, "reducescatter",   ALL,           BLOCKED_ON_COLLECTIVE, ALL_TO_ALL),
    KEY(792, "scan",            ALL,           BLOCKED_ON_COLLECTIVE, PREFIX),
    KEY(793, "scatter",         ROOTED,        BLOCKED_ON_COLLECTIVE, ONE_TO_ALL),
    KEY(804, "commcreate",      NONE,          OVERHEAD,              NONE),
    KEY(805, "commdup",         NONE,          OVERHEAD,              NONE),
    KEY(806, "commfree",        NONE,          OVERHEAD,              NONE),
    KEY(812, "commsplit",       NONE,          OVERHEAD,              NONE),
    KEY(826, "intercommcreate", NONE,          OVERHEAD,              NONE),
    KEY(827, "intercommmerge",  NONE,          OVERHEAD,              NONE),
    KEY(841, "cartcreate",      NONE,          OVERHEAD,              NONE),
    KEY(846, "cartsub",         NONE,          OVERHEAD,              NONE),
    KEY(849, "graphcreate",     NONE,          OVERHEAD,              NONE),
    ASIDE(901, "tracing"),
    ASIDE(904, "tracelevel"),
    ASIDE(911, "tracemessage"),
};
/* clang-format on */

const struct picl_key *picl_key_find(int32_t key)
{
    size_t n = sizeof keys / sizeof *keys;
    if (key >= 0 || key <= -(int32_t)n || !keys[-key].name)
        return NULL;
    return &keys[-key];
}
