/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/host/processor.h"

#include "base/clock.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define BYTES 32768 /* that the buffer of a socket holds */
#define TRIES 20    /* the fastest counts: others are interrupted */

static double read_waited(void)
{
    FILE *file = fopen("/proc/thread-self/schedstat", "r");
    double ran = 0, waited = 0; /* ns */

    if (file != NULL) {
        if (fscanf(file, "%lf %lf", &ran, &waited) != 2) {
            waited = 0;
        }
        fclose(file);
    }
    return waited / 1e9;
}

/* The eighth number of the first line, in ticks of all processors together. */
static double read_stolen(void)
{
    FILE *file = fopen("/proc/stat", "r");
    double ticks = 0, processors = (double)sysconf(_SC_NPROCESSORS_ONLN);

    if (file != NULL) {
        if (fscanf(file, "cpu %*f %*f %*f %*f %*f %*f %*f %lf", &ticks) != 1) {
            ticks = 0;
        }
        fclose(file);
    }
    return processors > 0 ? ticks / (double)sysconf(_SC_CLK_TCK) / processors : 0;
}

void mtree_pressure_read(mtree_pressure_t *pressure)
{
    pressure->waited = read_waited();
    pressure->stolen = read_stolen();
}

/* Send @a data of BYTES through @a ends, and read it.  False: some of it did not go. */
static bool move(const int ends[2], char *data)
{
    return send(ends[0], data, BYTES, MSG_DONTWAIT | MSG_NOSIGNAL) == BYTES &&
           recv(ends[1], data, BYTES, MSG_DONTWAIT | MSG_WAITALL) == BYTES;
}

double mtree_copy_seconds_per_byte(void)
{
    char data[BYTES];
    double least = INFINITY;
    int ends[2];

    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) {
        return 0.0;
    }
    memset(data, 1, sizeof(data));
    for (int i = 0; i < TRIES; i++) {
        const double begin = mtree_clock_seconds();

        if (!move(ends, data)) {
            least = INFINITY;
            break;
        }
        least = fmin(least, mtree_clock_seconds() - begin);
    }
    close(ends[0]);
    close(ends[1]);
    return isfinite(least) ? least / 2 / BYTES : 0.0;
}
