# SPDX-License-Identifier: BSD-3-Clause
"""Collectives of torch.distributed over Gloo, timed and checked as mtree_bench does it.

mpirun starts it on each host.  Rank 0 reads tasks, all ranks carry them out, and rank 0 prints the
times of the slowest rank, all as mtree_bench --tasks does it.
"""

import argparse
import datetime
import json
import os
import sys
import time

import torch
import torch.distributed as dist

PORT = 29500
NEVER = datetime.timedelta(days=1)
TASK_BYTES = 1024
SPARE = 0.002  # seconds for the processors, beyond what a barrier takes
PERIOD = 241  # of the pattern; below 2^8, so that sums of floats are exact in any order


class Operation:
    """One collective on vectors of so many bytes; sizes are those of mtree_bench --total."""

    def __init__(self, collective, num_bytes, together):
        self.together = together
        self.rank, self.ranks = dist.get_rank(), dist.get_world_size()
        self.collective = collective
        parts = collective in ("allgather", "gather", "alltoall")
        self.count = num_bytes // 4 // (self.ranks if parts else 1)
        self.failures = 0  # wrong results of this rank

    def pattern(self, ranks, iteration, block=0):
        """The sum of what these ranks send, one period of it over and over."""
        places = torch.arange(PERIOD) + 13 * iteration + 29 * block
        period = sum(((places + 7 * rank) % PERIOD).to(torch.float32) for rank in ranks)
        return period.repeat(self.count // PERIOD + 1)[: self.count]

    def prepare(self, iteration):
        ranks = range(self.ranks)
        self.mine = self.pattern([self.rank], iteration).clone()
        if self.collective == "bcast" and self.rank != 0:
            self.mine.fill_(-1)
        if self.collective == "alltoall":
            self.mine = torch.cat([self.pattern([self.rank], iteration, block) for block in ranks])
            self.result = torch.full_like(self.mine, -1)
        if self.collective in ("allgather", "gather"):
            self.result = [torch.full_like(self.mine, -1) for _ in ranks]

    def run(self):
        if self.collective == "allreduce":
            dist.all_reduce(self.mine)
        elif self.collective == "bcast":
            dist.broadcast(self.mine, 0)
        elif self.collective == "allgather":
            dist.all_gather(self.result, self.mine)
        elif self.collective == "alltoall":
            dist.all_to_all_single(self.result, self.mine)
        else:
            dist.gather(self.mine, self.result if self.rank == 0 else None, 0)

    def is_right(self, iteration):
        ranks = range(self.ranks)
        if self.collective == "allreduce":
            return torch.equal(self.mine, self.pattern(ranks, iteration))
        if self.collective == "bcast":
            return torch.equal(self.mine, self.pattern([0], iteration))
        if self.collective == "gather" and self.rank != 0:
            return True
        block = self.rank if self.collective == "alltoall" else 0
        wanted = torch.cat([self.pattern([rank], iteration, block) for rank in ranks])
        got = self.result if self.collective == "alltoall" else torch.cat(self.result)
        return torch.equal(got, wanted)

    def time_call(self, iteration):
        """Seconds of one call, behind a barrier, whose result is checked."""
        self.prepare(iteration)
        dist.barrier()
        overslept = wait_for_all() if self.together else 0
        start = time.perf_counter() - overslept
        self.run()
        seconds = time.perf_counter() - start
        self.failures += not self.is_right(iteration)
        return seconds


def wait_for_all():
    """Until the time at which all ranks begin, and the seconds for which this one has waited too
    long; those of a lab have one clock."""
    began = time.time()
    dist.barrier()
    start = torch.tensor([2 * time.time() - began + SPARE], dtype=torch.float64)
    dist.broadcast(start, 0)
    time.sleep(max(0, float(start) - time.time()))
    return time.time() - float(start)


def is_in_time(began, task):
    """May one more call begin?  Rank 0's clock decides for all."""
    in_time = torch.tensor([int(time.perf_counter() - began < float(task.limit.rstrip("s")))])
    dist.broadcast(in_time, 0)
    return bool(in_time)


def carry_out(task):
    """Microseconds of the slowest rank per timed call, and wrong results of all ranks."""
    num_bytes = int(task.message_size.split(":")[-1])
    operation = Operation(task.collective, num_bytes, task.together)
    warmup, times, began = 0, [], time.perf_counter()
    while warmup < task.warmup and is_in_time(began, task):
        operation.time_call(warmup)
        warmup += 1
    while len(times) < task.iterations and (not times or is_in_time(began, task)):
        times.append(operation.time_call(task.warmup + len(times)))
    slowest = torch.tensor(times, dtype=torch.float64)
    dist.all_reduce(slowest, dist.ReduceOp.MAX)
    wrong = torch.tensor([operation.failures])
    dist.all_reduce(wrong)
    calls = [seconds * 1e6 for seconds in slowest.tolist()]
    return {"sizes": [{"bytes": num_bytes, "calls_us": calls, "failures": int(wrong)}]}


def next_task():
    """What rank 0 reads, on all ranks; None at the end.  All results are checked, and all sizes are
    those that --total means."""
    line = sys.stdin.readline().encode() if dist.get_rank() == 0 else b""
    message = torch.tensor(list(line.ljust(TASK_BYTES)), dtype=torch.uint8)
    if dist.get_rank() != 0:
        message = torch.zeros(TASK_BYTES, dtype=torch.uint8)
    dist.broadcast(message, 0)
    words = bytes(message.tolist()).decode().split()
    parser = argparse.ArgumentParser(add_help=False)
    for letter, name in ("-t", "--collective"), ("-m", "--message-size"):
        parser.add_argument(letter, name)
    parser.add_argument("--limit", default="inf")
    for letter, name in ("-i", "--iterations"), ("-x", "--warmup"):
        parser.add_argument(letter, name, type=int)
    for name in ("-c", "--total", "--json", "--together"):
        parser.add_argument(name, action="store_true")
    return parser.parse_args(words) if words else None


def main():
    torch.set_num_threads(1)
    address = f"tcp://{sys.argv[1]}:{PORT}"
    rank, ranks = (int(os.environ[f"OMPI_COMM_WORLD_{name}"]) for name in ("RANK", "SIZE"))
    dist.init_process_group(
        "gloo", init_method=address, rank=rank, world_size=ranks, timeout=NEVER
    )
    while (task := next_task()) is not None:
        answer = carry_out(task)
        if rank == 0:
            print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
