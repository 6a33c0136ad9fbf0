/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "coll_mtree/base/caller.h"

#include <dlfcn.h>
#include <string.h>

bool coll_mtree_caller_is_program(const void *code)
{
    const char *name;
    Dl_info info;

    if (dladdr(code, &info) == 0 || info.dli_sname == NULL) {
        return false;
    }
    name = info.dli_sname[0] == 'P' ? info.dli_sname + 1 : info.dli_sname;
    return strncmp(name, "MPI_", strlen("MPI_")) == 0;
}
