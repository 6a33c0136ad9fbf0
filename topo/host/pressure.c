/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/host/pressure.h"

#include <stdio.h>
#include <unistd.h>

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
