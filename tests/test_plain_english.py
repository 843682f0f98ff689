"""The wording of everything that a person reads: phrases that readers stumble over stay out.

The source, its scripts and pages, the documentation, examples, bench and simulations are read line
by line; of the tests only the strings, which quote what users see.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests.shared import PROJECT

# Each phrase has a plain replacement: "one row per unit", "is not valid TOML", "is available",
# "distinguished", "abstains", "children", "significantly", "which users", "has the true class".
_THINGS = (
    "row|column|line|function|number|file|folder|module|class|picture|plot|cell|key|learner|"
    "measure|fold|unit|score|table|task|test|word|value"
)
PHRASES = re.compile(
    rf"\b(?:a|one) (?:{_THINGS}) an? [a-z]+"
    r"|\bis no (?:TOML|JSON|ARFF|CSV|UTF-8|number|list|file|folder|class|learner|probability)\b"
    r"|\b(?:be|is|are|was) had\b|\btold apart\b|\btells? .{1,30} apart\b|\bhold(?:s|ing)? back\b"
    r"|\bsons?\b|\bfathers?\b|\bsurely\b|\bfor whom\b|\bholds? the tru(?:th|e)\b"
    r"|\bwhat came out\b|\bstands? twice\b|\bspeaks? of\b|\btorn\b|\bcannot be:"
    r"|\b(?:the|this|each|every|which|wrong|another) rooms?\b"
    r"|\bthat are none\b|\bgive one each\b",
    re.IGNORECASE,
)
FOLDERS = {
    "src/wager": ("*.py", "*.js", "*.html"),
    "src/wager_studies": ("*.py",),
    "docs": ("*.md", "*.py", "*.ipynb"),
    "examples": ("*.py", "*.md", "*.toml"),
    "bench": ("*.py",),
    "simulations": ("*.py",),
    ".": ("README.md", "CONTRIBUTING.md"),
}


def lines(path: Path) -> list[tuple[int, str]]:
    return list(enumerate(path.read_text(encoding="utf-8").splitlines(), 1))


def found_in(path: Path, texts: list[tuple[int, str]]) -> list[str]:
    name = path.relative_to(PROJECT).as_posix()
    return [
        f"{name}:{number}: {match[0]}" for number, text in texts for match in PHRASES.finditer(text)
    ]


@pytest.mark.parametrize("folder", FOLDERS)
def test_what_people_read_is_in_plain_english(folder):
    start = PROJECT / folder
    paths = [
        path
        for pattern in FOLDERS[folder]
        for path in (start.glob(pattern) if folder == "." else start.rglob(pattern))
    ]
    assert paths
    assert [hit for path in sorted(paths) for hit in found_in(path, lines(path))] == []


def strings(path: Path) -> list[tuple[int, str]]:
    """The strings of a module that are not docstrings or patterns."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [
        (node.lineno, node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]


def test_what_tests_quote_is_in_plain_english():
    paths = [p for p in (PROJECT / "tests").rglob("*.py") if p != Path(__file__).resolve()]
    assert [hit for path in sorted(paths) for hit in found_in(path, strings(path))] == []


@pytest.mark.parametrize(
    "phrase",
    [
        "one column a class", "a row a unit", "bad.toml is no TOML", "the two are told apart",
        "the data do not tell A and B apart", "it holds back", "surely not 0", "it can be had",
        "duplicate: 'a' stands twice", "a set of 5 classes cannot be:", "what came out",
    ],
)  # fmt: skip
def test_the_phrases_of_the_first_release_are_found(phrase):
    assert PHRASES.search(phrase)
