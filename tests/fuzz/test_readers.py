"""Damaged files are answered by a sentence: no crash, no hang, no gigabytes, no other error."""

import json
import subprocess
import sys

from tests.fuzz.readers import cases
from tests.shared import PROJECT

CASES = 280  # ten of each reader


def run(first, stop, folder):
    return subprocess.run(
        [sys.executable, "-m", "tests.fuzz.readers", str(first), str(stop), str(folder)],
        capture_output=True,
        text=True,
        cwd=PROJECT,
    )


def test_damaged_files_of_all_kinds_are_answered_by_a_sentence(tmp_path):
    done = run(0, CASES, tmp_path)
    assert [json.loads(line) for line in done.stdout.splitlines()] == []
    assert done.returncode == 0, f"{done.stderr[-2000:]}"
    assert done.stderr.split()[-1] == str(CASES - 1)


def test_a_case_is_the_same_bytes_every_time():
    from tests.fuzz.readers import Reader

    among = {"x": Reader(len, "csv", [b"y_true,y_pred\na,a\n" * 5])}
    assert list(cases(5, 25, among)) == list(cases(5, 25, among))
    assert len({data for _, _, data in cases(5, 25, among)}) > 15
