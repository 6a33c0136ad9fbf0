#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The examples of the manual pages.
exec "${srcdir:-.}/tests/docs/run_examples.py" "${srcdir:-.}"/docs/*.[1-8]
