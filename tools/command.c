/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/command.h"

#include "base/file.h"
#include "base/log.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int command_misuse(const command_t *command, const char *what)
{
    mtree_error("%s: %s; see '%s%s --help'", command->name, what,
                command->is_program ? "" : "mtree ", command->name);
    return COMMAND_MISUSED;
}

int command_exit(mtree_status_t status)
{
    return status == MTREE_OK ? COMMAND_OK : COMMAND_FAILED;
}

bool command_find(const char *name, const char *folder, char *path)
{
    ssize_t length = readlink("/proc/self/exe", path, COMMAND_PATH_ROOM - 1);
    char *slash;

    if (length > 0) {
        path[length] = '\0';
        slash = strrchr(path, '/');
        if (slash != NULL &&
            (size_t)(slash - path) + strlen(name) + 2 < COMMAND_PATH_ROOM) {
            strcpy(slash + 1, name);
            if (access(path, X_OK) == 0) {
                return true;
            }
        }
    }
    snprintf(path, COMMAND_PATH_ROOM, "%s/%s", folder, name);
    return access(path, X_OK) == 0;
}

mtree_status_t command_become(const char *name, const char *script,
                              const char *const *words)
{
    char mtree[COMMAND_PATH_ROOM], path[COMMAND_PATH_ROOM];
    const char *all[COMMAND_WORDS + 3] = {"python3", path};

    for (int i = 0; words[i] != NULL; i++) {
        assert(i < COMMAND_WORDS);
        all[2 + i] = words[i];
    }
    if (command_find("mtree", PKGDATADIR, mtree)) {
        setenv("MTREE", mtree, 1);
    }
    if (!command_find(script, PKGDATADIR, path)) {
        mtree_error("%s: %s is neither beside mtree nor in %s", name, script, PKGDATADIR);
        return MTREE_ERR_NOT_FOUND;
    }
    execvp(all[0], (char *const *)all);
    mtree_error("%s: python3 cannot be started: %s", name, strerror(errno));
    return MTREE_ERR_IO;
}

mtree_status_t command_give(const char *name, json_t *json)
{
    FILE *file = tmpfile();
    const bool given = file != NULL && json != NULL &&
                       json_dumpf(json, file, JSON_REAL_PRECISION(15)) == 0 &&
                       fflush(file) == 0 && lseek(fileno(file), 0, SEEK_SET) == 0 &&
                       dup2(fileno(file), STDIN_FILENO) == STDIN_FILENO;

    json_decref(json);
    if (!given) {
        mtree_error("%s: no temporary file can be written: is the disk full?", name);
    }
    return given ? MTREE_OK : MTREE_ERR_IO;
}

mtree_status_t command_read(const char *name, const char *script,
                            const char *const *words, char **text_p)
{
    mtree_status_t status;
    int ends[2], result;
    size_t length;
    char path[32];
    pid_t child;

    if (pipe(ends) != 0 || (child = fork()) < 0) {
        mtree_error("%s: python3 cannot be started: %s", name, strerror(errno));
        return MTREE_ERR_IO;
    }
    if (child == 0) {
        (void)dup2(ends[1], STDOUT_FILENO);
        (void)command_become(name, script, words);
        _exit(COMMAND_FAILED);
    }
    close(ends[1]);
    (void)snprintf(path, sizeof(path), "/dev/fd/%d", ends[0]);
    status = mtree_file_read(path, text_p, &length);
    close(ends[0]);
    if (waitpid(child, &result, 0) == child && result == 0) {
        return status;
    }
    if (status == MTREE_OK) {
        free(*text_p);
    }
    return MTREE_ERR_IO;
}

mtree_status_t command_print_json(json_t *json, FILE *out)
{
    int failed;

    if (json == NULL) {
        mtree_error("a name is not UTF-8, which JSON demands");
        return MTREE_ERR_INVALID;
    }
    failed = json_dumpf(json, out, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
    json_decref(json);
    fputc('\n', out);
    if (failed != 0 || fflush(out) != 0) {
        mtree_error("the output cannot be written: is the disk full?");
        return MTREE_ERR_IO;
    }
    return MTREE_OK;
}

static mtree_status_t cannot_write(const char *path)
{
    mtree_error("%s: cannot be written: %s", path != NULL ? path : "the output",
                strerror(errno));
    return MTREE_ERR_IO;
}

mtree_status_t command_open(const char *path, FILE **out_p)
{
    *out_p = path != NULL ? fopen(path, "we") : stdout;
    return *out_p != NULL ? MTREE_OK : cannot_write(path);
}

mtree_status_t command_close(const char *path, FILE *out, mtree_status_t status)
{
    int failed = ferror(out) + fflush(out);

    if (out != stdout) {
        failed += fclose(out);
    }
    return status == MTREE_OK && failed != 0 ? cannot_write(path) : status;
}
