# SPDX-License-Identifier: BSD-3-Clause
"""How mtree doctor fails itself: with one line."""


class DoctorError(Exception):
    """What is wrong and what to do about it, for the user."""
