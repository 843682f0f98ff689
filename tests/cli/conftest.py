"""What the tests of commands share: a way to call one, and the results of a run."""

from shutil import copytree

import pytest
from typer.testing import CliRunner

from wager.cli import app

PLAN = """
datasets = ["iris", "wine"]
measures = ["u65", "determinacy"]
scheme = "5x2"
[learners]
all = "vacuous"
one = "random-class"
"""


@pytest.fixture
def wager():
    """Call the command line: ``wager("score", path)``."""

    def call(*arguments, **options):
        return CliRunner().invoke(app, [str(argument) for argument in arguments], **options)

    return call


@pytest.fixture
def plan_file(tmp_path):
    file = tmp_path / "guesses.toml"
    file.write_text(PLAN)
    return file


@pytest.fixture(scope="session")
def filled_store(tmp_path_factory):
    """The folder of the results of the plan, which is copied for each test."""
    from tests.experiments.filled import fill
    from wager.experiments import Plan

    folder = tmp_path_factory.mktemp("guesses")
    (folder / "guesses.toml").write_text(PLAN)
    fill(Plan.load(folder / "guesses.toml"), folder / "out")
    return folder / "out"


@pytest.fixture
def store(filled_store, plan_file, tmp_path):
    """The results of the plan."""
    from wager.experiments import Store

    return Store(copytree(filled_store, tmp_path / "out"))
