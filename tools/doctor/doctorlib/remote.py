# SPDX-License-Identifier: BSD-3-Clause
"""Agents on hosts, each behind a remote shell: requests go in by its input, answers come by its output."""

import contextlib
import json
import os
import queue
import subprocess
import threading
import time

from . import agent, hosts

END_SECONDS = 0.5


class Remote:
    """One agent and the process that leads to it."""

    def __init__(self, number, command, events):
        self.number = number
        self.events = events
        self.errors = []
        self.is_reached = False
        try:
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            self.process = None
            self.errors.append(str(error))
            events.put((number, None))
            return
        with open(agent.__file__, "rb") as file:
            source = file.read()
        self.send(str(len(source)).encode() + b"\n" + source)
        self.readers = [threading.Thread(target=read, daemon=True) for read in (self.read_errors, self.read)]
        for reader in self.readers:
            reader.start()

    def send(self, data):
        with contextlib.suppress(OSError):
            self.process.stdin.write(data)
            self.process.stdin.flush()

    def read_errors(self):
        for line in self.process.stderr:
            self.errors = (self.errors + [line.decode(errors="replace").strip()])[-20:]

    def read(self):
        """Put each answer into the queue of events, and None at the end."""
        mark = agent.MARK.encode()
        for line in self.process.stdout:
            if line.startswith(mark):
                self.is_reached = True
                answer = json.loads(line[len(mark) :].decode())
                if "answer" in answer:
                    self.events.put((self.number, answer["answer"]))
        self.readers[0].join(END_SECONDS)
        self.events.put((self.number, None))

    @property
    def error(self):
        """The last line of what went wrong, in the launcher's words."""
        words = [line for line in self.errors if line]
        return words[-1] if words else "it does not answer"

    def end(self):
        """Ask the agent to end by the end of its input, or end what leads to it."""
        if self.process is None:
            return
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        try:
            self.process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, 15)


class Channel:
    """The agents of all hosts, by the number of each host."""

    is_asker = True

    def __init__(self, names, launcher):
        self.names = names
        self.events = queue.Queue()
        self.remotes = [
            Remote(number, hosts.command(launcher, name), self.events) for number, name in enumerate(names)
        ]

    def ask(self, requests, seconds):
        """The answers to REQUESTS, both by number, of all that answer in time."""
        for number, request in requests.items():
            if self.remotes[number].process is not None:
                self.remotes[number].send(json.dumps(request).encode() + b"\n")
        answers, missing, deadline = {}, set(requests), time.monotonic() + seconds
        while missing:
            try:
                number, answer = self.events.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                break
            missing.discard(number)
            if answer is not None:
                answers[number] = answer
        return answers

    def outcome(self, number):
        """Whether the host was reached, and the launcher's last error."""
        return self.remotes[number].is_reached, self.remotes[number].error

    def close(self):
        enders = [threading.Thread(target=remote.end) for remote in self.remotes]
        for ender in enders:
            ender.start()
        for ender in enders:
            ender.join()
