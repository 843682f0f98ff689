"""The oldest and the newest versions of what wager declares, on every Python that is there.

``make compat`` runs all sessions, ``nox -s oldest-3.11`` one of them; ``nox -l`` lists them.
"""

from __future__ import annotations

import nox

OLDEST_PYTHON = "3.11"
PYTHONS = [OLDEST_PYTHON, "3.12", "3.13", "3.14"]
# Everything that computes, reads or writes; not the studies, pages, notebooks and browsers.
TESTS = ["rewards", "costs", "credal", "partitions", "predictions", "prepare", "learners",
         "compare", "reference", "foreign", "cli", "plots", "_jit", "_tables"]  # fmt: skip
EXTRAS = "dask,frames,conformal,examples"

nox.options.default_venv_backend = "virtualenv"
nox.options.error_on_missing_interpreters = False
nox.options.reuse_existing_virtualenvs = True


def check(session: nox.Session, *options: str) -> None:
    """Show what is installed, then run the quick tests."""
    session.run("python", "-m", "pip", "list", "--quiet")
    folders = [f"tests/{name}" for name in TESTS]
    session.run("python", "-m", "pytest", "-m", "not slow", *options, *folders, *session.posargs)


@nox.session(python=OLDEST_PYTHON)
def oldest(session: nox.Session) -> None:
    """The lower bounds of pyproject.toml, with all extras."""
    session.install("--constraint", "constraints-oldest.txt", "-e", f".[{EXTRAS}]")
    check(session)


@nox.session(python=PYTHONS)
def newest(session: nox.Session) -> None:
    """The newest versions, with all extras."""
    session.install("--upgrade", "--upgrade-strategy", "eager", "-e", f".[{EXTRAS}]")
    check(session)
