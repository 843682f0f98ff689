"""Files of other programs are read as they are meant, or refused in one sentence."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from tests.foreign.cases import every_case
from wager.cli import app
from wager.predictions import join_labels, read_predictions
from wager.rewards import Tally

CASES = every_case()
GOOD = [case for case in CASES if not case.refused]
BAD = [case for case in CASES if case.refused]
ROLES = {"y_true": "--truth", "y_pred": "--pred", "set": "--set", "p:": "--proba-prefix"}


def written(case, folder):
    path = folder / case.file
    path.write_bytes(case.content)
    return path


def command(case, path):
    """The options of the command line that say the same."""
    options = dict(case.options)
    words = [str(path)]
    for role, name in options.pop("columns", {}).items():
        words += [ROLES[role], name]
    if "classes" in options:
        words += ["--classes", ",".join(options.pop("classes"))]
    for name, value in options.items():
        words += [f"--{name}", value]
    return CliRunner().invoke(app, ["score", *words])


def as_text(found):
    """The rows as the cases write them."""
    if found.sets is not None:
        said = [join_labels(map(str, labels)) or "{}" for labels in found.sets.to_lists()]
    else:
        said = [",".join(f"{p:g}" for p in row) for row in found.proba]
    return " ".join(f"{y}>{s}" for y, s in zip(found.y_true, said, strict=True))


def test_the_corpus_is_large():
    assert len({case.file for case in CASES}) == len(CASES) >= 60


@pytest.mark.parametrize("case", GOOD, ids=lambda case: case.file)
def test_good_files(case, tmp_path):
    path = written(case, tmp_path)
    found = read_predictions(path, **case.options)
    assert as_text(found) == case.rows
    assert found.warnings == case.warnings
    if found.sets is not None and "form" not in case.options:
        whole = Tally.of_file(path, **case.options)
        assert whole == Tally.of(found.y_true, found.sets, classes=found.classes)


@pytest.mark.parametrize("case", BAD, ids=lambda case: case.file)
def test_bad_files(case, tmp_path):
    path = written(case, tmp_path)
    result = command(case, path)
    said = result.stderr.removeprefix("wager: ").strip().replace(str(path), "FILE")
    assert (result.exit_code, said, result.stdout) == (2, case.refused, "")


@pytest.mark.parametrize(
    "case", [case for case in GOOD if case.warnings], ids=lambda case: case.file
)
def test_warnings_are_printed_once(case, tmp_path):
    result = command(case, written(case, tmp_path))
    name = case.file.split(".")[0]
    assert result.exit_code == 0, result.stderr
    said = [line.removeprefix(f"wager: warning: {name}: ") for line in result.stderr.splitlines()]
    assert tuple(said) == case.warnings
