# SPDX-License-Identifier: BSD-3-Clause
"""How netlab fails: with one line, or by an interruption that still cleans up."""

import signal

ENDING_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class NetlabError(Exception):
    """What is wrong and what to do about it, for the user."""


class Interrupted(BaseException):
    """SIGINT, SIGTERM or SIGHUP arrived."""

    def __init__(self, number):
        super().__init__(f"signal {number}")
        self.signal = number


def _interrupt(number, _frame):
    raise Interrupted(number)


def raise_on_signals():
    """From now on the signals that end a program raise Interrupted."""
    for number in ENDING_SIGNALS:
        signal.signal(number, _interrupt)


def ignore_signals():
    """From now on nothing interrupts the clean-up."""
    for number in ENDING_SIGNALS:
        signal.signal(number, signal.SIG_IGN)
