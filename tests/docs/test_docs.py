"""What the documentation shows is what happens."""

from __future__ import annotations

import contextlib
import doctest
import io
import shlex
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest
import typer.main
from typer.testing import CliRunner

from tests.docs.pages import PAGES, Block, blocks, page_name, tabled_names
from tests.examples import examples
from wager.cli import app

PACKAGES = (
    *("predictions", "rewards", "costs", "credal", "partitions", "prepare", "learners"),
    *("compare", "plots", "experiments", "metrics"),
)
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


@pytest.mark.parametrize("page", examples(PAGES, page_name))
def test_every_example_gives_what_the_page_shows(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)  # a page may show a module and import it
    monkeypatch.setenv("COLUMNS", "100")
    namespace = {"__name__": "__main__"}
    with _closed_figures():
        for block in blocks(page):
            where = f"{page_name(page)}, line {block.line}"
            if block.file is not None:
                Path(block.file).write_text(block.text, encoding="utf-8")
            elif block.language == "python" and not block.is_run:
                compile(block.text, where, "exec")
            elif block.language == "python" and ">>>" in block.text:
                _run_doctest(block, namespace, where)
            elif block.language == "python":
                if page.name == "README.md":  # each of its blocks can be copied by itself
                    namespace = {"__name__": "__main__"}
                _check(block.expected, _run_python(block, namespace, where), where)
            elif block.is_run:
                for step in block.steps:
                    _check(step.expected, _run_commands(step.commands, where), where)


def _run_python(block: Block, namespace: dict, where: str) -> str:
    said = io.StringIO()
    padded = "\n" * (block.line - 1) + block.text  # so that a traceback names the page's own lines
    with contextlib.redirect_stdout(said):
        exec(compile(padded, where, "exec"), namespace)
    return said.getvalue()


def _run_doctest(block: Block, namespace: dict, where: str) -> None:
    test = doctest.DocTestParser().get_doctest(block.text, namespace, where, where, block.line - 1)
    said = io.StringIO()
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    runner.run(test, out=said.write, clear_globs=False)
    namespace.update(test.globs)
    assert runner.summarize(verbose=False).failed == 0, said.getvalue()


def _run_commands(commands: Iterable[str], where: str) -> str:
    said = ""
    for command in commands:
        words = shlex.split(command, comments=True)[1:]
        result = CliRunner().invoke(app, words, catch_exceptions=False)
        assert result.exit_code == 0, f"{where}: {command}: {result.output}"
        said += result.stdout
    return said


def _check(expected: str | None, said: str, where: str) -> None:
    if expected is not None:
        matches = doctest.OutputChecker().check_output(expected, said, FLAGS)
        assert matches, f"{where} shows\n{expected}\nbut this comes:\n{said}"


@contextlib.contextmanager
def _closed_figures():
    import matplotlib as mpl
    from matplotlib import pyplot as plt

    mpl.use("agg")
    yield
    plt.close("all")


COMMANDS = sorted(
    {
        call
        for page in PAGES
        for block in blocks(page)
        for step in block.steps
        for call in step.commands
    }
)


@cache
def commands():
    return typer.main.get_command(app)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_and_option_exists(command):
    found, words = commands(), shlex.split(command, comments=True)[1:]
    while words and hasattr(found, "commands"):
        assert words[0] in found.commands
        found, words = found.commands[words[0]], words[1:]
    known = {name for option in found.params for name in (*option.opts, *option.secondary_opts)}
    assert {word.split("=")[0] for word in words if word.startswith("-")} <= known | {"--help"}


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_every_name_in_a_table_is_public(page):
    public = {name for package in PACKAGES for name in import_module(f"wager.{package}").__all__}
    assert set(tabled_names(page)) <= public


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_every_python_block_that_prints_shows_its_output(page):
    silent = [b.line for b in blocks(page) if "print(" in b.text and b.expected is None]
    assert silent == []
