/* SPDX-License-Identifier: BSD-3-Clause */
/* What the kernel lets TCP hold. */
#include "tcp/kernel_buffers.h"
#include "tests/unit/runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void write_file(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");

    ck_assert_ptr_nonnull(file);
    (void)fputs(text, file);
    (void)fclose(file);
}

UNIT_TEST(the_smaller_limit_counts)
{
    char folder[] = "/tmp/mtree_buffers_XXXXXX";

    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(chdir(folder), 0);
    ck_assert_double_infinite(mtree_tcp_kernel_buffers_most(folder));
    write_file("tcp_wmem", "4096\t16384\t4194304\n");
    write_file("tcp_rmem", "4\tmany\n");
    ck_assert_double_eq(mtree_tcp_kernel_buffers_most(folder), 2097152);
    write_file("tcp_rmem", "4096\t131072\t2097152\n");
    ck_assert_double_eq(mtree_tcp_kernel_buffers_most("."), 1048576);
    (void)unlink("tcp_wmem");
    (void)unlink("tcp_rmem");
    (void)rmdir(folder);
}
