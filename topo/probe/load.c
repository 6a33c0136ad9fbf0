/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/probe/load.h"

#include <stddef.h>

/* Parts of the time.  A thread that mostly sleeps waits for less than 1 % of it on an
 * idle machine, and for most of it where as many others want each processor. */
#define MOST_WAITED 0.1
#define MOST_STOLEN 0.05

/* Repetitions are asked for where a measurement was not clear: one may differ by chance.
 */
#define MOST_UNSTEADY  0.5
#define LEAST_REPEATED 4

const char *mtree_probe_load_reason(const mtree_probe_load_t *load)
{
    if (load->worst.waited > MOST_WAITED * load->seconds) {
        return "a host had no processor free";
    }
    if (load->worst.stolen > MOST_STOLEN * load->seconds) {
        return "a hypervisor took a host's processors";
    }
    if (load->num_repeated >= LEAST_REPEATED &&
        load->num_unsteady > MOST_UNSTEADY * load->num_repeated) {
        return "repeated measurements differ";
    }
    return NULL;
}
