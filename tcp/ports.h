/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranges of ports, as users write them.
 */
#ifndef MTREE_TCP_PORTS_H
#define MTREE_TCP_PORTS_H

#include "base/status.h"

#include <stdint.h>

/* Inclusive; 0 and 0: any that the system chooses. */
typedef struct {
    uint16_t first, last;
} mtree_tcp_ports_t;

/* Read "FIRST-LAST", one port, or nothing (NULL or "": any).  MTREE_ERR_INVALID: it is
 * something else; nothing is logged. */
mtree_status_t mtree_tcp_ports_parse(const char *text, mtree_tcp_ports_t *ports);

/* @a number ports from @a least on, as btl/tcp's parameters give them; any, where these
 * are all that users may take, or none. */
mtree_tcp_ports_t mtree_tcp_ports_from(int least, int number);

#endif
