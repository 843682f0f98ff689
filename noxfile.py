"""The oldest and the newest versions that wager allows, with and without extras and Numba.

``make compat`` runs all sessions, one after the other; ``nox -l`` lists them, and
``nox -s oldest -- -x`` runs one, with options for pytest.  A Python that is not installed is
skipped by name.
"""

from __future__ import annotations

import re
from pathlib import Path

import nox

OLDEST_PYTHON = "3.11"
PYTHONS = [OLDEST_PYTHON, "3.12", "3.13", "3.14", "3.15"]
EXTRAS = "dask,frames,conformal,venn,examples"
# What computes, reads or writes; the studies, pages, notebooks and browsers are left out.
TESTS = [
    "tests/_jit", "tests/_tables", "tests/cli", "tests/cluster", "tests/compare", "tests/costs",
    "tests/credal", "tests/experiments", "tests/foreign", "tests/learners", "tests/partitions",
    "tests/plots", "tests/predictions", "tests/prepare", "tests/reference", "tests/rewards",
]  # fmt: skip
QUICK = ["-m", "not slow and not long", "--hypothesis-profile", "few"]
EXAMPLES = ["--examples", "core", "src/wager"]
# What reads, writes or prints in another way where no extra is installed.
CORE_TESTS = ["tests/_tables", "tests/cli", "tests/predictions", "tests/prepare"]
WITHOUT_EXTRAS = [*QUICK, "-k", "not arrow and not conformal"]
OF_EXTRAS = re.compile(r"\b(dask|distributed|mapie|pandas|polars|pyarrow|to_frame|venn_abers)\b")

nox.options.default_venv_backend = "venv"
nox.options.error_on_missing_interpreters = False
nox.options.reuse_existing_virtualenvs = True


def install(session: nox.Session, extras: str, *options: str) -> None:
    """Install wager, and show the versions of everything."""
    session.install(*options, "--editable", f".[{extras}]")
    session.run("python", "-m", "pip", "list")


def check(session: nox.Session, *tests: str) -> None:
    """Run tests, with the options that follow ``--`` on the command line."""
    session.run("python", "-m", "pytest", *tests, *session.posargs)


def core_tests() -> list[str]:
    """The files of tests that do not name a package of an extra."""
    files = (file for folder in CORE_TESTS for file in sorted(Path(folder).rglob("test_*.py")))
    return [str(file) for file in files if not OF_EXTRAS.search(file.read_text(encoding="utf-8"))]


@nox.session(python=OLDEST_PYTHON)
def oldest(session: nox.Session) -> None:
    """The lower bounds in pyproject.toml, with extras."""
    install(session, EXTRAS, "--constraint", "constraints-oldest.txt")
    check(session, *QUICK, *TESTS)


@nox.session(python=OLDEST_PYTHON)
def oldest_core(session: nox.Session) -> None:
    """The lower bounds without extras: examples of docstrings, and tests, that need none."""
    install(session, "examples", "--constraint", "constraints-oldest.txt")
    check(session, *EXAMPLES)
    check(session, *WITHOUT_EXTRAS, *core_tests())


@nox.session(python=PYTHONS)
def newest(session: nox.Session) -> None:
    """The newest versions, with extras."""
    install(session, EXTRAS, "--upgrade", "--upgrade-strategy", "eager")
    check(session, *QUICK, *TESTS)


@nox.session(python=PYTHONS)
def newest_core(session: nox.Session) -> None:
    """The newest versions without extras: examples of docstrings, and tests, that need none."""
    install(session, "examples", "--upgrade", "--upgrade-strategy", "eager")
    check(session, *EXAMPLES)
    check(session, *WITHOUT_EXTRAS, *core_tests())


@nox.session(python=OLDEST_PYTHON)
def without_numba(session: nox.Session) -> None:
    """Numba is installed with wager, but may be missing: plain loops take over."""
    install(session, EXTRAS)
    session.run("python", "-m", "pip", "uninstall", "--yes", "numba", "llvmlite")
    check(session, *QUICK, "tests/learners", "tests/prepare", "tests/rewards", "tests/predictions")
