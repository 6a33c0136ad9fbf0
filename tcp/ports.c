/* SPDX-License-Identifier: BSD-3-Clause */
#include "tcp/ports.h"

#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>

/* The least port that is not root's. */
#define FIRST_USER_PORT 1024

/* A port at *text_p, which moves behind it; 0: there is none. */
static uint16_t read_port(const char **text_p)
{
    char *end;
    unsigned long port;

    if (!isdigit((unsigned char)**text_p)) {
        return 0;
    }
    port = strtoul(*text_p, &end, 10);
    *text_p = end;
    return port <= UINT16_MAX ? (uint16_t)port : 0;
}

mtree_status_t mtree_tcp_ports_parse(const char *text, mtree_tcp_ports_t *ports)
{
    *ports = (mtree_tcp_ports_t){0, 0};
    if (text == NULL || *text == '\0') {
        return MTREE_OK;
    }
    ports->first = ports->last = read_port(&text);
    if (*text == '-') {
        text++;
        ports->last = read_port(&text);
    }
    return *text == '\0' && ports->first > 0 && ports->last >= ports->first
               ? MTREE_OK
               : MTREE_ERR_INVALID;
}

mtree_tcp_ports_t mtree_tcp_ports_from(int least, int number)
{
    long last = (long)least + number - 1;

    /* The default of btl/tcp's range ends one before the last port. */
    if (least < 1 || least > UINT16_MAX || number < 1 ||
        (least <= FIRST_USER_PORT && last >= UINT16_MAX - 1)) {
        return (mtree_tcp_ports_t){0, 0};
    }
    return (mtree_tcp_ports_t){(uint16_t)least,
                               (uint16_t)(last < UINT16_MAX ? last : UINT16_MAX)};
}
