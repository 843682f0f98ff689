"""What is declared as the oldest version is what ``make compat`` tests."""

import re
import tomllib

from tests.shared import PROJECT


def numbers(version):
    """A version without zeros at its end: 2.0 and 2.0.0 are the same."""
    return re.sub(r"(\.0)+$", "", version)


def test_every_lower_bound_is_a_version_that_is_tested():
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    names = ("dask", "conformal", "venn", "frames")
    declared = [*project["dependencies"], *(line for name in names for line in extras[name])]
    bounds = dict(line.split(">=") for line in declared)
    lines = (PROJECT / "constraints-oldest.txt").read_text(encoding="utf-8").splitlines()
    tested = dict(line.split("==") for line in lines if not line.startswith("#"))
    for name in ("click", "pyparsing", "pytest"):  # older only because newer ones warn
        del tested[name]
    assert {k: numbers(v) for k, v in tested.items()} == {k: numbers(v) for k, v in bounds.items()}
