"""The pages of the documentation, read as blocks that can be run.

A page runs from top to bottom in one folder and one namespace:

- a ``python`` block is executed, and prints what the ``text`` block right after it shows; a block
  with ``>>>`` is a doctest;
- every ``wager`` line of a ``bash`` block is given to the command line, which prints what the
  ``text`` block right after it shows; a ``console`` block has commands after ``$`` and output
  between them;
- a block with the title of a file, or after a line that begins with the name of a file in
  backticks and ends with a colon, is written to that file.

A ``bash`` block after the comment ``<!-- not run -->`` is only parsed: its command and options must
exist.  A ``python`` block after the comment ``<!-- needs crepes -->`` runs only where that package
is installed; elsewhere it is only compiled.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent.parent
DOCS = PROJECT / "docs"
PAGES = [*sorted(DOCS.rglob("*.md")), PROJECT / "README.md"]

_FENCE = re.compile(
    r"^(?:(?P<mark><!-- (?:not run|needs (?P<needs>\w+)) -->)\n+"
    r"|`(?P<file>[\w-]+\.(?:csv|json|jsonl|py|toml|txt))`[^\n]*:\n\n)?"
    r"```(?P<language>\w+)(?:[ \t]+title=\"(?P<title>[^\"]+)\")?[ \t]*\n(?P<text>.*?)^```[ \t]*$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Step:
    """Calls of the command line, and what they print together, if the page shows it."""

    commands: tuple[str, ...]
    expected: str | None


@dataclass(frozen=True)
class Block:
    """One fenced block: its language, its text, and the output shown right after it."""

    language: str
    text: str
    line: int
    file: str | None = None
    expected: str | None = None
    is_run: bool = True

    @property
    def steps(self) -> list[Step]:
        """The calls of ``wager`` in a bash or console block."""
        if self.language == "bash":
            return [Step(_calls(self.text), self.expected)]
        if self.language != "console":
            return []
        parts = re.split(r"^\$ ", self.text, flags=re.MULTILINE)[1:]
        lines = (part.partition("\n") for part in parts)
        return [Step(_calls(call), said if said.strip() else None) for call, _, said in lines]


def _calls(text: str) -> tuple[str, ...]:
    lines = text.replace("\\\n", " ").splitlines()
    return tuple(line.strip() for line in lines if line.strip().startswith("wager "))


def _is_installed(package: str | None) -> bool:
    return package is not None and find_spec(package) is not None


def page_name(page: Path) -> str:
    """The path of a page below the project, as tests and messages name it."""
    return page.relative_to(PROJECT).as_posix()


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page that are run, in order."""
    source = page.read_text(encoding="utf-8")
    found = list(_FENCE.finditer(source))
    result = []
    for i, match in enumerate(found):
        file = match["title"] or match["file"]
        if match["language"] == "text" and file is None:
            continue
        expected = None
        if i + 1 < len(found) and found[i + 1]["language"] == "text":
            between = source[match.end() : found[i + 1].start()]
            expected = found[i + 1]["text"] if not between.strip() else None
        result.append(
            Block(
                language=match["language"],
                text=match["text"],
                line=source.count("\n", 0, match.start("language")) + 2,
                file=file,
                expected=expected,
                is_run=match["mark"] is None or _is_installed(match["needs"]),
            )
        )
    return result


def tabled_names(page: Path) -> list[str]:
    """The names in the first column of tables headed ``function``, ``class`` or ``name``."""
    names, wanted = [], False
    for line in page.read_text(encoding="utf-8").splitlines():
        if not line.startswith("|"):
            wanted = False
            continue
        first = line.split("|")[1].strip()
        if first in ("function", "class", "name"):
            wanted = True
        elif wanted:
            names += re.findall(r"`([A-Za-z_]\w*)", first)
    return names
