"""The help of every command: its options in sections, and examples at the end.

An option belongs to the section that its ``rich_help_panel`` names, a command of ``wager --help``
likewise; those that name none are listed under "Options" and "Commands".
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from inspect import cleandoc
from textwrap import indent
from typing import Any

from typer.core import TyperCommand, TyperGroup

from wager.cli._overwrite import refuse_overwriting

OPTIONS = "Options"
COLUMNS = "Columns and values of the files"
MEMBERSHIPS = "Memberships"
COSTS = "Costs"
WORKERS = "Dask (several processes or machines)"
OUTPUT = "Output"
_ORDER = (OPTIONS, COLUMNS, MEMBERSHIPS, COSTS, WORKERS, OUTPUT)

_PLAIN = {  # how typer writes things, and how we do
    r" <[^<>]*>$": "",  # the Python type of an argument
    r"\[default: \((.*?)\)(?=\]|; )": r"[default: \1",
    r"; x>=([\d.]+)\]": r"; at least \1]",
    r"\[x>=([\d.]+)\]": r"[at least \1]",
}


def examples(text: str) -> str:
    """The examples at the end of a command's help: calls, each after a comment."""
    return "\b\nExamples:\n" + indent(cleandoc(text), "  ")


class _Sections:
    """The part of a command that writes its help."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """The words of the usage line; an argument in braces is required, which needs no mark."""
        pieces: list[str] = super().collect_usage_pieces(ctx)  # type: ignore[misc]
        return [piece.replace("{", "").replace("}", "") for piece in pieces]

    def option_sections(self, ctx: Any) -> dict[str, list[tuple[str, str]]]:
        """The arguments and options with their help texts, by the title of their section."""
        found: dict[str, list[tuple[str, str]]] = {"Arguments": [], **{s: [] for s in _ORDER}}
        for parameter in self.get_params(ctx):  # type: ignore[attr-defined]
            record = parameter.get_help_record(ctx)
            if record is None:
                continue
            title = getattr(parameter, "rich_help_panel", None) or OPTIONS
            if parameter.param_type_name == "argument":
                title = "Arguments"
            found.setdefault(title, []).append((_plain(record[0]), _plain(record[1])))
        if len([title for title, records in found.items() if records]) > 1 and found[OUTPUT]:
            found[OUTPUT] += _pop_help(found[OPTIONS])
        return {title: records for title, records in found.items() if records}

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments and options."""
        for title, records in self.option_sections(ctx).items():
            with formatter.section(title):
                formatter.write_dl(records)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the examples, with their heading where those of the sections are."""
        if self.epilog:  # type: ignore[attr-defined]
            formatter.write_paragraph()
            formatter.write_text(cleandoc(self.epilog))  # type: ignore[attr-defined]


class Command(_Sections, TyperCommand):
    """A command whose options are listed in sections, and which never overwrites its input."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command, unless it would write over a file that it reads."""
        refuse_overwriting(ctx.params)
        return super().invoke(ctx)


class Group(_Sections, TyperGroup):
    """A group of commands, which are listed in sections."""

    def command_sections(self, ctx: Any) -> dict[str, list[Any]]:
        """The commands by the title of their section."""
        found: dict[str, list[Any]] = {}
        for name in self.list_commands(ctx):
            command = self.get_command(ctx, name)
            if command is not None and not command.hidden:
                title = getattr(command, "rich_help_panel", None) or "Commands"
                found.setdefault(title, []).append(command)
        return found

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the commands, then the options."""
        self.format_commands(ctx, formatter)
        super().format_options(ctx, formatter)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands, each with its short help."""
        for title, commands in self.command_sections(ctx).items():
            with formatter.section(title):
                formatter.write_dl(
                    [(c.name, c.get_short_help_str(formatter.width)) for c in commands]
                )


def _plain(text: str) -> str:
    for pattern, replacement in _PLAIN.items():
        text = re.sub(pattern, replacement, text)
    return text


def _pop_help(records: list[tuple[str, str]]) -> Iterable[tuple[str, str]]:
    """Take the option ``--help`` out of the records."""
    return [records.pop(i) for i, (name, _) in enumerate(records) if name == "--help"]
