# SPDX-License-Identifier: BSD-3-Clause
"""Agents that are the ranks of a job, one per host: mpirun has started them, and requests and answers go
through its own daemons by PMIx, so that no connection between ranks is needed."""

import ctypes
import json
import os
import signal
import socket

from . import agent
from .errors import DoctorError

LIBRARIES = ("libpmix.so.2", "libpmix.so")
STRING, GLOBAL = 3, 3  # PMIX_STRING, PMIX_GLOBAL
VALUE_BYTES = 64  # a pmix_value_t and room
END = "end"


class Process(ctypes.Structure):
    """A pmix_proc_t."""

    _fields_ = [("namespace", ctypes.c_char * 256), ("rank", ctypes.c_uint32)]


class Value(ctypes.Structure):
    """A pmix_value_t that is a string."""

    _fields_ = [("type", ctypes.c_uint16), ("text", ctypes.c_char_p), ("room", ctypes.c_char * (VALUE_BYTES - 16))]


def is_job(environment):
    """Has mpirun started this process?"""
    return "PMIX_RANK" in environment and "OMPI_COMM_WORLD_SIZE" in environment


class Board:
    """What every rank can write and all can read, turn by turn."""

    def __init__(self):
        self.library = self.load()
        self.own = Process()
        self.check(self.library.PMIx_Init(ctypes.byref(self.own), None, ctypes.c_size_t(0)), "PMIx_Init")
        self.rank, self.size = self.own.rank, int(os.environ["OMPI_COMM_WORLD_SIZE"])
        self.turn = 0

    @staticmethod
    def load():
        for name in LIBRARIES:
            try:
                return ctypes.CDLL(name)
            except OSError:
                continue
        raise DoctorError("libpmix is not there, by which ranks of a job are asked; give --hostfile instead")

    @staticmethod
    def check(code, what):
        if code != 0:
            raise DoctorError(f"{what} failed with {code}: is this process a rank of mpirun's?")

    def exchange(self, mine):
        """Write MINE, wait until all ranks have written, and return a function that reads a rank's."""
        self.turn += 1
        key = f"mtree.doctor.{self.turn}".encode()
        value = Value(STRING, json.dumps(mine).encode())
        self.check(self.library.PMIx_Put(ctypes.c_uint8(GLOBAL), key, ctypes.byref(value)), "PMIx_Put")
        self.check(self.library.PMIx_Commit(), "PMIx_Commit")
        self.check(self.library.PMIx_Fence(None, ctypes.c_size_t(0), None, ctypes.c_size_t(0)), "PMIx_Fence")
        return lambda rank: mine if rank == self.rank else self.read(rank, key)

    def read(self, rank, key):
        found = ctypes.POINTER(Value)()
        whose = Process(self.own.namespace, rank)
        self.check(self.library.PMIx_Get(ctypes.byref(whose), key, None, ctypes.c_size_t(0), ctypes.byref(found)),
                   "PMIx_Get")
        return json.loads(found.contents.text.decode())

    def close(self):
        self.library.PMIx_Finalize(None, ctypes.c_size_t(0))


class Job:
    """The hosts of the job as a channel, on rank 0; the others answer until it is closed."""

    def __init__(self):
        signal.alarm(agent.LIFE_SECONDS)
        self.board = Board()
        self.agent = agent.Agent()
        is_first = os.environ.get("OMPI_COMM_WORLD_LOCAL_RANK", "0") == "0"
        read = self.board.exchange(socket.gethostname() if is_first else None)
        found = [(rank, read(rank)) for rank in range(self.board.size)]
        self.ranks = [rank for rank, name in found if name is not None]
        self.names = [name for _, name in found if name is not None]

    @property
    def is_asker(self):
        return self.board.rank == 0

    def perform(self, request):
        return getattr(self.agent, request["do"])(request) if request else None

    def turn(self, requests):
        """One request to each rank, and a function that reads a rank's answer; END in their place: None."""
        wanted = self.board.exchange(requests)(0)
        if wanted == END:
            return None
        return self.board.exchange(self.perform(wanted.get(str(self.board.rank))))

    def ask(self, requests, _seconds):
        """The answers to REQUESTS, both by the number of the host; the ranks keep the time themselves."""
        read = self.turn({str(self.ranks[number]): request for number, request in requests.items()})
        return {number: read(self.ranks[number]) for number in requests}

    def serve(self):
        """Answer rank 0."""
        while self.turn(None) is not None:
            pass

    def outcome(self, _number):
        return True, None

    def close(self):
        if self.is_asker:
            self.board.exchange(END)
        self.board.close()
