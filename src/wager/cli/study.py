"""``wager study``: rerun published experiments and compare the results with the papers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wager.cli._errors import FAILED, WRONG_INPUT, one_sentence
from wager.cli._help import Command, Group, examples
from wager.cli._options import (
    Format,
    OutputFile,
    OutputFormat,
    Quiet,
    argument,
    jobs_option,
    option,
    output_option,
)
from wager.cli._progress import run_progress
from wager.cli._render import Grid, Printout, printing
from wager.cli._say import say

if TYPE_CHECKING:
    from wager.experiments import RunSummary
    from wager.experiments.studies import Study
    from wager.experiments.study import Differences

WIDTH = 100  # characters per line
INDENT = "    "
SHOWN = 5  # data sets that are named

app = typer.Typer(
    help="Rerun the papers' experiments: published results and ours, side by side.",
    epilog=examples(
        """
    # all studies, with the time and the data that they need
    wager study list
    # run a small version of one
    wager study run zaffalon-2012-credal --quick
    # its results beside the paper's
    wager study report zaffalon-2012-credal --quick
    """
    ),
    cls=Group,
    no_args_is_help=True,
)

Name = Annotated[
    str,
    argument("NAME", "Name of the study, as `wager study list` shows it."),
]
OptionalName = Annotated[
    str | None,
    argument("NAME", "Name of the study, as `wager study list` shows it; or give --all."),
]
Every = Annotated[bool, typer.Option("--all", help="Run all studies, one after the other.")]
Quick = Annotated[
    bool,
    typer.Option(
        "--quick",
        help="A small version that takes less than two minutes; most need no --data.",
    ),
]
OfQuick = Annotated[bool, typer.Option("--quick", help="Report the small version.")]
Data = Annotated[
    str | None,
    option(
        "--data",
        "FOLDER",
        "Folder of data sets, or openml to download them.",
        default="the environment variable WAGER_DATA",
    ),
]
Folder = Annotated[
    Path | None, output_option("Folder for the results.", "FOLDER", "the name of the study")
]
ResultsFolder = Annotated[
    Path | None, output_option("Folder of the study's results.", "FOLDER", "the name of the study")
]
Jobs = Annotated[int, jobs_option()]
Retry = Annotated[bool, typer.Option("--retry", help="Run units again that failed before.")]
Seed = Annotated[
    int | None,
    option(
        "--seed",
        "N",
        "Another seed for everything random; with --all, studies that use the random numbers of "
        "their paper are left out.",
        default="that of the study",
    ),
]
Against = Annotated[
    Path | None,
    option(
        "--against",
        "FOLDER",
        "Print what differs from the tables in this folder; with --seed, only other verdicts.",
    ),
]
Record = Annotated[
    Path | None,
    option(
        "--record",
        "FILE",
        "Add one row per study to this CSV file: its fits, and how much differs from --against.",
    ),
]
AgainstData = Annotated[
    Path | None,
    option("--against", "FILE", "Compare the checksums with those in this CSV file."),
]
Docs = Annotated[
    Path | None,
    option("--docs", "FOLDER", "Also write tables, figures and pages into this folder."),
]


@app.command(
    "list",
    cls=Command,
    epilog=examples(
        """
    # all studies, with the time and the data that they need
    wager study list
    # whether their data sets are in this folder
    wager study list --data datasets
    # as data, to a file
    wager study list --format json -o studies.json
    """
    ),
)
def list_command(
    data: Data = None, output_format: Format = OutputFormat.text, output: OutputFile = None
) -> None:
    """List the studies: what each one shows, its paper, and the time and data that it needs."""
    with one_sentence(), printing(output_format, output) as show:
        from wager.experiments import studies

        _require_folder(data)
        found = [_Entry.of(studies.get(name), data) for name in studies.names()]
        header = ["name", "title", "paper", "minutes", "data sets", "missing", "shows"]
        show(
            Printout(
                about=f"{len(found)} studies",
                grids=[Grid(header, [entry.row() for entry in found], "<<<>>><")],
                text=lambda: "\n\n".join(entry.text() for entry in found),
                records=Grid([h.replace(" ", "_") for h in header], [e.record() for e in found]),
                data=[entry.to_dict() for entry in found],
            )
        )


@app.command(
    "data",
    cls=Command,
    epilog=examples(
        """
    # all data sets of the studies, with a checksum of the content of each
    wager study data --data datasets -o data-sets.csv
    # whether they are those of the stored results
    wager study data --data datasets --against docs/results/data-sets.csv
    """
    ),
)
def data_command(
    data: Data = None,
    against: AgainstData = None,
    output_format: Format = OutputFormat.text,
    output: OutputFile = None,
) -> None:
    """List the data sets of all studies with checksums of their content.

    With --against, the exit status is 1 if a data set has another content.
    """
    with one_sentence(), printing(output_format, output) as show:
        _require_folder(data)
        stored = None if against is None else _checksums(against)
        rows = _data_sets(data)
        show(
            Printout(
                about=f"{len(rows)} data sets",
                grids=[
                    Grid(["data set", "rows", "features", "classes", "checksum"], rows, "<>>><")
                ],
            )
        )
    if stored is not None:
        others = [row[0] for row in rows if stored.get(row[0]) != row[-1]]
        if others:
            say(f"other content than in {against}: {', '.join(others)}", err=True)
            raise typer.Exit(FAILED)


def _data_sets(data: str | None) -> list[list[Any]]:
    """The name, size and checksum of every data set that a study reads."""
    from wager.experiments import studies

    found = {
        each.name: [each.name, len(each), len(each.columns), len(each.classes), each.checksum]
        for name in studies.names()
        for each in studies.get(name).load_data(data)
    }
    return [found[name] for name in sorted(found)]


def _checksums(path: Path) -> dict[str, str]:
    """The stored checksums by data set."""
    import csv

    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
    except UnicodeDecodeError:
        raise ValueError(f"{path} is not UTF-8 text: save it as UTF-8") from None
    if not rows or not {"data set", "checksum"} <= rows[0].keys():
        raise ValueError(
            f"{path} has no columns 'data set' and 'checksum': write such a file with "
            "wager study data -f csv -o FILE"
        )
    return {row["data set"]: row["checksum"] for row in rows}


@app.command(
    "run",
    cls=Command,
    epilog=examples(
        """
    # a small version, without data files
    wager study run zaffalon-2012-credal --quick
    # the whole study, on the data sets of a folder
    wager study run zaffalon-2012-credal --data datasets -j 2 -o results
    # download the data sets first
    wager study run yang-2017-comparison --data openml
    # all studies, with a comparison with the stored tables
    wager study run --all --data datasets -j 2 --against docs/results
    """
    ),
)
def run_command(
    name: OptionalName = None,
    every: Every = False,
    quick: Quick = False,
    data: Data = None,
    output: Folder = None,
    jobs: Jobs = 1,
    retry: Retry = False,
    seed: Seed = None,
    against: Against = None,
    record: Record = None,
    quiet: Quiet = False,
) -> None:
    """Run a study, or all of them.

    Stop it at any time and run it again to resume. The exit status is 1 if any unit failed, or if
    results differ from those of --against.
    """
    with one_sentence():
        if every == (name is not None):
            raise ValueError("give the name of a study or --all; wager study list shows the names")
        if against is not None and not against.is_dir():
            raise ValueError(f"--against {against}: there is no such folder; name another one")
        if against is not None and quick:
            raise ValueError("--against compares whole runs: leave out --quick")
        if record is not None:
            _require_record(record, against)
        _require_folder(data)
        from wager.experiments import studies
        from wager.experiments.study import STORED_SEED

        seed = None if seed == STORED_SEED else seed
        chosen = [studies.get(n) for n in (studies.names() if name is None else [name])]
    if every and seed is not None:
        say(_left_out(chosen), err=True)
        chosen = [study for study in chosen if not study.draws_as_paper]
    failed = False
    found = []
    clock = _TimeLeft(chosen, jobs)
    for study in chosen:
        folder = study.store(quick, seed=seed)
        if every:
            folder = (output or Path()) / folder
            clock.announce(study, quiet)
        elif output is not None:
            folder = output
        with one_sentence(folder), run_progress(quiet) as progress:
            summary = study.run(
                folder,
                data=data,
                quick=quick,
                n_jobs=jobs,
                retry=retry,
                seed=seed,
                progress=progress,
            )
        clock.finished(study)
        failed |= summary is not None and not summary.ok
        _say(study, summary, folder, "" if every or seed is not None else _options(quick, output))
        if against is not None:
            try:
                with one_sentence():
                    found.append(_compare(study, folder, against, seed, record))
            except typer.Exit as stopped:  # what is wrong with one study is said; others go on
                if not every or stopped.exit_code != WRONG_INPUT:
                    raise
                failed = True
    if against is not None:
        failed |= _say_differences(found, against, seed)
    if failed:
        raise typer.Exit(FAILED)


def _require_record(record: Path, against: Path | None) -> None:
    """Refuse a record that could not be written, hours before anything is added to it."""
    from wager.experiments.study import read_runs

    if against is None:
        raise ValueError("--record counts what differs from stored tables: add --against")
    if record.is_dir():
        raise ValueError(f"--record {record} is a folder: name a CSV file")
    if not record.parent.is_dir():
        raise ValueError(f"--record {record}: make the folder {record.parent} first")
    read_runs(record)


def _left_out(chosen: Sequence[Study]) -> str:
    """Which studies another seed does not concern."""
    names = ", ".join(study.name for study in chosen if study.draws_as_paper)
    return f"left out, since they use the random numbers of their paper: {names}"


def _say(study: Study, summary: RunSummary | None, folder: Path, options: str) -> None:
    """What became of a run, and what to do next."""
    if summary is None:
        say(f"{study.name} has nothing to run: see wager study report {study.name}")
        return
    say(summary.text())
    if not summary.ok:
        say(f"tracebacks: wager results {folder} --failures; to run them again: --retry")
        return
    say(f"report: wager study report {study.name}{options or f' --out {folder}'}")


class _TimeLeft:
    """How long the rest of several studies takes, by the times that they state and those seen."""

    def __init__(self, studies: Sequence[Study], jobs: int) -> None:
        self.left = [study.name for study in studies]
        self.minutes = {study.name: study.minutes or 0.0 for study in studies}
        self.jobs = jobs
        self.spent = self.expected = 0.0
        self.begun = monotonic()

    def announce(self, study: Study, quiet: bool) -> None:
        """Say which study is next and how long everything that is left takes."""
        self.begun = monotonic()
        if quiet:
            return
        number = len(self.minutes) - len(self.left) + 1
        # A study that was run before takes no time; then the stated times are all that is known.
        pace = self.spent / self.expected if self.expected and self.spent > 1 else 1 / self.jobs
        left = pace * sum(self.minutes[name] for name in self.left)
        say(
            f"{number} of {len(self.minutes)}: {study.name}; "
            f"about {max(1, round(left))} minutes left in all",
            err=True,
        )

    def finished(self, study: Study) -> None:
        """Take note of the time that a study took."""
        self.left.remove(study.name)
        self.spent += (monotonic() - self.begun) / 60
        self.expected += self.minutes[study.name]


def _compare(
    study: Study, folder: Path, against: Path, seed: int | None, record: Path | None
) -> Differences:
    """Print and record what differs from stored tables."""
    from wager.experiments import Store
    from wager.experiments.study import STORED_SEED, StudyRun, differences, record_run

    # A study without a run has no folder.
    store = None if study.plan is None else Store(folder)
    found = differences(study.report(store, seed=seed), against, only_verdicts=seed is not None)
    for difference in found:
        say(str(difference))
    if record is not None:
        counts = {"done": 0, "failed": 0} if store is None else store.counts()
        used = STORED_SEED if seed is None else seed
        fits = counts["done"], counts["failed"]
        record_run(record, StudyRun(study.name, used, *fits, found.compared, len(found)))
    return found


def _say_differences(found: Sequence[Differences], against: Path, seed: int | None) -> bool:
    """Sum up what differs from stored tables; whether anything does."""
    number = sum(map(len, found))
    compared = sum(each.compared for each in found)
    what = "verdicts and answers" if seed is not None else "cells"
    studies = "one study" if len(found) == 1 else f"{len(found)} studies"
    if number:
        say(f"{number} differences in {compared:,} {what} of {studies} from {against}")
    else:
        say(f"{compared:,} {what} of {studies} equal those in {against}, up to rounding")
    return number > 0


@app.command(
    "report",
    cls=Command,
    epilog=examples(
        """
    # a study that needs no run
    wager study report zaffalon-bets
    # the results of the small version
    wager study report zaffalon-2012-credal --quick
    # also write the tables and figures into a folder
    wager study report zaffalon-2012-credal -o results --docs docs
    """
    ),
)
def report_command(
    name: Name, quick: OfQuick = False, output: ResultsFolder = None, docs: Docs = None
) -> None:
    """Print the results of a study so far, as Markdown."""
    study, folder = _study(name, quick, output)
    with one_sentence():
        if study.plan is not None and not (folder / "results.sqlite").is_file():
            command = f"wager study run {name}{_options(quick, output)}"
            raise ValueError(f"there are no results in {folder}: first run {command}")
        found = study.report(folder)
        say(found.section())
        if docs is not None:
            from wager.experiments import studies
            from wager.experiments.study import write_overview

            found.write(docs)
            write_overview(docs, [studies.get(n) for n in studies.names()])


@dataclass(frozen=True)
class _Entry:
    """A study with the data sets that it needs, and those that are missing."""

    study: Study
    data_sets: tuple[str, ...]
    missing: tuple[str, ...]

    @classmethod
    def of(cls, study: Study, data: str | None) -> _Entry:
        return cls(study, study.data_sets(), study.missing_data(data))

    def text(self) -> str:
        """The name and title of the study, and the rest in indented lines."""
        from textwrap import fill, indent

        study = self.study
        parts = [study.shows, f"Paper: {study.paper}.", f"Time: {_time(study)}."]
        parts.append(f"Data: {self._data()}.")
        wrapped = [
            indent(fill(p, WIDTH - len(INDENT), break_on_hyphens=False), INDENT) for p in parts
        ]
        return "\n".join([f"{study.name}: {study.title}" if study.title else study.name, *wrapped])

    def _data(self) -> str:
        number, missing = len(self.data_sets), len(self.missing)
        if not number:
            return "none" if self.study.plan is None else "generated; no files are needed"
        needed = f"{number} data set{'' if number == 1 else 's'}"
        if number <= SHOWN:
            needed += f" ({', '.join(self.data_sets)})"
        if not missing:
            return f"{needed}, at hand"
        lacking = "not found" if missing == number else f"{missing} of them not found"
        if number > SHOWN or missing < number:
            more = f" and {missing - SHOWN} more" if missing > SHOWN else ""
            lacking += f" ({', '.join(self.missing[:SHOWN])}{more})"
        place = "its" if missing == 1 else "their"
        return f"{needed}, {lacking}: name {place} folder with --data, or use --data openml"

    def row(self) -> list[Any]:
        """The cells of the table."""
        study = self.study
        numbers = [len(self.data_sets), len(self.missing)]
        return [study.name, study.title, study.paper, study.minutes, *numbers, study.shows]

    def record(self) -> list[Any]:
        """The cells of CSV."""
        names = ["|".join(self.data_sets), "|".join(self.missing)]
        return [*self.row()[:4], *names, self.study.shows]

    def to_dict(self) -> dict[str, Any]:
        """The entry of JSON."""
        study = self.study
        return {
            "name": study.name,
            "title": study.title,
            "paper": study.paper,
            "shows": study.shows,
            "minutes": study.minutes,
            "data_sets": list(self.data_sets),
            "missing": list(self.missing),
        }


def _time(study: Study) -> str:
    if study.minutes is None:
        return "not known"
    if study.plan is None:
        return "a few seconds, without a run"
    if study.minutes < 1:
        return "less than a minute on one core"
    return f"about {study.minutes:.0f} minutes on one core; --quick takes less than two minutes"


def _study(name: str, quick: bool, output: Path | None) -> tuple[Study, Path]:
    """The study and the folder of its results."""
    with one_sentence():
        from wager.experiments import studies

        study = studies.get(name)
    return study, output or study.store(quick)


def _require_folder(data: str | None) -> None:
    if data not in (None, "openml") and not Path(data).is_dir():
        raise ValueError(f"--data {data}: there is no such folder; name another one, or openml")


def _options(quick: bool, output: Path | None) -> str:
    """The options that make another command use the same results."""
    return (" --quick" if quick else "") + (f" --out {output}" if output else "")
