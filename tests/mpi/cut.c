/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cut FIRST LAST [TEXT]: broadcasts, which are checked.  In the midst of one rank 1 cuts
 * its connections that have a port of FIRST to LAST at either end; or, if it is given,
 * slips TEXT into what they carry.
 *
 * cut FIRST LAST list: a sum, which is checked; then each rank lists such connections, "A
 * > B", by addresses, and says which are not kept alive.
 */
#include "tests/mpi/expect.h"
#include "tests/mpi/random_case.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* Ints of a sum and of a broadcast. */
enum { COUNT = 1 << 18, LONG_COUNT = 1 << 21, MOST_SOCKETS = 4096 };

/* The port of @a address, and its text where IPv4 is meant; 0: it is no Internet address.
 */
static int read_end(const struct sockaddr_storage *address, char *text)
{
    const struct sockaddr_in *in = (const struct sockaddr_in *)address;
    const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)address;

    if (address->ss_family == AF_INET) {
        (void)inet_ntop(AF_INET, &in->sin_addr, text, INET6_ADDRSTRLEN);
        return ntohs(in->sin_port);
    }
    if (address->ss_family != AF_INET6) {
        return 0;
    }
    (void)inet_ntop(AF_INET, in6->sin6_addr.s6_addr + 12, text, INET6_ADDRSTRLEN);
    return ntohs(in6->sin6_port);
}

/* Does @a fd have a port of these?  The addresses of its ends. */
static bool is_meant(int fd, int first, int last, char text[2][INET6_ADDRSTRLEN])
{
    struct sockaddr_storage ends[2] = {{0}};
    socklen_t length[2] = {sizeof(ends[0]), sizeof(ends[1])};
    bool found = false;

    if (getsockname(fd, (struct sockaddr *)&ends[0], &length[0]) != 0 ||
        getpeername(fd, (struct sockaddr *)&ends[1], &length[1]) != 0) {
        return false;
    }
    for (int i = 0; i < 2; i++) {
        int port = read_end(&ends[i], text[i]);

        found = found || (port >= first && port <= last);
    }
    return found;
}

/* Cut the connections (@a text is NULL), list them, or send them the text. */
static int meet_connections(int first, int last, const char *text)
{
    char ends[2][INET6_ADDRSTRLEN];
    int met = 0, is_kept = 0;

    for (int fd = 3; fd < MOST_SOCKETS; fd++) {
        if (!is_meant(fd, first, last, ends)) {
            continue;
        }
        met++;
        if (text == NULL) {
            (void)shutdown(fd, SHUT_RDWR);
        } else if (strcmp(text, "list") == 0) {
            (void)getsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &is_kept,
                             &(socklen_t){sizeof(is_kept)});
            printf("cables: %s > %s%s\n", ends[0], ends[1], is_kept ? "" : " forgotten");
        } else {
            (void)send(fd, text, strlen(text), 0);
        }
    }
    (void)fflush(stdout);
    return met;
}

int main(int argc, char **argv)
{
    int first = atoi(argv[1]), last = atoi(argv[2]);
    choice_t choice = {.block = COUNT};
    case_t c;

    cases_begin(&argc, &argv);
    run.choice = &choice;
    if (argc > 3 && strcmp(argv[3], "list") == 0) {
        case_run(ALLREDUCE, MTREE_BLOCKING_FORM, MPI_COMM_WORLD);
        (void)meet_connections(first, last, argv[3]);
        MPI_Barrier(MPI_COMM_WORLD);
        return cases_end("cut");
    }
    choice.block = LONG_COUNT;
    case_run(BCAST, MTREE_BLOCKING_FORM, MPI_COMM_WORLD);
    case_launch(&c, BCAST, MTREE_NONBLOCKING_FORM, MPI_COMM_WORLD);
    if (my_rank == 1) {
        printf("cut: %d connections\n", meet_connections(first, last, argv[3]));
        (void)fflush(stdout);
    }
    case_finish(&c);
    /* Not all ranks need have noticed. */
    choice.root = 1;
    case_run(BCAST, MTREE_BLOCKING_FORM, MPI_COMM_WORLD);
    return cases_end("cut");
}
