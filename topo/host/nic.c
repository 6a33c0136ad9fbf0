/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/host/nic.h"

#include "topo/host/interface.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SYSTEM_NETWORK "/sys/class/net/"
#define SYSTEM_FABRIC  "/sys/class/infiniband/"
#define PATH_LENGTH    160
#define LINE_LENGTH    64

/* True when @a upper is the interface @a name or lies on it. */
static bool carries(const char *name, const char *upper)
{
    char path[PATH_LENGTH];
    struct stat is;

    snprintf(path, sizeof(path), SYSTEM_NETWORK "%s/upper_%s", name, upper);
    return strcmp(name, upper) == 0 || lstat(path, &is) == 0;
}

void mtree_nics_keep_tcp(mtree_nic_t *nics, int *num_p, const char *include,
                         const char *exclude)
{
    mtree_interface_t used[MTREE_HOST_INTERFACES];
    const int count = mtree_interfaces_list(used, include, exclude);
    int kept = 0;

    for (int i = 0; i < *num_p; i++) {
        int at = 0;

        while (at < count && !carries(nics[i].name, used[at].name)) {
            at++;
        }
        if (at < count) {
            nics[kept++] = nics[i];
        }
    }
    *num_p = kept;
}

void mtree_nics_keep_kind(mtree_nic_t *nics, int *num_p, mtree_nic_kind_t kind)
{
    int kept = 0;

    for (int i = 0; i < *num_p; i++) {
        if (nics[i].kind == kind) {
            nics[kept++] = nics[i];
        }
    }
    *num_p = kept;
}

double mtree_nic_read_speed(const char *name, mtree_nic_kind_t kind)
{
    bool network = kind == MTREE_NIC_NETWORK;
    char path[PATH_LENGTH], line[LINE_LENGTH];
    double speed = 0;
    FILE *file;

    snprintf(path, sizeof(path), "%s%s%s", network ? SYSTEM_NETWORK : SYSTEM_FABRIC, name,
             network ? "/speed" : "/ports/1/rate");
    file = fopen(path, "r");
    if (file == NULL) {
        return 0;
    }
    /* "10000", in Mb/s and -1 when the link is down; or "100 Gb/sec (4X EDR)". */
    if (fgets(line, sizeof(line), file) != NULL) {
        speed = strtod(line, NULL) * (network ? 1e6 : 1e9);
    }
    fclose(file);
    return speed > 0 ? speed : 0;
}
