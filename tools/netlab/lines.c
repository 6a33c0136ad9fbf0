/* SPDX-License-Identifier: BSD-3-Clause */
#include "config/mtree_config.h"

#include "tools/netlab/lines.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

#define MAX_LINE 512

mtree_status_t netlab_read_lines(netlab_line_func_t func, void *data)
{
    char line[MAX_LINE];
    mtree_status_t status = MTREE_OK;

    while (status == MTREE_OK && fgets(line, sizeof(line), stdin) != NULL &&
           line[0] != '\n') {
        line[strcspn(line, "\n")] = '\0';
        status = func(data, line);
    }
    return status;
}

void netlab_say_ready(void)
{
    const struct sched_param priority = {.sched_priority = 1};

    (void)sched_setscheduler(0, SCHED_FIFO, &priority);
    (void)prctl(PR_SET_TIMERSLACK, 1);
    puts("ready");
    fflush(stdout);
}
