# SPDX-License-Identifier: BSD-3-Clause
from spack_repo.builtin.packages.openmpi.package import Openmpi as BuiltinOpenmpi

from spack.package import *


class Openmpi(BuiltinOpenmpi):
    """Open MPI with the headers that components of others are built with."""

    def configure_args(self):
        return [*super().configure_args(), "--with-devel-headers"]
