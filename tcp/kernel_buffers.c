/* SPDX-License-Identifier: BSD-3-Clause */
#include "tcp/kernel_buffers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LONGEST_PATH 128

/* A buffer's bytes per byte of data, with the kernel's bookkeeping. */
#define OVERHEAD 2

/* What is asked for is a multiple of that, and no more than the kernel can be set to. */
#define STEP 1048576.0
#define MOST 2146435072.0

/* Write the setting @a name of @a folder that lets a buffer hold @a bytes of data; "": it
 * may by now.  False: the kernel does not say. */
static bool write_setting(const char *folder, const char *name, double bytes,
                          char *setting, size_t size)
{
    const double wanted = fmin(ceil(OVERHEAD * bytes / STEP) * STEP, MOST);
    unsigned long limits[3]; /* bytes: at least, at first, at most */
    char path[LONGEST_PATH];
    FILE *file;
    int count;

    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    file = fopen(path, "re");
    if (file == NULL) {
        return false;
    }
    count = fscanf(file, "%lu %lu %lu", &limits[0], &limits[1], &limits[2]);
    (void)fclose(file);
    setting[0] = '\0';
    if (count == 3 && (double)limits[2] < wanted) {
        (void)snprintf(setting, size, " net.ipv4.%s='%lu %lu %.0f'", name, limits[0],
                       limits[1], wanted);
    }
    return count == 3;
}

bool mtree_tcp_kernel_buffers_command(const char *folder, double bytes, char *command,
                                      size_t size)
{
    char send[96], receive[96];

    return write_setting(folder, "tcp_wmem", bytes, send, sizeof(send)) &&
           write_setting(folder, "tcp_rmem", bytes, receive, sizeof(receive)) &&
           strlen(send) + strlen(receive) > 0 &&
           snprintf(command, size, "sysctl -w%s%s", send, receive) < (int)size;
}
