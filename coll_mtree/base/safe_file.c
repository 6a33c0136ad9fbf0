/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/base/safe_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

FILE *coll_mtree_safe_file_open(const char *path, bool anew)
{
    int flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    FILE *file;
    int fd, error;

    if (anew) {
        (void)unlink(path);
        flags |= O_EXCL;
    }
    fd = open(path, flags, 0666);
    if (fd < 0) {
        return NULL;
    }
    /* Writes may block. */
    if (fcntl(fd, F_SETFL, 0) == 0 && (file = fdopen(fd, "w")) != NULL) {
        return file;
    }
    error = errno;
    close(fd);
    errno = error;
    return NULL;
}

const char *coll_mtree_safe_file_error(void)
{
    return errno == ELOOP ? "it is a symbolic link, which is not followed"
                          : strerror(errno);
}
