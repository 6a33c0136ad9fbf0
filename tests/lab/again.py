"""Tests of what follows from measured speeds: on a busy machine the measure of one job may be wrong."""

import functools

TRIES = 3


def again(test):
    """TEST is made up to TRIES times, each with a setting up of its own; it fails when all fail."""

    @functools.wraps(test)
    def tried(case):
        for _ in range(TRIES - 1):
            try:
                return test(case)
            except AssertionError as error:
                print(f"{test.__name__}: once more after: {str(error).splitlines()[0]}")
            case.doCleanups()
            case.setUp()
        return test(case)

    return tried
