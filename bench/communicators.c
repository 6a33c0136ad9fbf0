/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/communicators.h"

#include "base/array.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct bench_communicator {
    MPI_Comm comm;
    int active;
    int num_settings;
    char *settings[BENCH_CONTROL_MOST];
};

static void communicator_cleanup(bench_communicator_t *made)
{
    for (int s = 0; s < made->num_settings; s++) {
        free(made->settings[s]);
    }
    if (made->comm != MPI_COMM_NULL) {
        MPI_Comm_free(&made->comm);
    }
}

static bool communicator_fits(const bench_communicator_t *made,
                              const bench_options_t *options)
{
    if (made->active != options->active || made->num_settings != options->num_settings) {
        return false;
    }
    for (int s = 0; s < made->num_settings; s++) {
        if (strcmp(made->settings[s], options->settings[s].text) != 0) {
            return false;
        }
    }
    return true;
}

/* With the variables set; on return they are as before. */
static mtree_status_t communicator_make(bench_options_t *options,
                                        bench_communicator_t *made)
{
    int rank, num_set;
    mtree_status_t status =
        bench_control_set(options->settings, options->num_settings, &num_set);

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (status == MTREE_OK) {
        MPI_Comm_split(MPI_COMM_WORLD, rank < options->active ? 0 : MPI_UNDEFINED, 0,
                       &made->comm);
    }
    bench_control_restore(options->settings, num_set);
    made->active = options->active;
    for (int s = 0; s < options->num_settings && status == MTREE_OK; s++) {
        made->settings[s] = strdup(options->settings[s].text);
        made->num_settings++;
        status = made->settings[s] == NULL ? MTREE_ERR_NO_MEMORY : MTREE_OK;
    }
    return status;
}

mtree_status_t bench_communicators_get(bench_communicators_t *communicators,
                                       bench_options_t *options, MPI_Comm *comm_p)
{
    bench_communicator_t made = {.comm = MPI_COMM_NULL};
    mtree_status_t status;
    int num_ranks;

    MPI_Comm_size(MPI_COMM_WORLD, &num_ranks);
    *comm_p = MPI_COMM_WORLD;
    if (options->active == num_ranks && options->num_settings == 0) {
        return MTREE_OK;
    }
    for (int c = 0; c < communicators->count; c++) {
        if (communicator_fits(&communicators->made[c], options)) {
            *comm_p = communicators->made[c].comm;
            return MTREE_OK;
        }
    }
    status = communicator_make(options, &made);
    if (status != MTREE_OK) {
        communicator_cleanup(&made);
        return status;
    }
    mtree_array_reserve(&communicators->made, &communicators->capacity,
                        communicators->count + 1, sizeof(made));
    communicators->made[communicators->count++] = made;
    *comm_p = made.comm;
    return MTREE_OK;
}

void bench_communicators_cleanup(bench_communicators_t *communicators)
{
    for (int c = 0; c < communicators->count; c++) {
        communicator_cleanup(&communicators->made[c]);
    }
    free(communicators->made);
    *communicators = (bench_communicators_t){.count = 0};
}
