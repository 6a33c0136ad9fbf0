/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Feed a fuzz target the files of its corpus, or those that are named: what libFuzzer
 * found is tested without it.
 */
#include "tests/fuzz/fuzz.h"

#include "base/file.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>

/* Abortion, the target's or a sanitizer's, is the failure of a case; the last name tells
 * which. */
static int replay(char *const *paths, size_t num_paths)
{
    size_t length, i;
    char *text;

    for (i = 0; i < num_paths; i++) {
        printf("%s\n", paths[i]);
        fflush(stdout);
        if (mtree_file_read(paths[i], &text, &length) != MTREE_OK) {
            return EXIT_FAILURE;
        }
        LLVMFuzzerTestOneInput((const uint8_t *)text, length);
        free(text);
    }
    printf("# cases: %zu passed, 0 failed, 0 skipped\n", num_paths);
    return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    glob_t found;
    int result;

    if (argc > 1) {
        return replay(argv + 1, (size_t)(argc - 1));
    }
    if (glob(CORPUS "/*", 0, NULL, &found) != 0) {
        fprintf(stderr, "replay: no files in " CORPUS "\n");
        return EXIT_FAILURE;
    }
    result = replay(found.gl_pathv, found.gl_pathc);
    globfree(&found);
    return result;
}
