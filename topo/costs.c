/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/costs.h"

/* Where nobody measured. */
#define MESSAGE_SECONDS 20e-6

/* Of the two ends of a message, those whose work does not overlap: with MESSAGE_SECONDS
 * what chunks showed to cost on their way. */
#define ENDS 1.5

mtree_message_cost_t mtree_message_cost(const mtree_message_cost_t *measured)
{
    return (mtree_message_cost_t){.message = measured->message > 0.0 ? measured->message
                                                                     : MESSAGE_SECONDS,
                                  .byte = measured->byte};
}

double mtree_message_cost_hop(const mtree_message_cost_t *measured)
{
    return ENDS * mtree_message_cost(measured).message;
}
