/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/arrival/private.h"

#include <stdlib.h>

static void control_msg_sent(mtree_event_t *event)
{
    mtree_control_msg_t *control_msg = (mtree_control_msg_t *)event;

    control_msg->link = control_msg->run->free_control_msgs;
    control_msg->run->free_control_msgs = control_msg;
    (void)mtree_dynamic_peers_message_done(control_msg->run->operation, event);
}

mtree_control_msg_t *mtree_control_msg_get(mtree_arrival_run_t *run)
{
    mtree_control_msg_t *control_msg = run->free_control_msgs;

    if (control_msg != NULL) {
        run->free_control_msgs = control_msg->link;
        return control_msg;
    }
    control_msg = calloc(1, sizeof(*control_msg));
    if (control_msg == NULL) {
        mtree_dynamic_peers_fail(run->operation, MTREE_ERR_NO_MEMORY);
        return NULL;
    }
    control_msg->run = run;
    control_msg->all = run->all_control_msgs;
    run->all_control_msgs = control_msg;
    return control_msg;
}

void mtree_control_msg_send(mtree_control_msg_t *control_msg, int rank, int tag,
                            size_t bytes)
{
    mtree_dynamic_peers_send(
        control_msg->run->operation, control_msg->run->arrival.control, rank, tag,
        &control_msg->text, bytes, &control_msg->event, control_msg_sent);
}

void mtree_control_msgs_free(mtree_arrival_run_t *run)
{
    while (run->all_control_msgs != NULL) {
        mtree_control_msg_t *control_msg = run->all_control_msgs;

        run->all_control_msgs = control_msg->all;
        free(control_msg);
    }
}
