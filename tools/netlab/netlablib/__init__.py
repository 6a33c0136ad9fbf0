# SPDX-License-Identifier: BSD-3-Clause
"""The parts of netlab: topology -> recipe -> holder (which is the lab) -> programs."""
