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

static mtree_status_t read_limits(const char *folder, const char *name,
                                  unsigned long limits[3])
{
    char path[LONGEST_PATH];
    FILE *file;
    int count;

    if (snprintf(path, sizeof(path), "%s/%s", folder, name) >= (int)sizeof(path)) {
        return MTREE_ERR_IO;
    }
    file = fopen(path, "re");
    if (file == NULL) {
        return MTREE_ERR_IO;
    }
    count = fscanf(file, "%lu %lu %lu", &limits[0], &limits[1], &limits[2]);
    (void)fclose(file);
    return count == 3 ? MTREE_OK : MTREE_ERR_IO;
}

mtree_status_t mtree_tcp_kernel_buffers_read(const char *folder,
                                             mtree_tcp_kernel_buffers_t *buffers)
{
    mtree_status_t status = read_limits(folder, "tcp_wmem", buffers->send);

    return status == MTREE_OK ? read_limits(folder, "tcp_rmem", buffers->receive)
                              : status;
}

/* The setting that raises @a limits to @a bytes; "" where they are high enough. */
static void write_setting(const char *name, const unsigned long limits[3], double bytes,
                          char *setting, size_t size)
{
    setting[0] = '\0';
    bytes = fmin(ceil(bytes / STEP) * STEP, MOST);
    if ((double)limits[2] < bytes) {
        (void)snprintf(setting, size, " net.ipv4.%s='%lu %lu %.0f'", name, limits[0],
                       limits[1], bytes);
    }
}

bool mtree_tcp_kernel_buffers_command(const mtree_tcp_kernel_buffers_t *buffers,
                                      double bytes, char *command, size_t size)
{
    char send[96], receive[96];

    write_setting("tcp_wmem", buffers->send, OVERHEAD * bytes, send, sizeof(send));
    write_setting("tcp_rmem", buffers->receive, OVERHEAD * bytes, receive,
                  sizeof(receive));
    return strlen(send) + strlen(receive) > 0 &&
           snprintf(command, size, "sysctl -w%s%s", send, receive) < (int)size;
}
