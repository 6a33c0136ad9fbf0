# SPDX-License-Identifier: BSD-3-Clause
"""MPI in a library that the program itself opens and nobody else sees, as Python's mpi4py has it: mtree's component
finds what it needs of Open MPI all the same."""
import ctypes
import sys

N = 20000

mpi = ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_LOCAL)


def handle(name):
    return ctypes.byref(ctypes.c_char.in_dll(mpi, name))


def check(status):
    assert status == 0, status


world = handle("ompi_mpi_comm_world")
rank, ranks = ctypes.c_int(), ctypes.c_int()
check(mpi.MPI_Init(None, None))
check(mpi.MPI_Comm_rank(world, ctypes.byref(rank)))
check(mpi.MPI_Comm_size(world, ctypes.byref(ranks)))
mine = (ctypes.c_int * N)(*(rank.value + i for i in range(N)))
sums = (ctypes.c_int * N)()
check(mpi.MPI_Allreduce(mine, sums, N, handle("ompi_mpi_int"), handle("ompi_mpi_op_sum"), world))
n = ranks.value
assert list(sums) == [n * i + n * (n - 1) // 2 for i in range(N)], rank
check(mpi.MPI_Finalize())
