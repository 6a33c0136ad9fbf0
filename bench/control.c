/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/control.h"

#include "base/log.h"

#include <mpi.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_NAME 256

/* The number after "NAME=", and the name.  False: it is not so. */
static bool setting_read(const char *text, char *name, int *number_p)
{
    const char *equals = strchr(text, '=');
    char *end;
    long number;

    if (equals == NULL || equals - text >= LONGEST_NAME) {
        return false;
    }
    memcpy(name, text, (size_t)(equals - text));
    name[equals - text] = '\0';
    number = strtol(equals + 1, &end, 10);
    *number_p = (int)number;
    return end != equals + 1 && *end == '\0' && number >= INT_MIN && number <= INT_MAX;
}

/* Is this variable one integer? */
static bool is_integer(int index)
{
    MPI_Datatype datatype;
    int verbosity, bind, scope;

    return MPI_T_cvar_get_info(index, NULL, NULL, &verbosity, &datatype, NULL, NULL, NULL,
                               &bind, &scope) == MPI_SUCCESS &&
           datatype == MPI_INT;
}

/* Read the variable into @a before_p and write @a number.  NULL: done; else why not. */
static const char *exchange(const char *name, int number, int *before_p)
{
    MPI_T_cvar_handle handle;
    const char *why = NULL;
    int index, count = 0;

    if (MPI_T_cvar_get_index(name, &index) != MPI_SUCCESS) {
        return "this MPI has no such variable";
    }
    if (!is_integer(index) ||
        MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) != MPI_SUCCESS) {
        return "this variable is not a number";
    }
    if (count != 1 || MPI_T_cvar_read(handle, before_p) != MPI_SUCCESS ||
        MPI_T_cvar_write(handle, &number) != MPI_SUCCESS) {
        why = "this variable cannot be set while a job runs";
    }
    MPI_T_cvar_handle_free(&handle);
    return why;
}

mtree_status_t bench_control_set(bench_setting_t *settings, int num_settings,
                                 int *num_set_p)
{
    char name[LONGEST_NAME];
    const char *why = NULL;
    int number, provided;

    *num_set_p = 0;
    if (num_settings == 0) {
        return MTREE_OK;
    }
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    while (why == NULL && *num_set_p < num_settings) {
        bench_setting_t *setting = &settings[*num_set_p];

        why = setting_read(setting->text, name, &number)
                  ? exchange(name, number, &setting->before)
                  : "give NAME=NUMBER";
        if (why != NULL) {
            mtree_error("--control %s: %s", setting->text, why);
        } else {
            ++*num_set_p;
        }
    }
    MPI_T_finalize();
    return why == NULL ? MTREE_OK : MTREE_ERR_INVALID;
}

void bench_control_restore(const bench_setting_t *settings, int num_set)
{
    char name[LONGEST_NAME];
    int number, provided;

    if (num_set == 0) {
        return;
    }
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    while (num_set-- > 0) {
        setting_read(settings[num_set].text, name, &number);
        exchange(name, settings[num_set].before, &number);
    }
    MPI_T_finalize();
}
