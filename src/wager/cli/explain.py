"""``wager explain``: what a number means, how it is computed, and when to look at it."""

from __future__ import annotations

from typing import Annotated

import typer

from wager.cli._errors import one_sentence


def _names(incomplete: str) -> list[str]:
    """The measures that begin so, for the shell's completion."""
    from wager.report import MEASURES

    return [name for name in MEASURES if name.startswith(incomplete)]


Name = Annotated[
    str | None,
    typer.Argument(help="A measure, as u65 or coverage; without it, all.", autocompletion=_names),
]


def explain(measure: Name = None) -> None:
    """Explain a measure: definition, formula, when to use it."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from wager.report import MEASURES
    from wager.report import explain as entry_of

    console = Console(highlight=False)
    if measure is None:
        table = Table(box=SIMPLE_HEAD)
        table.add_column("measure", no_wrap=True)
        table.add_column("what it is")
        for entry in MEASURES.values():
            table.add_row(entry.name, Text(entry.means))
        console.print(table)
        return
    with one_sentence():
        entry = entry_of(measure)
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    table.add_column(style="dim", no_wrap=True)
    table.add_column()
    for label, text in (
        ("", entry.means),
        ("formula", entry.formula),
        ("range", entry.range),
        ("use", entry.use),
        ("source", entry.source),
    ):
        table.add_row(label, Text(text))  # a formula's [brackets] are no markup
    console.print(entry.name, style="bold")
    console.print(table)
