/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How two processes get connections of mtree's own, or agree that they get none.  Under
 * the lock of coll_mtree/tcp/endpoints.c.
 */
#ifndef COLL_MTREE_TCP_MEETING_H
#define COLL_MTREE_TCP_MEETING_H

#include "tcp/listener.h"

typedef struct coll_mtree_meeting coll_mtree_meeting_t;

/* Begin to meet the process of @a rank in MPI_COMM_WORLD, which wants as many
 * connections; guests of the listener go to @a admit.  NULL: no memory; the two never
 * meet. */
coll_mtree_meeting_t *coll_mtree_meeting_begin(int rank, int num_connections,
                                               mtree_tcp_admit_t admit);

/* Take @a socket as connection @a number, if it is one. */
bool coll_mtree_meeting_admit(coll_mtree_meeting_t *meeting, uint32_t number, int socket);

/* Hear guests. */
void coll_mtree_meetings_listen(double now);

/* 1: the connections stand, at both ends; -1: there are none; 0: it is not decided. */
int coll_mtree_meeting_look(coll_mtree_meeting_t *meeting, double now);

/* The connections that stand; the caller takes them over.  How many they are. */
int coll_mtree_meeting_sockets(coll_mtree_meeting_t *meeting, int *sockets);

/* Why there are none. */
const char *coll_mtree_meeting_reason(const coll_mtree_meeting_t *meeting);

/* Free @a meeting. */
void coll_mtree_meeting_end(coll_mtree_meeting_t *meeting);

/* Listen no more, until another meeting begins. */
void coll_mtree_meetings_close(void);

#endif
