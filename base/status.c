/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/status.h"

const char *mtree_status_string(mtree_status_t status)
{
    switch (status) {
    case MTREE_OK:
        return "success";
    case MTREE_ERR_INVALID:
        return "invalid input";
    case MTREE_ERR_NO_MEMORY:
        return "out of memory";
    case MTREE_ERR_IO:
        return "input/output error";
    case MTREE_ERR_NOT_FOUND:
        return "not found";
    case MTREE_ERR_UNREACHABLE:
        return "not connected";
    case MTREE_ERR_LIMIT:
        return "over the limit";
    case MTREE_ERR_UNSUPPORTED:
        return "not supported";
    case MTREE_ERR_SOLVER:
        return "the solver failed";
    case MTREE_ERR_TRANSPORT:
        return "communication failed";
    case MTREE_ERR_CANCELLED:
        return "cancelled";
    }
    return "unknown status";
}
