"""A record of the runs of studies, and of what differed from the stored tables.

A whole run of all studies takes hours, so it may be done in parts: the record has one row per study
and seed, and a later run of the same study with the same seed replaces its row.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import asdict, astuple, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING

from wager._atomic import replacing

if TYPE_CHECKING:
    from wager.experiments.study._study import Study

__all__ = ["STORED_SEED", "StudyRun", "read_runs", "record_run", "runs_table"]

STORED_SEED = 1  # that of all plans, and so of the stored tables


@dataclass(frozen=True)
class StudyRun:
    """One run of a study.

    Attributes
    ----------
    study : str
    seed : int
    fits : int
        The number of fits that the run has results of; 0 for a study without a run.
    failed : int
        The number of fits that failed.
    compared : int
        The number of cells that were compared: all of them with the seed of the stored tables,
        otherwise verdicts and answers.
    different : int
        The number of differences.
    """

    study: str
    seed: int
    fits: int
    failed: int
    compared: int
    different: int


def utf8_text(path: Path) -> str:
    """The text of a file with its line ends, or a ValueError that names the file."""
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        raise ValueError(f"{path} is not UTF-8 text: save it as UTF-8") from None


def read_runs(path: Path) -> list[StudyRun]:
    """The runs of a record; none if the file does not exist."""
    if not path.is_file():
        return []
    names = [field.name for field in fields(StudyRun)]
    with io.StringIO(utf8_text(path), newline="") as file:
        rows = csv.DictReader(file)
        if rows.fieldnames != names:
            raise ValueError(
                f"{path} is not a record of runs, whose columns are {', '.join(names)}: name "
                "another file"
            )
        try:
            return [
                StudyRun(row["study"], *(int(row[name] or "") for name in names[1:]))
                for row in rows
            ]
        except ValueError:
            raise ValueError(
                f"{path} has a cell that is not a whole number in line {rows.line_num}: correct "
                "it, or name another file"
            ) from None


def record_run(path: Path, run: StudyRun) -> None:
    """Add a run to a record, or replace the run of the same study with the same seed.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp(), "runs.csv")
    >>> record_run(path, StudyRun("zaffalon-2012-credal", 1, 44000, 0, 2310, 0))
    >>> record_run(path, StudyRun("zaffalon-2012-credal", 1, 44000, 0, 2312, 1))
    >>> [run.different for run in read_runs(path)]
    [1]
    """
    runs = {(each.study, each.seed): each for each in read_runs(path)}
    runs[run.study, run.seed] = run
    with replacing(path) as draft, draft.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(asdict(run))
        writer.writerows(astuple(runs[key]) for key in sorted(runs))


def runs_table(runs: Iterable[StudyRun], studies: Iterable[Study]) -> str:
    """The runs of all studies in Markdown, with a column for the stored and for other seeds.

    Examples
    --------
    >>> from wager.experiments import studies
    >>> study = studies.get("zaffalon-2012-rejection")
    >>> runs = [StudyRun(study.name, 1, 900, 0, 75, 0), StudyRun(study.name, 2, 900, 0, 4, 1)]
    >>> print(runs_table(runs, [study]))
    | study | fits | the same seed: cells that differ | seed 2: verdicts and answers that differ |
    | --- | ---: | ---: | ---: |
    | `zaffalon-2012-rejection` | 900 | 0 of 75 | 1 of 4 |
    """
    found = {(run.study, run.seed): run for run in runs}
    others = sorted({seed for _, seed in found} - {STORED_SEED})
    header = ["study", "fits", "the same seed: cells that differ"]
    header += [f"seed {seed}: verdicts and answers that differ" for seed in others]
    lines = [_line(header), _line(["---", *["---:"] * (len(header) - 1)])]
    for study in studies:
        done = [found.get((study.name, seed)) for seed in (STORED_SEED, *others)]
        if not any(done):
            continue
        fits = max(run.fits for run in done if run is not None)
        cells = [_differing(run) for run in done]
        if study.draws_as_paper:
            cells[1:] = ["random numbers of the paper"] * len(others)
        lines.append(_line([f"`{study.name}`", f"{fits:,}", *cells]))
    return "\n".join(lines)


def _differing(run: StudyRun | None) -> str:
    if run is None:
        return "not run"
    failed = f", {run.failed:,} fits failed" if run.failed else ""
    return f"{run.different:,} of {run.compared:,}{failed}"


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
