/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/file.h"

#include "base/log.h"
#include "base/memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static mtree_status_t stream_read(FILE *stream, const char *path, char **text_p,
                                  size_t *length_p)
{
    mtree_status_t status;
    size_t room = 0;
    size_t length = 0;
    char *text = NULL;

    do {
        if (length + 1 >= room) {
            room = (room == 0) ? 65536 : 2 * room;
            text = mtree_realloc(text, room);
        }
        length += fread(text + length, 1, room - 1 - length, stream);
        if (ferror(stream)) {
            mtree_error("%s: cannot be read: %s", path, strerror(errno));
            status = MTREE_ERR_IO;
            goto err_free;
        }
        if (length > MTREE_FILE_MAX_BYTES) {
            mtree_error("%s: larger than %u MiB, the largest file that mtree reads", path,
                        MTREE_FILE_MAX_BYTES >> 20);
            status = MTREE_ERR_LIMIT;
            goto err_free;
        }
    } while (!feof(stream));
    text[length] = '\0';
    *text_p = text;
    *length_p = length;
    return MTREE_OK;

err_free:
    free(text);
    return status;
}

mtree_status_t mtree_file_read(const char *path, char **text_p, size_t *length_p)
{
    mtree_status_t status;
    FILE *stream;

    if (strcmp(path, "-") == 0) {
        return stream_read(stdin, "standard input", text_p, length_p);
    }
    stream = fopen(path, "re");
    if (stream == NULL) {
        mtree_error("%s: cannot be opened: %s", path, strerror(errno));
        return MTREE_ERR_IO;
    }
    status = stream_read(stream, path, text_p, length_p);
    fclose(stream);
    return status;
}
