# SPDX-License-Identifier: BSD-3-Clause
"""Agents on hosts, each behind a remote shell: requests go in by its input, answers come by its output."""

import contextlib
import json
import os
import subprocess
import threading

from . import agent, hosts

END_SECONDS = 0.5


class Remote:
    """One agent and the process that leads to it."""

    def __init__(self, command):
        self.errors, self.process = [], None
        self.is_reached = False
        try:
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            self.errors.append(str(error))
            return
        with open(agent.__file__, "rb") as file:
            source = file.read()
        self.send(str(len(source)).encode() + b"\n" + source)
        self.reader = threading.Thread(target=self.read_errors, daemon=True)
        self.reader.start()

    def send(self, data):
        with contextlib.suppress(OSError):
            self.process.stdin.write(data)
            self.process.stdin.flush()

    def read_errors(self):
        for line in self.process.stderr:
            self.errors = (self.errors + [line.decode(errors="replace").strip()])[-20:]

    def ask(self, request):
        """Wait for the answer to a request; None: the agent has ended, or was never there."""
        if self.process is None:
            return None
        self.send(json.dumps(request).encode() + b"\n")
        mark = agent.MARK.encode()
        for line in self.process.stdout:
            if line.startswith(mark):
                self.is_reached = True
                answer = json.loads(line[len(mark) :].decode())
                if "answer" in answer:
                    return answer["answer"]
        self.reader.join(END_SECONDS)
        return None

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
        self.remotes = [Remote(hosts.command(launcher, name)) for name in names]

    def ask(self, requests, seconds):
        """The answers to REQUESTS, both by number, of all that answer in time."""
        answers = agent.in_parallel(lambda pair: self.remotes[pair[0]].ask(pair[1]), list(requests.items()), seconds, None)
        return {number: answer for number, answer in zip(requests, answers) if answer is not None}

    def outcome(self, number):
        """Whether the host was reached, and the launcher's last error."""
        return self.remotes[number].is_reached, self.remotes[number].error

    def close(self):
        agent.in_parallel(Remote.end, self.remotes, 2 * END_SECONDS, None)
