"""Watching a prediction log: read what is new, test for drift, keep the state in one JSON file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from wager._atomic import replacing
from wager._tables import View, Viewed, check_classes, limited_text, require_kind
from wager._typing import ArrayLike
from wager._visible import brief, in_one_line, shortened
from wager.compare import Monitor, sets_of
from wager.predictions import LogPlace, read_appended, scan_predictions, size_and_hit
from wager.report._row_tallies import TallySettings, tally_rows
from wager.rewards import Tally, file_sums

_FORMAT, _VERSION = "wager monitor", 1
_LARGEST = 1 << 26  # bytes of a state or a tally


@dataclass(frozen=True, repr=False)
class LogMonitor(Viewed):
    """A monitor, and how far it has read its log.

    Attributes
    ----------
    monitor : Monitor
        Tallies and tests.
    place : LogPlace
        The bytes of the log that were read, and their digest.
    left_out : int
        Rows that lack a value and are left out.
    settings : dict
        The options that began it.
    """

    monitor: Monitor
    place: LogPlace
    left_out: int
    settings: dict[str, Any]

    def _view(self) -> View:
        found = self.monitor._view()
        return replace(found, notes=self.notes())

    def notes(self) -> list[str]:
        """How many rows are left out, if there are any."""
        if not self.left_out:
            return []
        if self.left_out == 1:
            return ["1 row lacks a value and is left out"]
        return [f"{self.left_out:,} rows lack a value and are left out"]

    def to_json(self) -> str:
        """The state as JSON."""
        return json.dumps(
            {
                "format": _FORMAT,
                "version": _VERSION,
                "log": asdict(self.place) | {"left_out": self.left_out},
                "settings": self.settings,
                "monitor": self.monitor.to_dict(),
            },
            indent=1,
        )

    @contextmanager
    def saving(self, state: str | PathLike[str]) -> Iterator[None]:
        """Write the state to a file when the ``with`` block ends, unless it ends with an error.

        So the state is as it was if the results cannot be shown.  A file that cannot be written is
        refused before the block begins.

        Parameters
        ----------
        state : path
            The JSON file that `monitor_log` reads.
        """
        with replacing(state) as draft:
            draft.write_text(self.to_json() + "\n", encoding="utf-8")
            yield

    @classmethod
    def from_json(cls, text: str, name: str = "this") -> LogMonitor:
        """The state that `to_json` wrote.

        Parameters
        ----------
        text : str
            The state.
        name : str, optional
            What to call it in an error.
        """
        try:
            data = json.loads(text)
            if not isinstance(data, dict) or data.get("format") != _FORMAT:
                raise ValueError("it has another format")
            if data.get("version") != _VERSION:
                raise ValueError(f"it has version {brief(data.get('version'))}")
            log = data["log"]
            place = LogPlace(_whole(log["bytes"]), str(log["sha256"]), _whole(log["rows"]))
            left_out, settings = _whole(log["left_out"]), dict(data["settings"])
            _check_reading(settings.get("reading", {}))
            return cls(Monitor.from_dict(data["monitor"]), place, left_out, settings)
        except (LookupError, TypeError, ValueError, RecursionError) as error:
            said = f"{error} is missing" if isinstance(error, KeyError) else str(error)
            said = said.removeprefix("this is not a saved monitor: ")
            shown = in_one_line(str(name))
            raise ValueError(f"{shown} is not the state of a monitor: {said}") from None


def monitor_log(
    log: str | PathLike[str],
    state: str | PathLike[str],
    *,
    reference: str | PathLike[str] | None = None,
    coverage: float | None = None,
    mean_utility: float | None = None,
    utility: str | None = None,
    alpha: float | None = None,
    side: str | None = None,
    window: int | None = None,
    classes: ArrayLike | None = None,
    form: str | None = None,
    columns: Mapping[str, str] | None = None,
    na: str | None = None,
    save: bool = True,
) -> LogMonitor:
    r"""Read what was appended to a log, and write the new state.

    Parameters
    ----------
    log : path
        A prediction file (CSV or JSON Lines) that only grows.
    state : path
        The JSON file with the state; it is written at once, or left as it was.
    reference : path, optional
        A prediction file, or a tally as JSON, of a time when all was well.  A prediction file is
        read as the log is.
    coverage, mean_utility, utility, alpha, side, window
        As for `wager.compare.Monitor.start`.  They belong to the state: later calls need not
        repeat them, and may not change them.
    classes, form, columns, na
        As for `wager.read_predictions`.  They belong to the state, too; later calls may list other
        classes, and may begin or cease to leave out rows.
    save : bool, default=True
        Whether to write the new state.  Otherwise `LogMonitor.saving` can write it later.

    Returns
    -------
    LogMonitor

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     log, state = Path(folder) / "log.csv", Path(folder) / "state.json"
    ...     _ = log.write_text("y_true,y_pred\n" + "a,a\n" * 30)
    ...     first = monitor_log(log, state, coverage=0.9)
    ...     _ = log.write_text(log.read_text() + "a,b\n" * 20)
    ...     second = monitor_log(log, state)
    >>> first.monitor.alerts, second.monitor.rows, len(second.monitor.alerts)
    ((), 50, 1)
    """
    target = Path(state)
    require_kind(columns, "columns", Mapping, type(None))
    reading: dict[str, Any] = {
        "classes": None if classes is None else check_classes(classes).tolist(), "form": form,
        "columns": {role: name for role, name in (columns or {}).items() if name is not None},
        "na": na,
    }  # fmt: skip
    given: dict[str, Any] = {
        "reference": None if reference is None else str(reference), "coverage": coverage,
        "mean_utility": mean_utility, "utility": utility, "alpha": alpha, "side": side,
        "window": window,
    }  # fmt: skip
    if target.exists():
        found = LogMonitor.from_json(_read(target), str(target))
        for name, value in given.items():
            before = found.settings.get(name)
            if value is not None and not _is_same(before, value):
                was = "none" if before is None else in_one_line(str(before))
                raise ValueError(
                    f"{shortened(target)} was begun with {name} {was}, not "
                    f"{shortened(value)}: repeat the options that it was begun with, or name a "
                    "new state"
                )
        reading = _same_reading(target, found.settings.get("reading", {}), reading)
    else:
        reading["na"] = na or "error"
        known = None if reference is None else _tally(Path(reference), reading)
        found = _begin(given, known)
    found = replace(found, settings=found.settings | {"reading": reading})
    monitor, place, left_out = found.monitor, found.place, found.left_out
    parts = read_appended(log, place, **reading)
    for part in parts:
        place, left_out = part.place, left_out + part.left_out
        if part.rows is not None:
            if part.rows.memberships is not None:
                raise ValueError(
                    f"{log}: memberships (m: columns) are not predictions that can be monitored: "
                    "write labels, sets or probabilities"
                )
            monitor = monitor.update_outcomes(*size_and_hit(part.rows.codes, sets_of(part.rows)))
    found = replace(found, monitor=monitor, place=place, left_out=left_out)
    if save:
        with found.saving(target):
            pass
    return found


def _check_reading(found: Any) -> None:
    """Raise if this is not how a log is read."""
    kinds = {"classes": list | None, "form": str | None, "columns": dict, "na": str}
    if not isinstance(found, dict) or (found and found.keys() != kinds.keys()):
        raise ValueError(f"{brief(found)} is not how a log is read")
    for name, value in found.items():
        if not isinstance(value, kinds[name]):
            raise ValueError(f"{brief(value)} is not the {name} of a log")


def _same_reading(
    state: Path, before: Mapping[str, Any], given: Mapping[str, Any]
) -> dict[str, Any]:
    """How the log is read: as before, unless other classes or another `na` are given.

    A state of an earlier version does not say how the log was read.
    """
    form, columns = before.get("form"), before.get("columns", {})
    changed = [("form", form, given["form"])] if given["form"] not in (None, form) else []
    changed += [
        (f"{role} in column", columns.get(role, role), name)
        for role, name in given["columns"].items()
        if columns.get(role, role) != name
    ]
    if before and changed:
        what, was, now = changed[0]
        raise ValueError(
            f"{shortened(state)} was begun with {what} {in_one_line(str(was or 'not given'))}, not "
            f"{shortened(now)}: repeat the options that it was begun with, or name a new state"
        )
    return {
        "classes": before.get("classes") if given["classes"] is None else given["classes"],
        "form": given["form"] or form,
        "columns": {**columns, **given["columns"]},
        "na": given["na"] or before.get("na", "error"),
    }


def _whole(value: Any) -> int:
    if type(value) is not int or not 0 <= value < 2**63:
        raise ValueError(f"{brief(value)} is not a number of rows or bytes")
    return value


def _read(state: Path) -> str:
    """The text of a state; a large file is something else."""
    if state.stat().st_size > _LARGEST:
        raise ValueError(f"{state} is not the state of a monitor: it is too large")
    try:
        return limited_text(state, _LARGEST)
    except UnicodeDecodeError as error:
        raise ValueError(f"{state} is not the state of a monitor: {error}") from None


def _begin(given: Mapping[str, Any], reference: Tally | None) -> LogMonitor:
    usual = {"utility": "u65", "alpha": 0.05, "side": "drop", "window": 1000}
    settings = {**given, **{k: v for k, v in usual.items() if given[k] is None}}
    chosen = {name: value for name, value in settings.items() if name != "reference"}
    monitor = Monitor.start(reference=reference, **chosen)
    return LogMonitor(monitor, LogPlace(), 0, settings)


def _tally(path: Path, reading: Mapping[str, Any]) -> Tally:
    """The tally of a reference: of a file with one, or of a prediction file, read as the log is."""
    if path.suffix.lower() == ".json":
        try:
            return Tally.from_json(limited_text(path, _LARGEST))
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None
    counts = tally_rows(scan_predictions(path, **reading), TallySettings()).counts
    assert counts is not None
    sums = file_sums(counts)
    return Tally.of_sums(len(sums.classes), sums.by_size)


def _is_same(before: Any, value: Any) -> bool:
    """Whether an option is that of the state; numbers may be of another type."""
    if isinstance(before, int | float) and isinstance(value, int | float | np.number):
        return bool(before == value)
    return str(before) == str(value)
