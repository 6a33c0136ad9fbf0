/* SPDX-License-Identifier: BSD-3-Clause */
/* Preloaded into the ranks of a job: rank 0 wakes 0.2 s late from each nanosleep(). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LATE 200000000L /* nanoseconds */

int nanosleep(const struct timespec *wanted, struct timespec *left)
{
    int (*sleep_for)(const struct timespec *, struct timespec *) =
        (int (*)(const struct timespec *, struct timespec *))dlsym(RTLD_NEXT,
                                                                   "nanosleep");
    const struct timespec late = {.tv_nsec = LATE};
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");

    if (rank != NULL && strcmp(rank, "0") == 0) {
        (void)sleep_for(&late, NULL);
    }
    return sleep_for(wanted, left);
}
