# SPDX-License-Identifier: BSD-3-Clause
"""A plan as an algorithm of MSCCL, in the XML that its runtimes read.

The plan becomes programs of GPUs that MSCCL's interpreter runs (github.com/microsoft/msccl,
src/collectives/device/msccl_interpreter.h).  Host i is GPU i.  A GPU's thread blocks run at the same time; each sends to
one GPU, or receives from one, and its steps follow each other.  A step may wait for one step of another thread block of its
GPU.  The data of a call are chunks of one size in three buffers: i, the input; o, the output; s, scratch memory.  Input and
output may be the same memory: no step needs what another one has overwritten.

All thread blocks keep to one order of what crosses the edges of the trees, in which each transfer comes after those that it
needs.  So the earliest one that is not done can always be done: no two wait for each other."""
import collections

from output import Failure

# What MSCCL holds (src/include/msccl.h there): steps of a thread block, thread blocks of a GPU, peers of a channel that a
# GPU sends to or receives from, channels, chunks of a step, and XML elements that a GPU reads.
MOST_STEPS, MOST_BLOCKS, MOST_PEERS, MOST_CHANNELS, MOST_COUNT, MOST_NODES = 256, 216, 32, 32, 71, 4096
# Without a limit MSCCL takes an algorithm for up to 128 MB alone.
MOST_BYTES = 1 << 40

# Chunks that follow each other, of the vector or of the root's block, and that a tree carries together.
Piece = collections.namedtuple("Piece", "tree first count")


class PlanError(Exception):
    """The plan is no algorithm of MSCCL."""


class Step:
    def __init__(self, kind, source, target, count):
        """@a source and @a target are (buffer, chunk); of a send the target is on the other GPU, of a receive the source."""
        self.kind, self.source, self.target, self.count = kind, source, target, count
        self.wait, self.is_awaited = (-1, -1), 0


class Gpu:
    def __init__(self):
        self.scratch, self.blocks = 0, {}  # (send, recv, channel) -> its steps, in the order of their numbers

    def add(self, block, step, needs=None):
        """Append a step to a thread block; it waits for @a needs, (block, number).  Returns where it is."""
        steps = self.blocks.setdefault(block, [])
        if needs is not None and needs[0] != block:
            step.wait = (list(self.blocks).index(needs[0]), needs[1])
            self.blocks[needs[0]][needs[1]].is_awaited = 1
        steps.append(step)
        return block, len(steps) - 1

    def keeps_limits(self, num_gpus):
        peers = collections.Counter((channel, send >= 0) for send, recv, channel in self.blocks if (send, recv) != (-1, -1))
        steps = [len(block) for block in self.blocks.values()]
        return (max(steps, default=0) <= MOST_STEPS and max(peers.values(), default=0) <= MOST_PEERS
                and len(steps) <= MOST_BLOCKS and 1 + num_gpus + len(steps) + sum(steps) <= MOST_NODES)


class Tree:
    def __init__(self, tree, number_of):
        self.root, self.share = number_of[tree["root"]], tree["share"]
        self.parent = {number_of[child]: number_of[parent] for parent, child in tree["edges"]}
        steps = tree.get("steps") or [self.hops(number_of[child]) for _, child in tree["edges"]]
        self.depth = {number_of[child]: step for (_, child), step in zip(tree["edges"], steps)}

    def hops(self, host):
        count = 0
        while host != self.root:
            host, count = self.parent[host], count + 1
        return count


class Export:
    def __init__(self, plan, chunks):
        self.collective, self.chunks, self.num_gpus = plan["collective"], chunks, len(plan["hosts"])
        self.goes_up, self.goes_down = self.collective != "allgather", self.collective != "reduce_scatter"
        self.has_blocks = self.collective != "allreduce"
        number_of = {host: number for number, host in enumerate(plan["hosts"])}
        self.trees = [Tree(tree, number_of) for tree in plan["trees"]]
        self.pieces = self.cut()
        self.transfers = self.order()

    def cut(self):
        """The pieces of each tree: its share of the chunks, rounded so that all are given."""
        shared = collections.defaultdict(list)  # numbers of trees that share the same chunks
        for number, tree in enumerate(self.trees):
            shared[tree.root if self.has_blocks else None].append(number)
        counts = [int(tree.share * self.chunks) for tree in self.trees]
        firsts = [0] * len(self.trees)
        for numbers in shared.values():
            for _ in range(self.chunks - sum(counts[number] for number in numbers)):
                counts[max(numbers, key=lambda number: self.trees[number].share * self.chunks - counts[number])] += 1
            for before, number in zip(numbers, numbers[1:]):
                firsts[number] = firsts[before] + counts[before]
        return [Piece(number, first, min(MOST_COUNT, begin + count - first))
                for number, (begin, count) in enumerate(zip(firsts, counts))
                for first in range(begin, begin + count, MOST_COUNT)]

    def order(self):
        """(time, piece, host, up): when which piece crosses the edge above which host."""
        last = max((depth for tree in self.trees for depth in tree.depth.values()), default=0)
        transfers = []
        for number, piece in enumerate(self.pieces):
            for host, depth in self.trees[piece.tree].depth.items():
                transfers += [(last - depth, number, host, True)] * self.goes_up
                transfers += [(last + depth, number, host, False)] * self.goes_down
        return sorted(transfers)

    def place(self, piece, buffer):
        """A piece's place in a buffer that has a block per rank, or in one that has not."""
        has_blocks = self.has_blocks and buffer != ("o" if self.goes_up else "i")
        return buffer, (self.trees[piece.tree].root if has_blocks else 0) * self.chunks + piece.first

    def add_transfer(self, transfer, channels, gpus, held):
        """The two steps of a transfer.  @a held has what a GPU has of a piece that is not its input: its place and step."""
        _, number, host, up = transfer
        piece = self.pieces[number]
        tree = self.trees[piece.tree]
        sender, receiver = (host, tree.parent[host]) if up else (tree.parent[host], host)
        channel, place = piece.tree % channels, self.place(piece, "i")
        source, needs = held.get((number, sender), (place, None))
        own, added = held.get((number, receiver), (place, None))
        # Sums of others' blocks are no output.  Those from several children wait for each other.
        target = self.place(piece, "o" if self.goes_down or tree.root == receiver else "s")
        gpus[sender].add((receiver, -1, channel), Step("s", source, target, piece.count), needs)
        step = Step("rrc", own, target, piece.count) if up else Step("r", source, target, piece.count)
        held[number, receiver] = target, gpus[receiver].add((-1, sender, channel), step, added if up else None)
        if target[0] == "s":
            gpus[receiver].scratch = max(gpus[receiver].scratch, target[1] + piece.count)

    def programs(self, channels):
        gpus, held = [Gpu() for _ in range(self.num_gpus)], {}
        for transfer in self.transfers:
            self.add_transfer(transfer, channels, gpus, held)
        if not self.goes_up or self.num_gpus == 1:
            # What a GPU has as input and wants as output, and nobody sends to it.
            for piece in self.pieces:
                gpus[self.trees[piece.tree].root].add((-1, -1, 0), Step("cpy", self.place(piece, "i"), self.place(piece, "o"), piece.count))
        return gpus

    def write(self):
        """The XML; the trees are spread over as many channels as it takes to keep to the limits."""
        for channels in range(1, MOST_CHANNELS + 1):
            gpus = self.programs(channels)
            if all(gpu.keeps_limits(self.num_gpus) for gpu in gpus):
                return "".join(f"{line}\n" for line in self.lines(gpus, channels))
        raise PlanError(f"MSCCL takes at most {MOST_STEPS} steps per thread block, {MOST_PEERS} peers per channel and {MOST_BLOCKS} "
                        "thread blocks per GPU; plan with fewer --trees, or for fewer hosts")

    def lines(self, gpus, channels):
        whole = self.chunks * (self.num_gpus if self.has_blocks else 1)
        # The program is right for calls in place, too, so it is said to be for both.
        yield (f'<algo name="mtree_{self.collective}_{self.num_gpus}" proto="Simple" nchannels="{channels}" nchunksperloop="{whole}" '
               f'ngpus="{self.num_gpus}" coll="{self.collective}" inplace="1" outofplace="1" minBytes="0" maxBytes="{MOST_BYTES}">')
        given, wanted = whole if self.goes_up else self.chunks, whole if self.goes_down else self.chunks
        for number, gpu in enumerate(gpus):
            yield f'  <gpu id="{number}" i_chunks="{given}" o_chunks="{wanted}" s_chunks="{gpu.scratch}">'
            for block, ((send, recv, channel), steps) in enumerate(gpu.blocks.items()):
                yield f'    <tb id="{block}" send="{send}" recv="{recv}" chan="{channel}">'
                for at, step in enumerate(steps):
                    (source, first), (target, into) = step.source, step.target
                    yield (f'      <step s="{at}" type="{step.kind}" srcbuf="{source}" srcoff="{first}" dstbuf="{target}" dstoff="{into}" '
                           f'cnt="{step.count}" depid="{step.wait[0]}" deps="{step.wait[1]}" hasdep="{step.is_awaited}"/>')
                yield "    </tb>"
            yield "  </gpu>"
        yield "</algo>"


def check(plan):
    """Can the plan be such an algorithm at all?"""
    collective = plan["collective"]
    if collective not in ("allreduce", "allgather", "reduce_scatter"):
        obstacle = "its trees carry something else on each edge, which is not exported" if collective in ("alltoall", "scan") \
            else "an algorithm of MSCCL serves calls of any root"
        raise PlanError(f"a plan of {collective} is not written for MSCCL: {obstacle}; allreduce, allgather and reduce_scatter are")
    if not plan["trees"]:
        raise PlanError(f"{plan['algorithm']} has no trees, and those are what is written for MSCCL; plan with another algorithm")
    if plan.get("relays"):
        raise PlanError("the plan has relays, and MSCCL knows the GPUs of the call alone; plan without --relays")


def write_algorithm(file, plan, chunks):
    try:
        check(plan)
        return Export(plan, chunks).write()
    except PlanError as error:
        raise Failure(f"{file}: {error}") from error
