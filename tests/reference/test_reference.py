"""All reference cases in ``--reference DIR``, one test per case."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from tests.reference import kinds  # noqa: F401  (registers the checks)
from tests.reference.registry import CHECKS, FOLDERS, Case, discover
from tests.shared import PROJECT, SHARED

OURS = PROJECT / "tests"
LARGE = ("adult", "connect-4", "letter", "optdigits")  # data sets whose cases take longest


@cache
def _cases(given: Path | None) -> list[Case]:
    """The cases of Weka by data set, so that each one is read and cut into folds once."""
    return sorted(_found(given), key=_dataset_of)


def _dataset_of(case: Case) -> str:
    of_weka = case.folder == "weka" and isinstance(case.data, dict)
    return str(case.data.get("dataset", "")) if of_weka else ""


def _found(given: Path | None) -> list[Case]:
    if given is not None:
        if not given.is_dir():
            raise pytest.UsageError(f"--reference {given}: no such folder")
        return discover(given)
    ours = [case for case in discover(OURS) if case.folder == "golden"]
    beside = SHARED / "reference"
    if not beside.is_dir():
        return ours
    return ours + [case for case in discover(beside) if case.folder != "golden"]


def pytest_generate_tests(metafunc):
    if "case" in metafunc.fixturenames:
        cases = _cases(metafunc.config.getoption("--reference"))
        metafunc.parametrize("case", [pytest.param(c, id=c.id, marks=_marks(c)) for c in cases])


def _marks(case: Case) -> list[pytest.MarkDecorator]:
    return [pytest.mark.long] if _dataset_of(case) in LARGE else []


def test_reference(case: Case):
    assert case.kind in CHECKS, f"{case.file.name}: no check is registered for {case.kind!r}"
    CHECKS[case.kind](case)


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_folder_has_cases(folder, request):
    given = request.config.getoption("--reference")
    here = (OURS, SHARED / "reference") if given is None else (given,)
    if not any((root / folder).is_dir() for root in here):
        pytest.skip(f"the reference values have no folder {folder}/")
    assert folder in {case.folder for case in _cases(given)}
