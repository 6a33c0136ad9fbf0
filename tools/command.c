/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/command.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Seconds between two lines about slow work. */
#define SAMPLE 2

/* What the next line says. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char line[128];

int command_misuse(const command_t *command, const char *what)
{
    mtree_error("%s: %s; see '%s%s --help'", command->name, what,
                command->is_program ? "" : "mtree ", command->name);
    return COMMAND_MISUSED;
}

void command_must(mtree_status_t status)
{
    if (status != MTREE_OK) {
        exit(COMMAND_FAILED);
    }
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

int command_become(const char *name, const char *script, const char *const *words)
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
        return COMMAND_FAILED;
    }
    execvp(all[0], (char *const *)all);
    mtree_error("%s: python3 cannot be started: %s", name, strerror(errno));
    return COMMAND_FAILED;
}

void command_give(const char *name, json_t *json)
{
    FILE *file = tmpfile();

    if (file == NULL || json_dumpf(json, file, JSON_REAL_PRECISION(15)) != 0 ||
        fflush(file) != 0 || lseek(fileno(file), 0, SEEK_SET) != 0 ||
        dup2(fileno(file), STDIN_FILENO) != STDIN_FILENO) {
        command_fail("%s: no temporary file can be written: is the disk full?", name);
    }
}

char *command_read(const char *name, const char *script, const char *const *words)
{
    char path[32], *text;
    int ends[2], result;
    size_t length;
    pid_t child;

    if (pipe(ends) != 0 || (child = fork()) < 0) {
        command_fail("%s: python3 cannot be started: %s", name, strerror(errno));
    }
    if (child == 0) {
        (void)dup2(ends[1], STDOUT_FILENO);
        _exit(command_become(name, script, words));
    }
    close(ends[1]);
    (void)snprintf(path, sizeof(path), "/dev/fd/%d", ends[0]);
    command_must(mtree_file_read(path, &text, &length));
    close(ends[0]);
    if (waitpid(child, &result, 0) != child || result != 0) {
        exit(COMMAND_FAILED);
    }
    return text;
}

static void *print_lines(void *arg)
{
    const double began = mtree_clock_seconds();

    (void)arg;
    for (;;) {
        (void)sleep(SAMPLE);
        pthread_mutex_lock(&lock);
        fprintf(stderr, "mtree: %.0f s: %s\n", mtree_clock_seconds() - began, line);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

void command_say(const char *what, ...)
{
    static bool is_running;
    pthread_t ticker;
    va_list args;

    pthread_mutex_lock(&lock);
    va_start(args, what);
    (void)vsnprintf(line, sizeof(line), what, args);
    va_end(args);
    /* A thread, since a search may compute for seconds without a callback. */
    is_running = is_running || pthread_create(&ticker, NULL, print_lines, NULL) == 0;
    pthread_mutex_unlock(&lock);
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

FILE *command_open(const char *path)
{
    FILE *out = path != NULL ? fopen(path, "we") : stdout;

    if (out == NULL) {
        command_fail("%s: cannot be written: %s", path, strerror(errno));
    }
    return out;
}

void command_close(const char *path, FILE *out)
{
    if (ferror(out) != 0 || fflush(out) != 0 || (out != stdout && fclose(out) != 0)) {
        command_fail("%s cannot be written: is the disk full?",
                     path != NULL ? path : "the output");
    }
}
