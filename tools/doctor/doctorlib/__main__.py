# SPDX-License-Identifier: BSD-3-Clause
"""The program behind `mtree doctor`, which has read and checked the options (tools/commands/doctor.c)."""

import json
import os
import sys
import types

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.realpath(__file__))))

from doctorlib import facts, gather, hosts, job, judge, remote  # noqa: E402
from doctorlib.errors import DoctorError, read_text, reason  # noqa: E402

# Each a word, empty where it is not given.
OPTIONS = ("hostfile", "hosts", "agent", "mca", "output", "facts", "json")
FOUND, FAILED = 1, 2
LONGEST_FACTS = 64 << 20  # bytes; a host's are some thousands


def read_facts(path):
    try:
        document = json.loads(read_text(path, LONGEST_FACTS, "facts are; write them with mtree doctor --output"))
        if document["format"] != gather.FORMAT:
            raise DoctorError(f"facts of format {document['format']}; this version reads {gather.FORMAT}")
        return facts.settle(document)
    except OSError as error:
        raise DoctorError(f"{path}: cannot be read: {reason(error)}") from error
    except DoctorError as error:
        raise DoctorError(f"{path}: {error}") from error
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise DoctorError(f"{path}: no facts; write them with mtree doctor --output") from error


def open_channel(options):
    """The agents: the ranks of the job whose rank this process is, or processes on the hosts that are named."""
    if not options.hosts and not options.hostfile and job.is_job(os.environ):
        return job.Job()
    names = hosts.find(options, os.environ)
    return remote.Channel(names, hosts.launcher(options, os.environ))


def ask_hosts(options):
    """The facts; None on a rank that has answered another one."""
    channel = open_channel(options)
    try:
        if channel.is_asker:
            return gather.gather(channel, gather.forwarded(os.environ), os.environ.get("MTREE", "mtree"))
        channel.serve()
        return None
    finally:
        channel.close()


def write_facts(path, document):
    try:
        with open(path, "w", encoding="utf-8") as file:
            json.dump(document, file, indent=1)
            file.write("\n")
    except OSError as error:
        raise DoctorError(f"{path}: cannot be written: {reason(error)}") from error


def print_findings(findings, count):
    for finding in findings:
        print(f"{finding.cause}\n    {finding.fix}")
    if not findings:
        print(f"nothing found on {count} hosts")


def main():
    options = types.SimpleNamespace(**dict(zip(OPTIONS, sys.argv[1:])))
    try:
        document = read_facts(options.facts) if options.facts else ask_hosts(options)
        if document is None:
            return 0
        if options.output:
            write_facts(options.output, document)
        findings = judge.judge(facts.settle(document))
    except DoctorError as error:
        print(f"mtree: doctor: {error}", file=sys.stderr)
        return FAILED
    if options.json:
        print(json.dumps({"hosts": [host["name"] for host in document["hosts"]],
                          "findings": [vars(finding) for finding in findings]}, indent=2))
    else:
        print_findings(findings, len(document["hosts"]))
    return FOUND if findings else 0


if __name__ == "__main__":
    sys.exit(main())
