# SPDX-License-Identifier: BSD-3-Clause
"""How mtree doctor fails itself: with one line."""


class DoctorError(Exception):
    """What is wrong and what to do about it, for the user."""


def reason(error):
    """Why a file cannot be used, without the number and the name that Python adds."""
    return getattr(error, "strerror", None) or str(error)
