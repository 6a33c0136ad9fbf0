# SPDX-License-Identifier: BSD-3-Clause
"""Every collective of mpi4py, of objects and of buffers; rank 0 prints a line for each group, the same in each run."""

import array
import hashlib
import random
import sys

from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.Get_rank(), comm.Get_size()
random.seed(5)
COUNTS = [random.randrange(1, 4000) for _ in range(8)]


def numbers(owner, count):
    return array.array("d", (((owner + 1) * 7919 + i * i) % 10007 - 5000 for i in range(count)))


def say(name, value):
    digests = comm.allgather(hashlib.sha256(repr(value).encode()).hexdigest())
    if rank == 0:
        print(name, digests[0] if len(set(digests)) == 1 else hashlib.sha256(repr(digests).encode()).hexdigest())
        sys.stdout.flush()


def thing(owner):
    return {"rank": owner, "list": list(range(owner * 100, owner * 100 + 300)), "text": "x" * (50 * owner)}


say("bcast", [comm.bcast(thing(root) if rank == root else None, root) for root in range(size)])
say("gather", [comm.gather(thing(rank), root) for root in range(size)])
say("allgather", comm.allgather(thing(rank)))
say("allreduce", comm.allreduce(rank + 1) + comm.allreduce(rank, MPI.MAX))
# Of objects the order is kept, so what does not commute comes out in the order of the ranks.
say("concatenate", comm.allreduce([rank] * (rank + 1)))

result = []
for count in COUNTS:
    mine, got = numbers(rank, count), numbers(0, count)
    for op in (MPI.SUM, MPI.MAX, MPI.MIN):
        comm.Allreduce([mine, MPI.DOUBLE], [got, MPI.DOUBLE], op)
        result.append(list(got))
say("Allreduce", result)

result = []
for root, count in enumerate(COUNTS):
    buffer = numbers(rank, count)
    comm.Bcast([buffer, MPI.DOUBLE], root % size)
    result.append(list(buffer))
say("Bcast", result)

result = []
for root, count in enumerate(COUNTS):
    got = numbers(0, count)
    comm.Reduce([numbers(rank, count), MPI.DOUBLE], [got, MPI.DOUBLE], MPI.SUM, root % size)
    result.append(list(got) if rank == root % size else None)
say("Reduce", result)

result = []
for count in COUNTS:
    got = array.array("d", [0.0]) * (count * size)
    comm.Allgather([numbers(rank, count), MPI.DOUBLE], [got, MPI.DOUBLE])
    result.append(list(got))
    each = [count + r for r in range(size)]
    got = array.array("d", [0.0]) * sum(each)
    comm.Allgatherv([numbers(rank, each[rank]), MPI.DOUBLE], [got, each, None, MPI.DOUBLE])
    result.append(list(got))
say("Allgather", result)

result = []
for count in COUNTS:
    got = array.array("d", [0.0]) * count
    comm.Reduce_scatter_block([numbers(rank, count * size), MPI.DOUBLE], [got, MPI.DOUBLE], MPI.SUM)
    result.append(list(got))
say("Reduce_scatter", result)

# Buffers under way are to be kept.
requests, parts, result = [], [], []
for count in COUNTS:
    mine, got = numbers(rank, count), numbers(0, count)
    requests.append(comm.Iallreduce([mine, MPI.DOUBLE], [got, MPI.DOUBLE], MPI.SUM))
    parts.append(mine)
    result.append(got)
MPI.Request.Waitall(requests)
say("Iallreduce", [list(got) for got in result])

part = comm.Split(rank % 2, -rank)
got = numbers(0, 3000)
part.Allreduce([numbers(rank, 3000), MPI.DOUBLE], [got, MPI.DOUBLE], MPI.SUM)
part.Barrier()
part.Free()
say("Split", list(got))
