"""``wager costs``: carry costs over to sets of classes, and see whether they make sense."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wager.cli._errors import one_sentence

if TYPE_CHECKING:
    from wager.costs import ExtendedCosts, PropertyReport

app = typer.Typer(
    help="Costs of set-valued predictions: extend a cost matrix, audit the result.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)


class RuleName(StrEnum):
    """The rules that carry costs over to sets."""

    discounted = "discounted"
    p_discounted = "p-discounted"
    ha = "ha"
    abellan_masegosa = "abellan-masegosa"
    utility = "utility"


class Mode(StrEnum):
    """How p-discounted costs treat sets that miss the truth."""

    cautious = "cautious"
    mistake_averse = "mistake-averse"


class ReportFormat(StrEnum):
    """How a report is printed."""

    table = "table"
    json = "json"


File = Annotated[
    Path,
    typer.Argument(
        help="Costs as CSV (header: true classes; rows: predicted class, or set as a|b) or TOML.",
        show_default=False,
    ),
]
Rule = Annotated[
    RuleName | None,
    typer.Option(help="How costs carry over to sets; p-discounted unless the file says.",
                 show_default=False),
]  # fmt: skip
R = Annotated[
    float | None,
    typer.Option("--r", help="p-discounted: reward for caution, 0 to 1 (0.5).", show_default=False),
]
ModeOption = Annotated[
    Mode | None,
    typer.Option("--mode", help="p-discounted: cautious by default.", show_default=False),
]
P = Annotated[
    float | None,
    typer.Option("--p", help="p-discounted: the exponent 1 - r itself.", show_default=False),
]
Epsilon = Annotated[
    float | None,
    typer.Option(help="Add this to every cost first, so that none is 0.", show_default=False),
]
Delta = Annotated[
    float | None,
    typer.Option(help="ha: the cost of each class beyond the first.", show_default=False),
]
UtilityName = Annotated[
    str | None,
    typer.Option("--utility", help="utility: u65, u80, f1, ... (0/1 costs).", show_default=False),
]


Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="Write a CSV file instead of printing it.",
                 show_default=False),
]  # fmt: skip


@app.command("audit")
def audit_command(
    file: File,
    rule: Rule = None,
    r: R = None,
    mode: ModeOption = None,
    p: P = None,
    epsilon: Epsilon = None,
    delta: Delta = None,
    utility: UtilityName = None,
    output_format: Annotated[
        ReportFormat, typer.Option("--format", help="A table, or JSON.")
    ] = ReportFormat.table,
) -> None:
    """Check whether costs of sets make sense, with proofs.

    The ten properties of Yang, Destercke & Masson (2017): each holds, or fails with a witness.
    """
    with one_sentence():
        from wager.costs import audit

        extended = _extended(file, rule, r, mode, p, epsilon, delta, utility)
        report = audit(extended)
    if output_format is ReportFormat.json:
        import json

        typer.echo(json.dumps(report.to_dict(), indent=2, ensure_ascii=False))
    else:
        _print_report(report)


@app.command("extend")
def extend_command(
    file: File,
    rule: Rule = None,
    r: R = None,
    mode: ModeOption = None,
    p: P = None,
    epsilon: Epsilon = None,
    delta: Delta = None,
    utility: UtilityName = None,
    output: Output = None,
) -> None:
    """List what every set of classes costs, as CSV.

    The commands audit and extend read such a file again.
    """
    with one_sentence():
        _write(_extended(file, rule, r, mode, p, epsilon, delta, utility), output)


@app.command("complete")
def complete_command(
    file: File,
    answers: Annotated[
        Path,
        typer.Argument(help="What is known about costs of sets: [[answer]] tables in TOML.",
                       show_default=False),
    ],
    properties: Annotated[
        str,
        typer.Option(help="Properties to have: numbers as 2,3,4,5, or filtering, or choice."),
    ] = "2,3,4,5",
    r: R = None,
    mode: ModeOption = None,
    output: Output = None,
) -> None:  # fmt: skip
    """Complete costs of sets from a few answers.

    The rest stays as near to the p-discounted costs as the properties allow.
    """
    with one_sentence():
        from wager.costs import CostMatrix, complete, read_answers

        costs = CostMatrix.from_file(file)
        options: dict[str, Any] = {} if r is None else {"r": r}
        if mode is not None:
            options["mode"] = mode.value
        known = read_answers(answers, costs.classes)
        _write(complete(costs, known, _properties(properties), **options), output)


def _properties(text: str) -> str | list[int]:
    """A setting, or the numbers of properties."""
    if not any(character.isdigit() for character in text):
        return text
    try:
        return [int(number) for number in text.split(",")]
    except ValueError:
        raise ValueError(f"--properties takes numbers as 2,3,4,5, got {text!r}") from None


def _write(extended: ExtendedCosts, output: Path | None) -> None:
    """The table of all sets, to a file or to standard output."""
    from wager._atomic import replacing
    from wager.costs import costs_to_csv

    text = costs_to_csv(extended)
    if output is None:
        typer.echo(text)
        return
    with replacing(output) as draft:
        draft.write_text(text + "\n", encoding="utf-8")
    typer.echo(f"{output}: {len(text.splitlines()) - 1} sets, {extended.rule.name}")


def _extended(
    file: Path,
    rule: RuleName | None,
    r: float | None,
    mode: Mode | None,
    p: float | None,
    epsilon: float | None,
    delta: float | None,
    utility: str | None,
) -> ExtendedCosts:
    """The costs of the file, carried over to sets as the options say."""
    from wager.costs import CostMatrix, read_costs

    named = {"r": r, "mode": mode, "p": p, "epsilon": epsilon, "delta": delta, "utility": utility}
    options: dict[str, Any] = {
        name: value.value if isinstance(value, Mode) else value
        for name, value in named.items()
        if value is not None
    }
    costs = read_costs(file)
    if isinstance(costs, CostMatrix):
        return costs.extend("p-discounted" if rule is None else rule.value, **options)
    if rule is not None or options:
        raise ValueError(
            f"{file} says itself what sets cost: leave out "
            f"--{'rule' if rule is not None else next(iter(options))}"
        )
    return costs


def _print_report(report: PropertyReport) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=f"{report.title}, checked on {report.checked}", title_justify="left")
    for header in ("", "property", "verdict", "filtering", "choice", "because"):
        table.add_column(header, overflow="fold")
    for number, name, verdict, filtering, choice, why in report.rows():
        style = "green" if verdict.startswith("holds") else "red"
        cells = (number, name, Text(verdict, style=style), filtering, choice, Text(why))
        table.add_row(*cells)
    console = Console()
    console.print(table)
    console.print("N necessary, D desirable, A analyst's choice, U undesirable", style="dim")
    for setting in report.verdicts.items():
        console.print("{}: {}".format(*setting), highlight=False, soft_wrap=True)
