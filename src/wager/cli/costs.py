"""``wager costs``: extend costs to sets of classes, and check whether they are consistent."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from wager.cli._errors import one_sentence
from wager.cli._help import Command, Group, examples
from wager.cli._options import (
    Format,
    OutputFile,
    OutputFormat,
    argument,
    class_labels,
    numbers,
    option,
)
from wager.cli._render import Grid, Printout, objects, printing
from wager.cli._say import say

if TYPE_CHECKING:
    from wager.costs import ExtendedCosts

    Report = Callable[[ExtendedCosts], Printout]

EXAMPLES = examples(
    """
    # write a cost file, to edit
    wager costs new healthy,flu,pneumonia --unit EUR -o costs.toml
    # list the costs of all sets of classes
    wager costs extend costs.toml --rule discounted
    # check whether these costs of sets are consistent
    wager costs audit costs.toml --r 0.9 --mode mistake-averse
    """
)

app = typer.Typer(
    help="Write a cost file, extend it to sets of classes, and check the result.",
    epilog=EXAMPLES,
    cls=Group,
    no_args_is_help=True,
)

File = Annotated[
    Path,
    argument(
        "FILE",
        "Costs as CSV (header: predicted and the true classes; rows: a predicted class, or a "
        "set such as a|b) or TOML.",
    ),
]
RuleOption = Annotated[
    Literal["discounted", "p-discounted", "ha", "abellan-masegosa", "utility"] | None,
    option(
        "--rule",
        "NAME",
        "How costs extend to sets: discounted, p-discounted, ha, abellan-masegosa or utility.",
        default="p-discounted, unless the file gives costs of sets",
    ),
]
R = Annotated[
    float | None,
    option(
        "--r", "NUMBER", "p-discounted: how much caution is rewarded, from 0 to 1.", default="0.5"
    ),
]
Mode = Annotated[
    Literal["cautious", "mistake-averse"] | None,
    option(
        "--mode",
        "cautious|mistake-averse",
        "p-discounted: how sets without the true class are treated.",
        default="cautious",
    ),
]
P = Annotated[
    float | None,
    option("--p", "NUMBER", "p-discounted: the exponent, instead of --r (p = 1 - r)."),
]
Epsilon = Annotated[
    float | None,
    option("--epsilon", "NUMBER", "Add this to every cost first, so that none is 0."),
]
Delta = Annotated[
    float | None,
    option("--delta", "NUMBER", "ha: the cost of each class beyond the first."),
]
UtilityName = Annotated[
    str | None,
    option("--utility -u", "UTILITY", "utility: u65, u80, f1, ... (for 0/1 costs)."),
]
Answers = Annotated[
    Path,
    argument(
        "ANSWERS", "What is known about the costs of sets: a TOML file with [[answer]] tables."
    ),
]
Properties = Annotated[
    str,
    option(
        "--properties",
        "NUMBERS",
        "Properties that the completed costs must have: numbers such as 2,3,4,5, or "
        "filtering, or choice.",
    ),
]


NewClasses = Annotated[
    str,
    argument(
        "CLASSES",
        "The classes, such as a,b,c. Put a label that contains a comma in double quotes.",
    ),
]
NewUnit = Annotated[
    str | None,
    option("--unit", "NAME", "What the costs are counted in, such as EUR."),
]
AsCsv = Annotated[
    bool, typer.Option("--csv", help="Write CSV, which has no comments, instead of TOML.")
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite a file that exists.")]


@app.command(
    "new",
    cls=Command,
    epilog=examples(
        """
    # print a cost file for three classes
    wager costs new a,b,c
    # write it to a file
    wager costs new healthy,flu,pneumonia --unit EUR -o costs.toml
    # as CSV, even if the file exists
    wager costs new a,b,c -o costs.csv --force
    """
    ),
)
def new(
    classes: NewClasses,
    unit: NewUnit = None,
    csv: AsCsv = False,
    output: OutputFile = None,
    force: Force = False,
) -> None:
    """Write a cost file to fill in: every error costs 1 at first.

    The file explains what to change, and all commands with --costs read it.
    """
    with one_sentence():
        from wager._tables import counted
        from wager.costs import cost_template

        as_csv = csv or (output is not None and output.suffix.lower() == ".csv")
        if as_csv and unit is not None:
            raise ValueError(
                "a CSV file of costs has no place for a unit: write TOML, or give --unit to the "
                "command that reads the costs"
            )
        _require_name_of_csv(output, as_csv)
        known = class_labels(classes) or []
        text = cost_template(known, unit=unit, layout="csv" if as_csv else "toml")
        if output is None:
            say(text.removesuffix("\n"))
            return
        _write_new(text.removesuffix("\n") + "\n", output, force)
        many = counted(len(known), "class")
        say(f"{output}: costs of {many}; edit them, then use --costs {output}")


def _write_new(text: str, path: Path, force: bool) -> None:
    """Write a file whole or not at all; one that exists only by force."""
    from wager._atomic import replacing

    if path.suffix.lower() not in (".toml", ".csv"):
        raise ValueError(f"{path}: costs are read from files that end in .toml or .csv")
    if path.exists() and not force:
        raise ValueError(
            f"{path} exists already: choose another file, or overwrite it with --force"
        )
    with replacing(path) as draft:
        draft.write_text(text, encoding="utf-8")


def _of_extended_costs(default: OutputFormat, commands: str) -> Callable[[Report], Report]:
    """Make a command of a function of extended costs: its options say how costs are extended."""

    def register(function: Report) -> Report:
        @app.command(
            function.__name__, cls=Command, help=function.__doc__, epilog=examples(commands)
        )
        def command(
            file: File,
            rule: RuleOption = None,
            r: R = None,
            mode: Mode = None,
            p: P = None,
            epsilon: Epsilon = None,
            delta: Delta = None,
            utility: UtilityName = None,
            output_format: Format = default,
            output: OutputFile = None,
        ) -> None:
            numeric = {"r": r, "p": p, "epsilon": epsilon, "delta": delta}
            options = {**numeric, "mode": mode, "utility": utility}
            given = {name: value for name, value in options.items() if value is not None}
            with one_sentence():
                _require_name_of_csv(output, output_format is OutputFormat.csv)
            with one_sentence(), printing(output_format, output) as show:
                show(function(_extended(file, rule, given)))

        return function

    return register


@_of_extended_costs(
    OutputFormat.text,
    """
    # check the p-discounted costs of sets
    wager costs audit costs.csv
    # check the discounted costs of sets
    wager costs audit costs.csv --rule discounted
    # check costs of sets that a file gives
    wager costs audit extended.csv --format json
    """,
)
def audit(extended: ExtendedCosts) -> Printout:
    """Check whether the costs of sets are consistent.

    Tests the ten properties of Yang, Destercke & Masson (2017): each one holds, or fails with a
    counterexample.
    """
    from wager.costs import audit as check_properties

    report = check_properties(extended)
    header = ["", "property", "verdict", "filtering", "choice", "because"]
    title = f"{report.title}, checked on {report.checked}"
    return Printout(
        about=f"audit of {title}",
        title=title,
        grids=[Grid(header, report.rows(), "><<<<<", ends_in_text=True)],
        remarks=[
            "N necessary, D desirable, A analyst's choice, U undesirable",
            *(f"{setting}: {verdict}" for setting, verdict in report.verdicts.items()),
        ],
        records=Grid(["number", *header[1:]], report.rows()),
        data=report.to_dict(),
    )


@_of_extended_costs(
    OutputFormat.csv,
    """
    # print the discounted costs of all sets
    wager costs extend costs.csv --rule discounted
    # p-discounted costs that reward caution, to a file
    wager costs extend costs.csv --r 0.8 --mode mistake-averse -o extended.csv
    """,
)
def extend(extended: ExtendedCosts) -> Printout:
    """List the cost of every set of classes.

    The commands audit and extend read the CSV file that this command writes.
    """
    return _all_sets(extended)


@app.command(
    "complete",
    cls=Command,
    epilog=examples(
        """
    # print the costs of all sets
    wager costs complete costs.csv answers.toml
    # costs with the properties that choosing a classifier needs, to a file
    wager costs complete costs.csv answers.toml --properties choice -o all.csv
    """
    ),
)
def complete_command(
    file: File,
    answers: Answers,
    properties: Properties = "2,3,4,5",
    r: R = None,
    mode: Mode = None,
    output_format: Format = OutputFormat.csv,
    output: OutputFile = None,
) -> None:
    """Complete the costs of sets from a few answers.

    All other costs stay as close to the p-discounted costs as the properties allow.
    """
    with one_sentence():
        _require_name_of_csv(output, output_format is OutputFormat.csv)
    with one_sentence(), printing(output_format, output) as show:
        from wager.costs import CostMatrix, complete, read_answers

        costs = CostMatrix.from_file(file)
        options: dict[str, Any] = {} if r is None else {"r": r}
        if mode is not None:
            options["mode"] = mode
        known = read_answers(answers, costs.classes)
        show(_all_sets(complete(costs, known, _properties(properties), **options)))


def _require_name_of_csv(output: Path | None, is_csv: bool) -> None:
    """A file of costs is read by the end of its name, so CSV in a TOML file could not be read."""
    if is_csv and output is not None and output.suffix.lower() == ".toml":
        raise ValueError(f"{output} would contain CSV: end the name in .csv, to read it later")


def _properties(text: str) -> str | list[int]:
    """The name of a setting, or the numbers of properties."""
    if not any(character.isdigit() for character in text):
        return text
    return numbers(text, int, "--properties", "2,3,4,5") or []


def _all_sets(extended: ExtendedCosts) -> Printout:
    """The cost of every set, in the layout of cost files."""
    import csv
    import io

    from wager.costs import costs_to_csv

    text = costs_to_csv(extended)
    header, *rows = csv.reader(io.StringIO(text, newline=""))
    costs = Grid(header, [[name, *map(float, cells)] for name, *cells in rows])
    return Printout(
        about=f"{len(rows)} sets, {extended.rule.name}",
        grids=[costs],
        data=objects(costs),
        pieces={
            OutputFormat.csv: lambda: iter((text.rstrip("\n") + "\n",))
        },  # a cost file, which other commands read
    )


def _extended(file: Path, rule: str | None, options: dict[str, Any]) -> ExtendedCosts:
    """The costs in the file, extended to sets as the options say."""
    from wager.costs import CostMatrix, read_costs

    costs = read_costs(file)
    if isinstance(costs, CostMatrix):
        return costs.extend("p-discounted" if rule is None else rule, **options)
    if rule is not None or options:
        raise ValueError(
            f"{file} already gives the costs of sets: leave out "
            f"--{'rule' if rule is not None else next(iter(options))}"
        )
    return costs
