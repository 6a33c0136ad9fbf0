/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cut FIRST LAST [TEXT]: broadcasts, which are checked.  In the midst of one rank 1 cuts
 * its connections that have a port of FIRST to LAST at either end; or, if it is given,
 * slips TEXT into what they carry.
 */
#include <mpi.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { BYTES = 1 << 23, MOST_SOCKETS = 4096 };

/* The port of @a address, of either family; 0: it is no Internet address. */
static int port_of(const struct sockaddr_storage *address)
{
    return address->ss_family == AF_INET
               ? ntohs(((const struct sockaddr_in *)address)->sin_port)
           : address->ss_family == AF_INET6
               ? ntohs(((const struct sockaddr_in6 *)address)->sin6_port)
               : 0;
}

static int cut_connections(int first, int last, const char *text)
{
    int cut = 0;

    for (int fd = 3; fd < MOST_SOCKETS; fd++) {
        struct sockaddr_storage ends[2] = {{0}};
        socklen_t length[2] = {sizeof(ends[0]), sizeof(ends[1])};

        if (getsockname(fd, (struct sockaddr *)&ends[0], &length[0]) != 0 ||
            getpeername(fd, (struct sockaddr *)&ends[1], &length[1]) != 0) {
            continue;
        }
        for (int i = 0; i < 2; i++) {
            if (port_of(&ends[i]) >= first && port_of(&ends[i]) <= last) {
                if (text == NULL) {
                    (void)shutdown(fd, SHUT_RDWR);
                } else {
                    (void)send(fd, text, strlen(text), 0);
                }
                cut++;
            }
        }
    }
    return cut;
}

static char byte_of(int root, size_t at)
{
    return (char)(at * 7 + at / 253 + (size_t)root);
}

static void fill(char *bytes, int root, int rank)
{
    for (size_t i = 0; i < BYTES; i++) {
        bytes[i] = rank == root ? byte_of(root, i) : 0;
    }
}

static void check(const char *bytes, int root, int rank)
{
    for (size_t i = 0; i < BYTES; i++) {
        if (bytes[i] != byte_of(root, i)) {
            printf("cut: rank %d: byte %zu is wrong\n", rank, i);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
}

int main(int argc, char **argv)
{
    char *bytes = calloc(1, BYTES);
    MPI_Request request;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Bcast(bytes, BYTES, MPI_BYTE, 0, MPI_COMM_WORLD);
    fill(bytes, 0, rank);
    MPI_Ibcast(bytes, BYTES, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
    if (rank == 1) {
        printf("cut: %d connections\n",
               cut_connections(atoi(argv[1]), atoi(argv[2]), argv[3]));
        (void)fflush(stdout);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check(bytes, 0, rank);
    /* Not all ranks need have noticed. */
    fill(bytes, 1, rank);
    MPI_Bcast(bytes, BYTES, MPI_BYTE, 1, MPI_COMM_WORLD);
    check(bytes, 1, rank);
    free(bytes);
    MPI_Finalize();
    return 0;
}
