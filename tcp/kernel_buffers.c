/* SPDX-License-Identifier: BSD-3-Clause */
#include "tcp/kernel_buffers.h"

#include <math.h>
#include <stdio.h>

#define LONGEST_PATH 128

/* The last of the three numbers in the file @a name. */
static double read_limit(const char *folder, const char *name)
{
    char path[LONGEST_PATH];
    double limit = INFINITY;
    FILE *file;

    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    file = fopen(path, "re");
    if (file != NULL) {
        if (fscanf(file, "%*u %*u %lf", &limit) != 1) {
            limit = INFINITY;
        }
        (void)fclose(file);
    }
    return limit;
}

double mtree_tcp_kernel_buffers_most(const char *folder)
{
    return fmin(read_limit(folder, "tcp_wmem"), read_limit(folder, "tcp_rmem")) /
           MTREE_TCP_BUFFER_OVERHEAD;
}
