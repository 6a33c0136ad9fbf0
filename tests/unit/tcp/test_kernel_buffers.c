/* SPDX-License-Identifier: BSD-3-Clause */
/* What the kernel lets TCP hold, and the command that raises it. */
#include "tcp/kernel_buffers.h"
#include "tests/unit/runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const mtree_tcp_kernel_buffers_t usual = {{4096, 16384, 4194304},
                                                 {4096, 131072, 6291456}};

UNIT_TEST(what_is_too_small_is_raised)
{
    static const struct {
        double bytes;
        const char *command; /* NULL: none */
    } cases[] = {{1000, NULL},
                 {2097152, NULL},
                 {2097153, "sysctl -w net.ipv4.tcp_wmem='4096 16384 5242880'"},
                 {10e6, "sysctl -w net.ipv4.tcp_wmem='4096 16384 20971520' "
                        "net.ipv4.tcp_rmem='4096 131072 20971520'"},
                 {10e9, "sysctl -w net.ipv4.tcp_wmem='4096 16384 2146435072' "
                        "net.ipv4.tcp_rmem='4096 131072 2146435072'"}};
    char command[160];

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        bool is_short = mtree_tcp_kernel_buffers_command(&usual, cases[i].bytes, command,
                                                         sizeof(command));

        ck_assert(is_short == (cases[i].command != NULL));
        if (is_short) {
            ck_assert_str_eq(command, cases[i].command);
        }
    }
    ck_assert(!mtree_tcp_kernel_buffers_command(&usual, 10e6, command, 20));
}

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[128];
    FILE *file;

    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    (void)fputs(text, file);
    (void)fclose(file);
}

UNIT_TEST(the_kernels_files_are_read)
{
    char folder[] = "/tmp/mtree_buffers_XXXXXX", path[128];
    mtree_tcp_kernel_buffers_t buffers;

    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(mtree_tcp_kernel_buffers_read(folder, &buffers), MTREE_ERR_IO);
    write_file(folder, "tcp_wmem", "1\t2\t3\n");
    write_file(folder, "tcp_rmem", "4\tmany\n");
    ck_assert_int_eq(mtree_tcp_kernel_buffers_read(folder, &buffers), MTREE_ERR_IO);
    write_file(folder, "tcp_rmem", "4\t5\t6\n");
    unit_ok(mtree_tcp_kernel_buffers_read(folder, &buffers));
    ck_assert_uint_eq(buffers.send[2], 3);
    ck_assert_uint_eq(buffers.receive[0], 4);
    for (int i = 0; i < 2; i++) {
        (void)snprintf(path, sizeof(path), "%s/tcp_%s", folder, i == 0 ? "wmem" : "rmem");
        (void)unlink(path);
    }
    (void)rmdir(folder);
}
