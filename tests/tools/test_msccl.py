#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mtree export --format msccl, run: an interpreter of MSCCL's algorithms executes what is written on symbolic data.

It takes thread blocks in random order.  A send either waits for its receive (so a cycle of waits shows as a deadlock) or is
buffered for ever (so what is read too late shows as a wrong result).  Input and output are apart, or the same memory."""
import collections
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

ROOT = pathlib.Path(os.environ.get("srcdir", ".")).resolve()
MTREE = os.environ.get("MTREE", "./mtree")
# What the parser of github.com/microsoft/msccl refuses to exceed (src/include/msccl.h, src/graph/xml.h).
MAX_STEPS, MAX_BLOCKS, MAX_PEERS, MAX_COUNT, MAX_CHANNELS, MAX_NODES = 256, 216, 32, 71, 32, 4096
SENDS, RECEIVES, LOCAL = {"s"}, {"r", "rrc"}, {"cpy"}


class Step:
    def __init__(self, element):
        self.kind = element.get("type")
        self.source = (element.get("srcbuf"), int(element.get("srcoff")))
        self.target = (element.get("dstbuf"), int(element.get("dstoff")))
        self.count = int(element.get("cnt"))
        self.wait = (int(element.get("depid")), int(element.get("deps")))
        self.is_awaited = element.get("hasdep") == "1"


class Block:
    def __init__(self, element):
        self.send, self.recv, self.channel = (int(element.get(name)) for name in ("send", "recv", "chan"))
        self.steps = [Step(step) for step in element]
        self.done = 0


class Gpu:
    def __init__(self, element):
        self.sizes = {name: int(element.get(f"{name}_chunks")) for name in "ios"}
        self.blocks = [Block(block) for block in element]


class Algorithm:
    def __init__(self, text):
        root = xml.etree.ElementTree.fromstring(text)
        self.collective = root.get("coll")
        self.chunks, self.channels = int(root.get("nchunksperloop")), int(root.get("nchannels"))
        self.gpus = [Gpu(gpu) for gpu in root]
        self.numbers = [int(gpu.get("id")) for gpu in root]
        self.declared = int(root.get("ngpus"))


def check_form(test, algorithm):
    """What MSCCL's parser checks, and that a connection belongs to one thread block at each end."""
    count = len(algorithm.gpus)
    test.assertEqual((list(range(count)), count), (algorithm.numbers, algorithm.declared))
    test.assertLessEqual(algorithm.channels, MAX_CHANNELS)
    parts = {"allreduce": (1, 1), "allgather": (count, 1), "reduce_scatter": (1, count)}[algorithm.collective]
    for number, gpu in enumerate(algorithm.gpus):
        test.assertEqual((algorithm.chunks, algorithm.chunks), (gpu.sizes["i"] * parts[0], gpu.sizes["o"] * parts[1]))
        test.assertLessEqual(len(gpu.blocks), MAX_BLOCKS)
        test.assertLessEqual(1 + count + sum(1 + len(block.steps) for block in gpu.blocks), MAX_NODES)
        for direction in ("send", "recv"):
            peers = collections.Counter((block.channel, getattr(block, direction)) for block in gpu.blocks if getattr(block, direction) >= 0)
            test.assertTrue(all(uses == 1 for uses in peers.values()), peers)
            test.assertTrue(all(uses <= MAX_PEERS for uses in collections.Counter(channel for channel, _ in peers).values()))
        for block in gpu.blocks:
            check_block(test, algorithm, gpu, number, block)


def check_block(test, algorithm, gpu, number, block):
    test.assertTrue(block.send != number and block.recv != number and 0 <= block.channel < algorithm.channels)
    test.assertLessEqual(len(block.steps), MAX_STEPS)
    for step in block.steps:
        test.assertIn(step.kind, SENDS | RECEIVES | LOCAL)
        test.assertTrue(1 <= step.count <= MAX_COUNT)
        local = ([] if step.kind == "r" else [step.source]) + ([] if step.kind == "s" else [step.target])
        for buffer, first in local:
            test.assertTrue(0 <= first and first + step.count <= gpu.sizes[buffer], (number, buffer, first, step.count))
        if step.wait[0] >= 0:
            test.assertTrue(gpu.blocks[step.wait[0]].steps[step.wait[1]].is_awaited)


class Machine:
    """GPUs whose chunks are sets of (rank, chunk), the inputs that are in a sum."""

    def __init__(self, algorithm, in_place, seed):
        self.algorithm, self.random = algorithm, random.Random(seed)
        self.is_buffered = seed % 2 == 0
        self.messages = collections.defaultdict(collections.deque)
        self.memory = [self.allocate(number, gpu, in_place) for number, gpu in enumerate(algorithm.gpus)]
        for gpu in algorithm.gpus:
            for block in gpu.blocks:
                block.done = 0

    def allocate(self, number, gpu, in_place):
        """Buffers as (list, first); the smaller one of the two lies in the larger one, where the rank's block is."""
        sizes = gpu.sizes
        inputs = [frozenset([(number, chunk)]) for chunk in range(sizes["i"])]
        buffers = {"i": (inputs, 0), "o": ([None] * sizes["o"], 0), "s": ([None] * sizes["s"], 0)}
        if in_place and sizes["i"] < sizes["o"]:
            whole = [None] * sizes["o"]
            whole[number * sizes["i"]:(number + 1) * sizes["i"]] = inputs
            buffers.update(i=(whole, number * sizes["i"]), o=(whole, 0))
        elif in_place:
            buffers["o"] = (inputs, number * sizes["o"] if sizes["o"] < sizes["i"] else 0)
        return buffers

    def read(self, gpu, place, count):
        cells, begin = self.memory[gpu][place[0]]
        values = cells[begin + place[1]:begin + place[1] + count]
        if None in values:
            raise AssertionError(f"GPU {gpu} reads what is not there: {place}, {count}")
        return values

    def write(self, gpu, place, values):
        cells, begin = self.memory[gpu][place[0]]
        cells[begin + place[1]:begin + place[1] + len(values)] = values

    def waits(self, gpu, block):
        """Is the block at its end, or does its next step wait for another one?"""
        if block.done == len(block.steps):
            return True
        other, step = block.steps[block.done].wait
        return other >= 0 and self.algorithm.gpus[gpu].blocks[other].done <= step

    def partner_is_ready(self, gpu, block):
        receiver = next(other for other in self.algorithm.gpus[block.send].blocks if other.recv == gpu and other.channel == block.channel)
        return not self.waits(block.send, receiver) and not self.messages[gpu, block.send, block.channel]

    def receive(self, gpu, block, step):
        values = self.messages[block.recv, gpu, block.channel].popleft()
        if len(values) != step.count:
            raise AssertionError(f"GPU {gpu} wants {step.count} chunks and gets {len(values)}")
        if step.kind == "rrc":
            own = self.read(gpu, step.source, step.count)
            if any(mine & theirs for mine, theirs in zip(own, values)):
                raise AssertionError(f"GPU {gpu} adds an input twice")
            values = [mine | theirs for mine, theirs in zip(own, values)]
        self.write(gpu, step.target, values)

    def try_step(self, gpu, block):
        if self.waits(gpu, block):
            return False
        step = block.steps[block.done]
        if step.kind in SENDS:
            if not self.is_buffered and not self.partner_is_ready(gpu, block):
                return False
            self.messages[gpu, block.send, block.channel].append(self.read(gpu, step.source, step.count))
        elif step.kind in RECEIVES:
            if not self.messages[block.recv, gpu, block.channel]:
                return False
            self.receive(gpu, block, step)
        else:
            self.write(gpu, step.target, self.read(gpu, step.source, step.count))
        block.done += 1
        return True

    def run(self):
        blocks = [(number, block) for number, gpu in enumerate(self.algorithm.gpus) for block in gpu.blocks]
        while blocks:
            self.random.shuffle(blocks)
            if not any([self.try_step(gpu, block) for gpu, block in blocks]):
                raise AssertionError("deadlock")
            blocks = [(gpu, block) for gpu, block in blocks if block.done < len(block.steps)]

    def output(self, gpu):
        cells, begin = self.memory[gpu]["o"]
        return cells[begin:begin + self.algorithm.gpus[gpu].sizes["o"]]


def wanted(algorithm, gpu):
    """The output of a rank, as sets of inputs."""
    ranks, size = range(len(algorithm.gpus)), algorithm.gpus[gpu].sizes
    if algorithm.collective == "allgather":
        return [frozenset([(rank, chunk)]) for rank in ranks for chunk in range(size["i"])]
    first = gpu * size["o"] if algorithm.collective == "reduce_scatter" else 0
    return [frozenset((rank, first + chunk) for rank in ranks) for chunk in range(size["o"])]


def check_results(algorithm):
    """Every rank has what it wants, whatever the order and wherever the buffers are."""
    for seed in range(4):
        for in_place in (False, True):
            machine = Machine(algorithm, in_place, seed)
            machine.run()
            for gpu in range(len(algorithm.gpus)):
                if machine.output(gpu) != wanted(algorithm, gpu):
                    raise AssertionError(f"GPU {gpu} has another result")


def mtree(*words):
    return subprocess.run([MTREE, *map(str, words)], stdout=subprocess.PIPE, check=True, text=True).stdout


class Msccl(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.plan = pathlib.Path(folder.name, "plan.json")

    def check(self, topology, collective, *planning, chunks=64):
        mtree("plan", topology, "-C", collective, "-o", self.plan, *planning)
        algorithm = Algorithm(mtree("export", "--format", "msccl", "--chunks", chunks, self.plan))
        check_form(self, algorithm)
        self.check_shares(algorithm, json.loads(self.plan.read_text()), chunks)
        check_results(algorithm)
        return algorithm

    def check_shares(self, algorithm, plan, chunks):
        """Between two GPUs as many chunks go as the plan's shares say, but for less than one per tree."""
        due, trees, sent = collections.Counter(), collections.Counter(), collections.Counter()
        up, down = plan["collective"] != "allgather", plan["collective"] != "reduce_scatter"
        for tree in plan["trees"]:
            for edge in tree["edges"]:
                parent, child = (plan["hosts"].index(host) for host in edge)
                for ends in [(child, parent)] * up + [(parent, child)] * down:
                    due[ends] += tree["share"] * chunks
                    trees[ends] += 1
        for number, gpu in enumerate(algorithm.gpus):
            for block in gpu.blocks:
                sent[number, block.send] += sum(step.count for step in block.steps if step.kind in SENDS)
        for ends, amount in due.items():
            self.assertLess(abs(amount - sent[ends]), trees[ends])

    def test_plans_of_packing(self):
        for collective in ("allreduce", "allgather", "reduce_scatter"):
            with self.subTest(collective):
                self.check(ROOT / "topologies/b4.dot", collective, "--size", "16M")

    def test_plans_in_steps_and_other_trees(self):
        for algorithm, collective, name in (("ring", "allreduce", "star-8"), ("multitree", "allgather", "torus-4x4"),
                                            ("ring", "reduce_scatter", "star-8"), ("direct", "reduce_scatter", "star-8"),
                                            ("doubletree", "allreduce", "torus-4x4")):
            with self.subTest(f"{algorithm} {collective}"):
                self.check(ROOT / f"topologies/{name}.dot", collective, "-a", algorithm)

    def test_fewer_chunks_than_trees_and_more_than_a_step_takes(self):
        self.check(ROOT / "topologies/b4.dot", "allreduce", "--size", "16M", chunks=1)
        self.check(ROOT / "topologies/b4.dot", "allreduce", "--size", "16M", chunks=500)

    def test_more_steps_than_a_channel_takes(self):
        """Each GPU passes on seven blocks of 58 pieces."""
        algorithm = self.check(ROOT / "topologies/star-8.dot", "allgather", "-a", "ring", chunks=4096)
        self.assertEqual(2, algorithm.channels)

    def test_the_interpreter_finds_faults(self):
        def wait_for_nothing(algorithm):
            for gpu in algorithm.gpus:
                for block in gpu.blocks:
                    for step in block.steps:
                        step.wait = (-1, -1)

        def turn_a_block(algorithm):
            max((block for gpu in algorithm.gpus for block in gpu.blocks), key=lambda block: len(block.steps)).steps.reverse()

        def lose_a_transfer(algorithm):
            sender = next(block for block in algorithm.gpus[0].blocks if block.send >= 0)
            receiver = next(block for block in algorithm.gpus[sender.send].blocks if block.recv == 0)
            sender.steps.pop()
            receiver.steps.pop()

        mtree("plan", ROOT / "topologies/b4.dot", "-o", self.plan, "--size", "16M")
        for damage in (wait_for_nothing, turn_a_block, lose_a_transfer):
            algorithm = Algorithm(mtree("export", "--format", "msccl", self.plan))
            damage(algorithm)
            with self.assertRaises((AssertionError, IndexError), msg=damage.__name__):
                check_results(algorithm)


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
