/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Dialing a relay: a connection on which both ends have proved that they know the key of
 * the job.
 */
#ifndef MTREE_RELAY_DIALER_H
#define MTREE_RELAY_DIALER_H

#include "base/address.h"
#include "relay/greeting.h"
#include "tcp/dialer.h"

/* Bytes of the text of addresses, its NUL included; and how many there are at most. */
#define MTREE_RELAY_ADDRESS   256
#define MTREE_RELAY_ADDRESSES 4

/*
 * The addresses of "host:port", "[IPv6]:port" or "host,host:port".  The system waits for
 * the network where it looks a name up.  So rank 0 alone does, in the planning thread,
 * and tells the others numbers.
 */
typedef struct {
    mtree_address_t addresses[MTREE_RELAY_ADDRESSES];
    int count; /* 0: they are not known */
    uint16_t port;
} mtree_relay_found_t;

/* Read @a text, whose hosts may be names where @a looks_up; then wait for them. */
void mtree_relay_look_up(const char *text, bool looks_up, mtree_relay_found_t *found);

/* The same addresses as numbers; "": there are none. */
void mtree_relay_found_write(const mtree_relay_found_t *found,
                             char text[MTREE_RELAY_ADDRESS]);

typedef struct {
    const char *reason;            /* why the relay has not welcomed it: a static text, to
                                      follow a name and a colon */
    mtree_relay_found_t found;     /* the addresses that it dials */
    mtree_relay_welcome_t welcome; /* once it is welcomed */
    const mtree_tls_key_t *key;  /* of the connection then, until the dialer is destroyed;
                                    NULL: it is not encrypted */
    mtree_tcp_dialer_t attempts; /* that which is welcomed is to be taken */
    /* Its own: */
    mtree_tcp_secret_t secret;
    unsigned char hello[MTREE_TCP_SAID];
    bool is_encrypted;
    double deadline;
    mtree_tls_key_t own_key;
} mtree_relay_dialer_t;

/*
 * Begin to dial @a address at @a now (mtree_clock_seconds()), and try again for at most
 * @a seconds while it does not answer.  An address is "host:port" or "[IPv6]:port";
 * several hosts before the port, with commas between them, are tried in turn.  Who dials
 * to begin the job may give names, and waits here until they are looked up.
 */
mtree_relay_dialer_t *mtree_relay_dialer_create(const char *address,
                                                const mtree_relay_hello_t *hello,
                                                const mtree_tcp_secret_t *key, double now,
                                                double seconds);

/* 1: the relay has welcomed the dialer; 0: not yet; -1: it will not. */
int mtree_relay_dialer_poll(mtree_relay_dialer_t *dialer, double now);

/* Free; NULL is allowed. */
void mtree_relay_dialer_destroy(mtree_relay_dialer_t *dialer);

#endif
