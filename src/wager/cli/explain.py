"""``wager explain``: what a measure means, how it is computed, and when to use it."""

from __future__ import annotations

from typing import Annotated

from wager.cli._errors import one_sentence
from wager.cli._options import (
    Format,
    OutputFile,
    OutputFormat,
    argument,
    examples,
)
from wager.cli._render import Grid, Printout, printing

EXAMPLES = examples(
    "wager explain",
    "wager explain u65",
    "wager explain break_even",
    "wager explain --format markdown",
)

KINDS = (
    "sets",
    "probabilities",
    "costs",
    "memberships",
    "rows",
    "comparisons",
)  # the order of the list


def _names(incomplete: str) -> list[str]:
    """The measures whose names begin with the text, for the shell's completion."""
    from wager.report import MEASURES, QUANTITIES

    return [name for name in (*MEASURES, *QUANTITIES) if name.startswith(incomplete)]


Name = Annotated[
    str | None,
    argument(
        "MEASURE",
        "A measure, a utility or another quantity that a command prints, such as coverage, u65, "
        "break_even; without it, all are listed.",
        autocompletion=_names,
    ),
]


def explain(
    measure: Name = None,
    output_format: Format = OutputFormat.text,
    output: OutputFile = None,
) -> None:
    """Explain a measure: meaning, formula, range, when to use it, and source."""
    with one_sentence(), printing(output_format, output) as show:
        show(_all_measures() if measure is None else _one_measure(measure))


def _all_measures() -> Printout:
    from wager.report import MEASURES, QUANTITIES

    by_kind = sorted({**QUANTITIES, **MEASURES}.items(), key=lambda item: KINDS.index(item[1].kind))
    rows = [[name, entry.meaning] for name, entry in by_kind]
    grid = Grid(["measure", "meaning"], rows, align="<<", ends_in_text=True)
    return Printout(f"{len(rows)} measures", [grid])


def _one_measure(name: str) -> Printout:
    from wager.report import explain

    entry = explain(name)
    parts = {
        "meaning": entry.meaning,
        "formula": entry.formula,
        "range": entry.range,
        "use": entry.use,
        "source": entry.source,
    }
    rows = [[label, text] for label, text in parts.items() if text]
    grid = Grid(["measure", entry.name], rows, align="<<", ends_in_text=True)
    return Printout(f"explanation of {entry.name}", [grid], data={"measure": entry.name, **parts})
