"""Write docs/cli.md, the reference of the command line, from the commands themselves.

Run ``python docs/cli.py`` after a change of a command; a test compares the page with the commands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from inspect import cleandoc
from pathlib import Path
from typing import Any

import typer.main

from wager.cli import app

PAGE = Path(__file__).with_suffix(".md")
HEAD = """\
# Command line

`wager COMMAND --help` prints what this page says about a command; `wager explain TOPIC` explains
the words in its output. `python -m wager` is the same program, for example where the folder of
scripts is not on the path. This page is written from the commands by `python docs/cli.py`.
"""
EXIT = """\
## Exit status

| status | meaning |
| --- | --- |
| 0 | all went well |
| 1 | a part of the work failed, there is no space for output, or `wager monitor` alerts |
| 2 | the input or an option is wrong: one sentence on standard error says what |
| 130 | the command was interrupted |

## Completion

`wager --install-completion` installs completion of commands, options and topics for the current
shell (bash, zsh, fish or PowerShell); `wager --show-completion` prints the script instead.
"""


def page() -> str:
    """The text of the page."""
    root = typer.main.get_command(app)
    return "\n".join([HEAD, _overview(root), *_sections(root, "wager", 2), EXIT])


def _overview(root: Any) -> str:
    context = root.make_context("wager", [], resilient_parsing=True)
    lines = []
    for title, commands in root.command_sections(context).items():
        lines += [f"| {title} | |", "| --- | --- |"]
        for command in commands:
            lines.append(
                f"| [`wager {command.name}`](#wager-{command.name}) | {command.short_help} |"
            )
        lines.append("")
    return "\n".join(lines)


def _sections(group: Any, path: str, level: int) -> Iterator[str]:
    """One section per command below a group."""
    for name, command in group.commands.items():
        yield _section(command, f"{path} {name}", level)
        if hasattr(command, "commands"):
            yield from _sections(command, f"{path} {name}", level + 1)


def _section(command: Any, path: str, level: int) -> str:
    context = command.make_context(path, [], resilient_parsing=True)
    usage = " ".join(command.collect_usage_pieces(context))
    parts = [f"{'#' * level} {path}", _prose(command.help), f"```text\n{path} {usage}\n```"]
    for title, records in command.option_sections(context).items():
        rows = [f"| `{_cell(name)}` | {_prose(_cell(words))} |" for name, words in records]
        shown = [row for row in rows if not row.startswith("| `--help`")]
        if shown:
            parts.append("\n".join([f"| {title} | |", "| --- | --- |", *shown]))
    lines = cleandoc(command.epilog.replace("\b", "")).splitlines()
    examples = [line.removeprefix("  ") for line in lines if line.startswith("  ")]
    parts.append("\n".join(["```sh", *examples, "```"]))
    return "\n\n".join(parts) + "\n"


def _prose(text: str) -> str:
    """A help text as Markdown: paragraphs on one line, and nothing that looks like HTML."""
    paragraphs = [" ".join(part.split()) for part in re.split(r"\n\s*\n", cleandoc(text))]
    return "\n\n".join(part.replace("<", "&lt;") for part in paragraphs)


def _cell(text: str) -> str:
    return text.replace("|", r"\|")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
