# SPDX-License-Identifier: BSD-3-Clause
"""What a program prints, or writes to the file that it was told."""

import signal


class Failure(Exception):
    """There is no output; the text says why."""


def write(path, content):
    """@a content are bytes; path "": to standard output, whose reader may leave."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        with open(path or 1, "wb", closefd=path != "") as out:
            out.write(content)
    except OSError as error:
        raise Failure(f"{path or 'the output'}: cannot be written: {error.strerror}") from error
