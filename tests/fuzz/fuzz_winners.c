/* SPDX-License-Identifier: BSD-3-Clause */
/* Winners of earlier jobs: those that are read are written, and read as the same. */
#include "tests/fuzz/fuzz.h"

#include "coll_mtree/plan/winners.h"

#include <stdlib.h>
#include <string.h>

static const char *const hosts[] = {"h0", "h1", "a host"};

#define NUM_HOSTS 3

static char *write_all(const coll_mtree_winners_t *winners)
{
    char *text = coll_mtree_winners_write(winners, hosts);

    if (text == NULL) {
        abort();
    }
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size), *written, *again;
    coll_mtree_winners_t winners, copy;
    mtree_status_t status;

    fuzz_start();
    coll_mtree_winners_init(&winners);
    coll_mtree_winners_init(&copy);
    status = coll_mtree_winners_read(&winners, text, "a file", hosts, NUM_HOSTS);
    fuzz_expect_told(status);
    written = write_all(&winners);
    if (coll_mtree_winners_read(&copy, written, "the same", hosts, NUM_HOSTS) !=
        MTREE_OK) {
        abort();
    }
    again = write_all(&copy);
    if (strcmp(written, again) != 0) {
        abort();
    }
    coll_mtree_winners_cleanup(&winners);
    coll_mtree_winners_cleanup(&copy);
    free(again);
    free(written);
    free(text);
    return 0;
}
