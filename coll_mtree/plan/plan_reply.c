/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/plan/plan_reply.h"

#include "base/memory.h"
#include "planner/plan/json.h"
#include "schedule/plan_part_wire.h"

#include <stdlib.h>

/* The payload: the common piece of the parts, the appendix, and behind it the whole plan
 * as JSON where all ranks need it. */
typedef struct {
    mtree_forecast_t forecast; /* sent as it is */
    int common_length, appendix_length;
    char bytes[];
} payload_t;

static void send_pieces(coll_mtree_exchange_t *exchange, int kind,
                        const mtree_forecast_t *forecast, const mtree_piece_t *common,
                        const char *whole, const coll_mtree_appendix_t *appendix)
{
    const payload_t head = {*forecast, (int)common->length, (int)appendix->length};
    size_t length;
    char *payload;
    FILE *out = mtree_text_begin(&payload, &length);

    (void)fwrite(&head, sizeof(head), 1, out);
    (void)fwrite(common->bytes, 1, common->length, out);
    if (appendix->length > 0) {
        (void)fwrite(appendix->bytes, 1, appendix->length, out);
    }
    (void)fputs(whole == NULL ? "" : whole, out);
    mtree_text_end(out);
    coll_mtree_exchange_reply(exchange, kind, payload, length);
    free(payload);
}

void coll_mtree_plan_reply_send(coll_mtree_exchange_t *exchange, int kind,
                                const coll_mtree_planned_t *planned,
                                const coll_mtree_appendix_t *appendix)
{
    const coll_mtree_planning_context_t *context = planned->context;
    mtree_piece_t common = {0}, own = {0};
    char *whole = NULL;
    int *lengths;

    if (planned->plan == NULL) {
        coll_mtree_exchange_reply(exchange, 0, NULL, 0);
        return;
    }
    lengths = mtree_calloc((size_t)context->num_procs, sizeof(*lengths));
    if (mtree_plan_is_by_arrival(planned->plan)) {
        mtree_require(mtree_plan_to_json(planned->plan, &whole));
    }
    if (mtree_plan_parts_write(planned->plan, context->numbers.host, context->num_procs,
                               &common, &own, lengths) == MTREE_OK) {
        coll_mtree_exchange_reply_parts(exchange, lengths, own.bytes);
        own.bytes = NULL;
        send_pieces(exchange, kind, &planned->forecast, &common, whole, appendix);
    } else {
        coll_mtree_exchange_reply(exchange, 0, NULL, 0);
    }
    free(lengths);
    free(common.bytes);
    free(own.bytes);
    free(whole);
}

/* Are the lengths in @a reply those of what came? */
static bool is_within(const coll_mtree_reply_t *reply)
{
    const payload_t *payload = reply->payload;

    return reply->length >= sizeof(*payload) && payload->common_length >= 0 &&
           payload->appendix_length >= 0 &&
           (size_t)payload->common_length + (size_t)payload->appendix_length <=
               reply->length - sizeof(*payload);
}

mtree_plan_part_t *coll_mtree_plan_reply_read(const coll_mtree_reply_t *reply,
                                              const mtree_plan_t *plan,
                                              mtree_forecast_t *forecast_p,
                                              coll_mtree_appendix_t *appendix_p)
{
    const payload_t *payload = reply->payload;
    size_t common, before, whole_length;
    mtree_plan_part_t *part;

    mtree_require(is_within(reply) ? MTREE_OK : MTREE_ERR_INVALID);
    common = (size_t)payload->common_length;
    before = common + (size_t)payload->appendix_length;
    whole_length = reply->length - sizeof(*payload) - before;
    mtree_require(mtree_plan_part_read(payload->bytes, common, reply->part,
                                       reply->part_length, &part));
    /* Routes are rounded on the wire, and all ranks must use the same plan. */
    if (whole_length > 0) {
        mtree_require(mtree_plan_from_json(payload->bytes + before, whole_length,
                                           "plan of rank 0", &part->plan));
    } else if (part->plan == NULL) {
        part->plan = mtree_plan_retain(plan);
    }
    *forecast_p = payload->forecast;
    *appendix_p = (coll_mtree_appendix_t){payload->bytes + common,
                                          (size_t)payload->appendix_length};
    return part;
}
