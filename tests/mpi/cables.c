/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cables FIRST LAST: an allreduce whose result is checked; then each rank lists its
 * connections that have a port of FIRST to LAST at either end, "A > B", by addresses, and
 * says which are not kept alive.
 */
#include <mpi.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

enum { COUNT = 1 << 18, MOST_SOCKETS = 4096 };

/* The port of @a address, and its text where IPv4 is meant. */
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

static void list_connections(int first, int last)
{
    for (int fd = 3; fd < MOST_SOCKETS; fd++) {
        struct sockaddr_storage ends[2] = {{0}};
        socklen_t length[2] = {sizeof(ends[0]), sizeof(ends[1])};
        char text[2][INET6_ADDRSTRLEN];
        int port[2];

        if (getsockname(fd, (struct sockaddr *)&ends[0], &length[0]) != 0 ||
            getpeername(fd, (struct sockaddr *)&ends[1], &length[1]) != 0) {
            continue;
        }
        port[0] = read_end(&ends[0], text[0]);
        port[1] = read_end(&ends[1], text[1]);
        if ((port[0] >= first && port[0] <= last) ||
            (port[1] >= first && port[1] <= last)) {
            int is_kept = 0;

            (void)getsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &is_kept,
                             &(socklen_t){sizeof(is_kept)});
            printf("cables: %s > %s%s\n", text[0], text[1], is_kept ? "" : " forgotten");
        }
    }
    (void)fflush(stdout);
}

int main(int argc, char **argv)
{
    int *mine = malloc(COUNT * sizeof(*mine)), *sum = malloc(COUNT * sizeof(*sum));
    int rank, size, wrong = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < COUNT; i++) {
        mine[i] = i + rank;
    }
    MPI_Allreduce(mine, sum, COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < COUNT; i++) {
        wrong += sum[i] != size * i + size * (size - 1) / 2;
    }
    list_connections(atoi(argv[1]), atoi(argv[2]));
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    free(mine);
    free(sum);
    return wrong != 0;
}
