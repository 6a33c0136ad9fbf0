/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/plan/plan_reply.h"

#include "base/memory.h"
#include "planner/plan/json.h"

#include <stdlib.h>

/* The payload: the common piece of the parts, and behind it the trailer, or the whole
 * plan as JSON where all ranks need it: plans by arrival pass through no relays. */
typedef struct {
    mtree_forecast_t forecast; /* sent as it is */
    int common_length, has_whole;
    char bytes[];
} payload_t;

static void send_pieces(coll_mtree_exchange_t *exchange, int kind,
                        const coll_mtree_planned_t *planned, const mtree_piece_t *common,
                        const mtree_piece_t *trailer)
{
    const payload_t head = {planned->forecast, (int)common->length,
                            mtree_plan_is_by_arrival(planned->plan)};
    char *whole = NULL;
    size_t length;
    char *payload;
    FILE *out = mtree_text_begin(&payload, &length);

    (void)fwrite(&head, sizeof(head), 1, out);
    (void)fwrite(common->bytes, 1, common->length, out);
    if (head.has_whole) {
        mtree_require(mtree_plan_to_json(planned->plan, &whole));
        (void)fputs(whole, out);
    } else if (trailer->length > 0) {
        (void)fwrite(trailer->bytes, 1, trailer->length, out);
    }
    mtree_text_end(out);
    coll_mtree_exchange_reply(exchange, kind, payload, length);
    free(payload);
    free(whole);
}

void coll_mtree_plan_reply_send(coll_mtree_exchange_t *exchange, int kind,
                                const coll_mtree_planned_t *planned,
                                const mtree_piece_t *trailer)
{
    const coll_mtree_planning_context_t *context = planned->context;
    mtree_piece_t common = {0}, own = {0};
    int *lengths;

    if (planned->plan == NULL) {
        coll_mtree_exchange_reply(exchange, 0, NULL, 0);
        return;
    }
    lengths = mtree_calloc((size_t)context->num_procs, sizeof(*lengths));
    if (mtree_plan_parts_write(planned->plan, context->numbers.host, context->num_procs,
                               &common, &own, lengths) == MTREE_OK) {
        coll_mtree_exchange_reply_parts(exchange, lengths, own.bytes);
        own.bytes = NULL;
        send_pieces(exchange, kind, planned, &common, trailer);
    } else {
        coll_mtree_exchange_reply(exchange, 0, NULL, 0);
    }
    free(lengths);
    free(common.bytes);
    free(own.bytes);
}

/* Is the length in @a reply one of what came? */
static bool is_within(const coll_mtree_reply_t *reply)
{
    const payload_t *payload = reply->payload;

    return reply->length >= sizeof(*payload) && payload->common_length >= 0 &&
           (size_t)payload->common_length <= reply->length - sizeof(*payload);
}

mtree_plan_part_t *coll_mtree_plan_reply_read(const coll_mtree_reply_t *reply,
                                              const mtree_plan_t *plan,
                                              mtree_forecast_t *forecast_p,
                                              mtree_piece_t *trailer_p)
{
    const payload_t *payload = reply->payload;
    size_t common, rest;
    mtree_plan_part_t *part;

    mtree_require(is_within(reply) ? MTREE_OK : MTREE_ERR_INVALID);
    common = (size_t)payload->common_length;
    rest = reply->length - sizeof(*payload) - common;
    mtree_require(mtree_plan_part_read(payload->bytes, common, reply->part,
                                       reply->part_length, &part));
    /* Routes are rounded on the wire, and all ranks must use the same plan. */
    if (payload->has_whole) {
        mtree_require(mtree_plan_from_json(payload->bytes + common, rest,
                                           "plan of rank 0", &part->plan));
    } else if (part->plan == NULL) {
        part->plan = mtree_plan_retain(plan);
    }
    *forecast_p = payload->forecast;
    *trailer_p =
        (mtree_piece_t){(char *)payload->bytes + common, payload->has_whole ? 0 : rest};
    return part;
}
