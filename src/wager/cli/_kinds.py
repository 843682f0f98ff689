"""Whether ``wager compare`` compares files as probabilities or as sets, and how it says so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Annotated

from wager.cli._options import option
from wager.cli._render import Printout

if TYPE_CHECKING:
    from wager.predictions import PredictionFile

TEXT_WIDTH = 100  # characters of a line of text

Clip = Annotated[
    float | None,
    option(
        "--clip",
        "NUMBER",
        "For probabilities: clip them to [clip, 1 - clip] before taking logarithms, such as "
        "1e-6, so that log loss and information reward are finite.",
    ),
]


def opened(
    files: Sequence[Path],
    classes: Sequence[str] | None,
    form: str | None,
    columns: Mapping[str, str],
) -> list[PredictionFile]:
    """The files, open, with the predictions by which each is compared."""
    from wager.predictions import scan_sets

    found: list[PredictionFile] = []
    for path in files:
        beside = found[0] if found else None
        found.append(scan_sets(path, classes, form=form, columns=columns, beside=beside))
    return found


def holds_parquet(folder: Path) -> bool:
    """Whether a folder holds predictions as Parquet files, and not the results of a run."""
    from wager.predictions import parquet_files

    return not (folder / "results.sqlite").is_file() and bool(parquet_files(folder))


def as_probabilities(kinds: Sequence[str], **options: object) -> bool:
    """Whether all files hold probabilities, and no option asks for sets.

    Parameters
    ----------
    kinds : sequence of str
        The kinds of the files.
    **options
        The options that are about sets: None or False if they were not given.
    """
    return set(kinds) == {"proba"} and not any(
        value is not None and value is not False for value in options.values()
    )


def refuse_for_sets(**options: object) -> None:
    """Raise a ValueError if an option about probabilities is given although sets are compared."""
    for name, value in options.items():
        if value is not None:
            raise ValueError(
                f"--{name} is for files that are compared by their probabilities: give p: columns "
                "in every file, and no option about sets such as --utility"
            )


def with_kinds(printout: Printout, kinds: Sequence[str], names: Sequence[str]) -> Printout:
    """The result with a remark, if sets were made of other predictions."""
    remark = _remark(kinds, names)
    if remark is None:
        return printout
    text = printout.text
    assert text is not None
    return replace(
        printout,
        remarks=[*printout.remarks, remark],
        text=lambda: f"{text()}\n\n{fill(remark, TEXT_WIDTH, break_on_hyphens=False)}",
        data={**printout.data, "compared_as": "sets", "remark": remark},
    )


def _remark(kinds: Sequence[str], names: Sequence[str]) -> str | None:
    from wager.compare import listed

    parts = []
    for kind, what, how in (
        ("proba", "probabilities", "the most probable class of each row"),
        (
            "memberships",
            "memberships",
            "the class of the largest membership in each row, which does not depend on how "
            "scores become memberships",
        ),
    ):
        of_kind = [name for name, one in zip(names, kinds, strict=True) if one == kind]
        if of_kind:
            parts.append(f"the {what} of {listed(of_kind)} are compared as sets, by {how}")
    if not parts:
        return None
    if set(kinds) == {"proba"}:
        parts.append("without options about sets, the probabilities themselves are compared")
    elif "proba" in kinds:
        parts.append("probabilities are compared if all files have them")
    return "; ".join(parts)
