/* SPDX-License-Identifier: BSD-3-Clause */
/* What the kernel lets TCP hold, and the command that raises it. */
#include "tcp/kernel_buffers.h"
#include "tests/unit/runner.h"

#include <unistd.h>

static char folder[32];

static void write_file(const char *name, const char *text)
{
    char path[128];
    FILE *file;

    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    (void)fputs(text, file);
    (void)fclose(file);
}

static void create(void)
{
    (void)snprintf(folder, sizeof(folder), "/tmp/mtree_buffers_XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    write_file("tcp_wmem", "4096\t16384\t4194304\n");
    write_file("tcp_rmem", "4096\t131072\t6291456\n");
}

static void destroy(void)
{
    for (int i = 0; i < 2; i++) {
        char path[128];

        (void)snprintf(path, sizeof(path), "%s/tcp_%s", folder, i == 0 ? "wmem" : "rmem");
        (void)unlink(path);
    }
    (void)rmdir(folder);
}

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

UNIT_EACH(what_is_too_small_is_raised, cases)
{
    char command[160] = "";

    ck_assert(mtree_tcp_kernel_buffers_command(folder, cases[_i].bytes, command,
                                               sizeof(command)) ==
              (cases[_i].command != NULL));
    if (cases[_i].command != NULL) {
        ck_assert_str_eq(command, cases[_i].command);
    }
}

/* The command is too long, the file has something else, or there is none. */
UNIT_TEST(there_may_be_no_command)
{
    char command[160];

    ck_assert(!mtree_tcp_kernel_buffers_command(folder, 10e6, command, 20));
    write_file("tcp_rmem", "4\tmany\n");
    ck_assert(!mtree_tcp_kernel_buffers_command(folder, 10e6, command, sizeof(command)));
    destroy();
    ck_assert(!mtree_tcp_kernel_buffers_command(folder, 10e6, command, sizeof(command)));
}

UNIT_FIXTURE(create, destroy)
