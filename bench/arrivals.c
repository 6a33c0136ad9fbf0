/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/arrivals.h"

#include "base/log.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NANOSECONDS 1e9

static const char *const names[BENCH_ARRIVALS_FILE] = {"all", "one-late", "interval",
                                                       "random", "ramp"};

/* One line of the file; false: it is not one number of at least 0 for each rank. */
static bool read_line(const char *line, int num_ranks, double *seconds)
{
    for (int rank = 0; rank < num_ranks; rank++) {
        char *end;

        seconds[rank] = strtod(line, &end);
        if (end == line || !isfinite(seconds[rank]) || seconds[rank] < 0) {
            return false;
        }
        line = end;
    }
    return line[strspn(line, " \t\r\n")] == '\0';
}

static mtree_status_t read_lines(FILE *file, const char *name, bench_arrivals_t *arrivals)
{
    size_t ranks = (size_t)arrivals->num_ranks, room = 0;
    mtree_status_t status = MTREE_OK;
    char *line = NULL;

    while (status == MTREE_OK && getline(&line, &room, file) >= 0) {
        double *seconds = realloc(arrivals->seconds, ((size_t)arrivals->num_lines + 1) *
                                                         ranks * sizeof(*seconds));

        if (seconds == NULL) {
            status = MTREE_ERR_NO_MEMORY;
            break;
        }
        arrivals->seconds = seconds;
        if (!read_line(line, arrivals->num_ranks,
                       seconds + (size_t)arrivals->num_lines * ranks)) {
            mtree_error("%s:%d: not %d times in seconds; give one for each rank", name,
                        arrivals->num_lines + 1, arrivals->num_ranks);
            status = MTREE_ERR_INVALID;
        }
        arrivals->num_lines++;
    }
    free(line);
    if (status == MTREE_OK && arrivals->num_lines == 0) {
        mtree_error("%s: it is empty; give a line of %d times in seconds", name,
                    arrivals->num_ranks);
        status = MTREE_ERR_INVALID;
    }
    return status;
}

mtree_status_t bench_arrivals_read(const char *name, int num_ranks,
                                   bench_arrivals_t *arrivals)
{
    mtree_status_t status;
    FILE *file;

    for (int kind = 0; kind < BENCH_ARRIVALS_FILE; kind++) {
        if (strcmp(name, names[kind]) == 0) {
            arrivals->kind = (bench_arrivals_kind_t)kind;
            return MTREE_OK;
        }
    }
    file = fopen(name, "r");
    if (file == NULL) {
        mtree_error("--arrival %s: neither all, one-late, interval, random or ramp nor a "
                    "file that can be read: %s",
                    name, strerror(errno));
        return MTREE_ERR_INVALID;
    }
    arrivals->kind = BENCH_ARRIVALS_FILE;
    arrivals->num_ranks = num_ranks;
    status = read_lines(file, name, arrivals);
    fclose(file);
    if (status != MTREE_OK) {
        bench_arrivals_cleanup(arrivals);
    }
    return status;
}

void bench_arrivals_cleanup(bench_arrivals_t *arrivals)
{
    free(arrivals->seconds);
    arrivals->seconds = NULL;
}

/* Between 0 and 1, the same for the same numbers. */
static double drawn(int rank, int iteration)
{
    uint64_t x = ((uint64_t)(uint32_t)iteration << 32 | (uint32_t)rank) + 1;

    for (int i = 0; i < 3; i++) {
        x = (x ^ x >> 31) * 0x9e3779b97f4a7c15ULL;
    }
    return (double)(x >> 11) / (double)(1ULL << 53);
}

double bench_arrivals_get(const bench_arrivals_t *arrivals, int rank, int num_ranks,
                          int iteration)
{
    double place = num_ranks > 1 ? (double)rank / (num_ranks - 1) : 0;

    switch (arrivals->kind) {
    case BENCH_ARRIVALS_ONE_LATE:
        return rank == num_ranks - 1 ? arrivals->span : 0;
    case BENCH_ARRIVALS_INTERVAL:
        return place * arrivals->span;
    case BENCH_ARRIVALS_RANDOM:
        return drawn(rank, iteration) * arrivals->span;
    case BENCH_ARRIVALS_RAMP:
        return place * place * arrivals->span;
    case BENCH_ARRIVALS_FILE:
        return arrivals
            ->seconds[(iteration % arrivals->num_lines) * arrivals->num_ranks + rank];
    default:
        return 0;
    }
}

void bench_arrivals_wait(double seconds)
{
    struct timespec left = {.tv_sec = (time_t)seconds};

    left.tv_nsec = (long)((seconds - (double)left.tv_sec) * NANOSECONDS);
    while (nanosleep(&left, &left) != 0 && errno == EINTR) {}
}
