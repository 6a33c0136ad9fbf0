# SPDX-License-Identifier: BSD-3-Clause
"""mtree doctor: why a job across several hosts does not start (see docs/doctor.md)."""
