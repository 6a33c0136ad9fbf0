#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mtree report --openmetrics: the text is OpenMetrics 1.0, and has every number of the report."""
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(os.environ.get("srcdir", ".")).resolve()
MTREE = os.environ.get("MTREE", "./mtree")
JOB = ROOT / "tests/fixtures/report/b4.json"
SUFFIXES = {"gauge": "", "counter": "_total", "info": "_info"}
NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\\\|\\"|\\n)*)"'
SAMPLE = re.compile(rf"({NAME})(?:\{{((?:{LABEL})(?:,{LABEL})*)\}})? (-?[0-9.]+(?:e[-+]?[0-9]+)?)")
ESCAPES = {"\\\\": "\\", '\\"': '"', "\\n": "\n"}


class FormError(Exception):
    pass


def parse(text):
    """{name: (type, {labels: value})}, the labels as a frozenset of pairs; FormError: the text is no OpenMetrics."""
    if not text.endswith("\n# EOF\n") or text.count("# EOF") != 1:
        raise FormError("the end")
    families, name = {}, None
    for line in text.splitlines()[:-1]:
        comment = re.fullmatch(rf"# (TYPE|UNIT|HELP) ({NAME}) (.+)", line)
        if comment:
            name = read_comment(families, name, *comment.groups())
        else:
            read_sample(families[name], name, line)
    return {name: (family["TYPE"], family["samples"]) for name, family in families.items()}


def read_comment(families, last, kind, name, value):
    if kind == "TYPE":
        if name in families or value not in SUFFIXES:
            raise FormError(f"a second TYPE, or an unknown one: {name} {value}")
        families[name] = {"samples": {}}
    if name not in families or (kind != "TYPE" and name != last) or kind in families[name] or families[name]["samples"]:
        raise FormError(f"{kind} of {name} is not where it belongs")
    if kind == "UNIT" and not name.endswith("_" + value):
        raise FormError(f"{name} is not in {value}")
    families[name][kind] = value
    return name


def read_sample(family, name, line):
    match = SAMPLE.fullmatch(line)
    if match is None or match[1] != name + SUFFIXES[family["TYPE"]]:
        raise FormError(line)
    pairs = [(key, re.sub(r"\\.", lambda escape: ESCAPES[escape[0]], value)) for key, value in re.findall(LABEL, match[2] or "")]
    labels, value = frozenset(pairs), float(match.groups()[-1])
    if len(dict(pairs)) != len(pairs) or labels in family["samples"]:
        raise FormError(f"twice: {line}")
    if (family["TYPE"] == "counter" and value < 0) or (family["TYPE"] == "info" and value != 1):
        raise FormError(line)
    family["samples"][labels] = value


def numbers_of(value, key=""):
    """All numbers of a report with the member that they are in, but those of paths, of positions, of edges, and each rank's
    means."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if name not in ("vertices", "paths", "latency_s", "means") or isinstance(inner, (int, float)):
                yield from numbers_of(inner, name)
    elif isinstance(value, list):
        for inner in value:
            yield from numbers_of(inner, key)
    elif isinstance(value, (int, float)):
        yield key, float(value)


def report(path):
    return subprocess.run([MTREE, "report", "--openmetrics", str(path)], stdout=subprocess.PIPE, check=True).stdout.decode()


class OpenMetrics(unittest.TestCase):
    def change(self, edit):
        """What is printed of the job's report after a change."""
        job = json.loads(JOB.read_text())
        edit(job)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "report.json")
            path.write_text(json.dumps(job))
            return job, parse(report(path))

    def test_every_number_is_there(self):
        def edit(job):
            job["communicators"][0]["calls"][0]["trees_bps"] = [12345678.0, 23456789.0]
        job, families = self.change(edit)
        printed = collections.Counter(value for _, samples in families.values() for value in samples.values())
        texts = {value for _, samples in families.values() for pairs in samples for _, value in pairs}
        labels = {float(text) for text in texts if re.fullmatch(r"[0-9]+(\.[0-9]+)?", text)}
        for key, value in numbers_of(job):
            self.assertTrue(printed[value] or value in labels, (key, value))
        slowest = set(families["mtree_served_slowest_rank_seconds"][1].values())
        keys = job["times"][0]["means"]
        most = {max(of_rank["means"][key][by] for of_rank in job["times"]) for key in keys for by in range(2)} - {0}
        self.assertEqual(most, slowest)

    def test_links_have_both_directions(self):
        job, families = self.change(lambda job: job["topologies"][0].update(measured=[[0, "AS1", 3e6, 4e6]]))
        capacities = families["mtree_link_capacity_bits_per_second"][1]
        self.assertEqual(2 * job["topologies"][0]["dot"].count("--"), len(capacities))
        self.assertEqual(3e6, capacities[frozenset([("topology", "0"), ("from", "AS1"), ("to", "AS2")])])
        self.assertEqual(4e6, capacities[frozenset([("topology", "0"), ("from", "AS2"), ("to", "AS1")])])

    def test_calls_and_why_they_fell_back(self):
        job, families = self.change(lambda job: None)
        for number, calls in enumerate(job["communicators"][0]["calls"]):
            labels = frozenset([("communicator", "0"), ("calls", str(number))])
            made = sum(served["calls"] for served in calls["served"])
            self.assertEqual(made, families["mtree_calls_made"][1][labels])
            for fallback in calls.get("fallbacks", []):
                self.assertEqual(fallback["calls"], families["mtree_fallbacks"][1][labels | {("why", fallback["why"])}])

    def test_names_are_escaped(self):
        name = 'a "name"\\ of\ntwo lines, ünïcode'
        _, families = self.change(lambda job: job["communicators"][0].update(name=name))
        self.assertIn(name, {value for pairs in families["mtree_communicator"][1] for _, value in pairs})

    def test_what_is_missing_has_no_sample(self):
        _, families = self.change(lambda job: (job.pop("totals"), job["communicators"][0].pop("hosts")))
        self.assertEqual({}, families["mtree_chunks"][1])
        self.assertEqual({}, families["mtree_communicator_hosts"][1])

    def test_the_checker_finds_faults(self):
        text = report(JOB)
        for damaged in (text[:-6], text.replace("_total", "", 1), text.replace("} 1\n", "} 2\n", 1), text.replace('="', "=", 1),
                        re.sub(r"(mtree_link_bytes\{.*\n)", r"\1\1", text, count=1),
                        text.replace("# UNIT mtree_link_bytes bytes", "# UNIT mtree_link_bytes seconds"),
                        text.replace("# TYPE mtree_plans ", "# TYPE mtree_chunks "), text.replace("\n# EOF", "\n\n# EOF")):
            with self.assertRaises(FormError):
                parse(damaged)


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
