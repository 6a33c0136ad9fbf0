#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""bench/conditions without a lab: its rows, its table, its mistakes, and what it skips."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CONDITIONS = ROOT / "bench/conditions"
sys.dont_write_bytecode = True
sys.path.insert(0, str(CONDITIONS))

import rows  # noqa: E402
import summary  # noqa: E402


def entry(seconds):
    return {"label": "4 ring", "median_us": seconds * 1e6, "min_us": seconds * 9e5, "max_us": seconds * 1e6}


MEASURED = {
    "bytes": 10 << 20,
    "payload_part": 0.5,
    "pml_calls": [9e6, 1e6, 1.25e6, 2e6],
    "compare": {
        "bound_us": 5e5,
        "bound_by": "cut",
        "mtree": entry(1.25),
        "default": None,
        "best": entry(2),
        "times_default": None,
        "times_best": 1.6,
        "predicted_us": 1e6,
    },
}
SERIES = {"bytes": 1, "payload_part": 1, "right": [9e6, 2e6], "calls": [4e6, 2.5e6, 2.5e6, 2.5e6, 2.5e6]}


def run(program, *arguments):
    return subprocess.run(
        [sys.executable, CONDITIONS / program, *arguments], capture_output=True, text=True, check=False
    )


class Rows(unittest.TestCase):
    def test_names_are_different_and_networks_known(self):
        table = rows.table()
        self.assertEqual(len({row.name for row in table}), len(table))
        for row in table:
            self.assertIn(row.network, rows.NETWORKS)
            self.assertIn(row.collective, rows.CANDIDATES)

    def test_networks_are_the_same_each_time_and_another_drawing_differs(self):
        text = rows.NETWORKS["star8-1"].text(ROOT, None)
        self.assertEqual(text, rows.NETWORKS["star8-1"].text(ROOT, None))
        self.assertEqual(text.count("--"), 8)
        other = rows.other_drawing(text)
        self.assertEqual(other, rows.other_drawing(text))
        self.assertNotEqual(other, text)
        self.assertEqual(other.count("Mbps"), 8)


class Summary(unittest.TestCase):
    def test_a_row(self):
        self.assertEqual(
            summary.line("here", MEASURED),
            "here: 10 MB | 80% (80 to 89) | 80% (50 to 100) | - | 50% (50 to 56) ring | - | 1.6 | 0.80 | cut",
        )

    def test_headers_take_nothing_where_latency_binds(self):
        far = MEASURED | {"compare": MEASURED["compare"] | {"bound_by": "latency"}}
        self.assertIn("| 40% (40 to 44) |", summary.line("here", far))

    def test_a_series(self):
        self.assertIn("with the right map 2.00 s: 1.25 times that", summary.line("here", SERIES))

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            results = os.path.join(folder, "results.json")
            with open(results, "w", encoding="utf-8") as file:
                json.dump({"one": MEASURED, "two": SERIES}, file)
            self.assertEqual(run("summary.py", results, folder).returncode, 0)
            table = pathlib.Path(folder, "conditions.md").read_text(encoding="utf-8")
            self.assertIn("| one | 10 MB | 80%", table)
            self.assertIn("- two: calls of 4.00", table)
            plot = pathlib.Path(folder, "conditions.tsv").read_text(encoding="utf-8")
            self.assertIn("one\t80.0\t50.0\t-\n", plot)


class Program(unittest.TestCase):
    def test_mistakes(self):
        for arguments in (["--most", "0"], ["-R", "x"], ["--seconds", "-1"]):
            done = run("conditions.py", "results.json", *arguments)
            self.assertEqual(done.returncode, 2)
            self.assertIn("is not a number above zero", done.stderr)

    def test_rows_that_are_there_are_not_measured(self):
        name = rows.table()[0].name
        with tempfile.TemporaryDirectory() as folder:
            results = pathlib.Path(folder, "results.json")
            results.write_text(json.dumps({name: MEASURED}), encoding="utf-8")
            listed = run("conditions.py", results, "--list").stdout.splitlines()
            self.assertEqual(listed[0], f"measured  {name}")
            self.assertTrue(listed[1].startswith("-  "))
            done = run("conditions.py", results, "--rows", name)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
            results.write_text("half a", encoding="utf-8")
            done = run("conditions.py", results)
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr, r"\Aconditions.py: error: .* holds no results: .*\n\Z")

    def test_a_row_that_fails_says_why_in_one_line(self):
        with tempfile.TemporaryDirectory() as folder:
            name = "star8-1 allreduce"
            done = run("conditions.py", f"{folder}/results.json", "--build", folder, "--rows", name)
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, rf"\Aconditions.py: error: {name}: .*\n\Z")


if __name__ == "__main__":
    unittest.main()
