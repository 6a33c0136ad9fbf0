/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/status.h"

#include <stddef.h>

const char *mtree_status_string(mtree_status_t status)
{
    static const char *const strings[] = {[MTREE_OK] = "success",
                                          [-MTREE_ERR_INVALID] = "invalid input",
                                          [-MTREE_ERR_NO_MEMORY] = "out of memory",
                                          [-MTREE_ERR_IO] = "input/output error",
                                          [-MTREE_ERR_NOT_FOUND] = "not found",
                                          [-MTREE_ERR_UNREACHABLE] = "not connected",
                                          [-MTREE_ERR_LIMIT] = "over the limit",
                                          [-MTREE_ERR_UNSUPPORTED] = "not supported",
                                          [-MTREE_ERR_SOLVER] = "the solver failed",
                                          [-MTREE_ERR_TRANSPORT] = "communication failed",
                                          [-MTREE_ERR_CANCELLED] = "cancelled"};
    const size_t place = (size_t) - (int)status;

    return place < sizeof(strings) / sizeof(strings[0]) ? strings[place]
                                                        : "unknown status";
}
