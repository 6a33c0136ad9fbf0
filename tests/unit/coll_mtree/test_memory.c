/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory that a call cannot do without: what is there, and the reason that the job ends
 * for.
 */
#include "coll_mtree/base/memory.h"
#include "tests/unit/runner.h"

#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static jmp_buf ended;
static char reason_given[64];

static void end(const char *reason)
{
    (void)strncpy(reason_given, reason, sizeof(reason_given) - 1);
    longjmp(ended, 1);
}

UNIT_TEST(there_is_memory_even_of_no_bytes)
{
    char *bytes = coll_mtree_calloc(3, 5);

    for (int i = 0; i < 15; i++) {
        ck_assert_int_eq(bytes[i], 0);
    }
    bytes = coll_mtree_realloc(bytes, 0);
    ck_assert_ptr_nonnull(bytes);
    free(bytes);
    bytes = coll_mtree_malloc(0);
    ck_assert_ptr_nonnull(bytes);
    free(bytes);
    coll_mtree_require(MTREE_OK);
}

UNIT_TEST(the_reason_says_how_many_bytes)
{
    coll_mtree_memory_open(end);
    if (setjmp(ended) == 0) {
        free(coll_mtree_malloc(SIZE_MAX / 2));
    }
    ck_assert_str_eq(reason_given, "no memory for 9223372036854775807 bytes");
    if (setjmp(ended) == 0) {
        coll_mtree_require(MTREE_ERR_NO_MEMORY);
    }
    ck_assert_str_eq(reason_given, "no memory");
}
