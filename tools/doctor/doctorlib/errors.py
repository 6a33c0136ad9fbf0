# SPDX-License-Identifier: BSD-3-Clause
"""How mtree doctor fails itself: with one line."""


class DoctorError(Exception):
    """What is wrong and what to do about it, for the user."""


def reason(error):
    """Why a file cannot be used, without the number and the name that Python adds."""
    return getattr(error, "strerror", None) or str(error)


def read_text(path, most, limit):
    """The text of a file of at most MOST bytes, which may end never; LIMIT: what may be no longer, and what to do."""
    with open(path, "rb") as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise DoctorError(f"longer than {limit}")
    return data.decode("utf-8-sig")
