"""Watching one classifier in production: tallies of windows, and tests of drift at all times.

The state has a constant size however many rows it has seen: a tally of all rows, tallies of the
latest windows, and for each test what its bettors own.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from os import PathLike
from typing import Any, Literal

import numpy as np

from wager._tables import (
    Table,
    View,
    Viewed,
    is_one_of,
    real_number,
    real_numbers,
    require_kind,
    require_whole,
)
from wager._typing import ArrayLike, Bools, Ints
from wager._visible import brief
from wager.compare._drift import DriftTest
from wager.compare._outcome import check_alpha
from wager.predictions import align, size_and_hit
from wager.rewards import CellSums, Tally, UtilityLike, get_utility

Side = Literal["drop", "both"]
_WINDOWS = 20  # of which tallies are kept
_SMALL = 64  # a set of more classes is worth about as little as a miss
_LARGEST_SET = 1 << 22  # classes in a set of a state that is read: tables have a line per size
_MOST_ROWS = 2**63 - 1
_FORMAT, _VERSION = "wager monitor", 1
Cells = tuple[tuple[int, int, int], ...]  # size, misses, hits


def _counted(size: Ints, hit: Bools) -> Cells:
    cells, counts = np.unique(2 * size.astype(np.int64) + hit, return_counts=True)
    found: dict[int, list[int]] = {}
    for cell, count in zip(cells.tolist(), counts.tolist(), strict=True):
        found.setdefault(cell // 2, [0, 0])[cell % 2] = count
    return tuple((k, misses, hits) for k, (misses, hits) in found.items())


def _added(first: Cells, second: Cells) -> Cells:
    found = {k: [misses, hits] for k, misses, hits in first}
    for k, misses, hits in second:
        old = found.setdefault(k, [0, 0])
        old[0], old[1] = old[0] + misses, old[1] + hits
    return tuple((k, found[k][0], found[k][1]) for k in sorted(found))


def _tally(cells: Cells) -> Tally:
    entries = [(2 * k + h, n) for k, *pair in cells for h, n in enumerate(pair) if n]
    numbers, totals = (np.array(column, dtype=np.int64) for column in zip(*entries, strict=True))
    n_classes = max(2, *(k for k, *_ in cells)) if cells else 2
    return Tally.of_sums(n_classes, CellSums(numbers, totals))


def _checked_outcomes(size: Any, hit: Any) -> tuple[Ints, Bools]:
    """Sizes of sets and whether they hit, one of each per row."""
    sizes, hits = real_numbers(size, "size"), real_numbers(hit, "hit")
    if sizes.ndim != 1 or sizes.shape != hits.shape:
        raise ValueError(
            f"size and hit must have one value per row, got the shapes {sizes.shape} and "
            f"{hits.shape}: give both for the same rows"
        )
    if not ((sizes >= 0) & (sizes <= _LARGEST_SET) & (sizes == np.floor(sizes))).all():
        raise ValueError(
            f"size must be whole numbers from 0 to {_LARGEST_SET:,}: count the classes"
        )
    if not ((hits == 0) | (hits == 1)).all():
        raise ValueError("hit must be true or false for every row")
    if ((hits == 1) & (sizes == 0)).any():
        row = int(((hits == 1) & (sizes == 0)).argmax())
        raise ValueError(f"row {row} has an empty set that contains the true class: check size")
    return sizes.astype(np.int64), hits == 1


@dataclass(frozen=True, repr=False)
class Window(Viewed):
    """The rows of a window, counted by set size and hit.

    Parameters
    ----------
    start : int
        The number of rows before the window.
    cells : tuple of (size, misses, hits)
        How often each set size occurred.
    """

    start: int
    cells: Cells

    @property
    def n(self) -> int:
        """The number of rows."""
        return sum(misses + hits for _, misses, hits in self.cells)

    @property
    def tally(self) -> Tally:
        """The counts as a tally, for every measure of sets."""
        return _tally(self.cells)

    def _view(self) -> View:
        rows = [list(cell) for cell in self.cells]
        title = f"rows {self.start + 1:,} to {self.start + self.n:,}"
        return View(title, [Table(["size", "misses", "hits"], rows)])


@dataclass(frozen=True, repr=False)
class Monitor(Viewed):
    """The state of watching a classifier; `start` begins, `update` goes on.

    Attributes
    ----------
    tests : tuple of DriftTest
        Coverage and mean utility against their targets.
    utility : str
        The name of the utility, or the path of its file.
    window : int
        Rows per window.
    total : Window
        All rows.
    windows : tuple of Window
        The latest windows, the last of which may be incomplete.

    References
    ----------
    Waudby-Smith, I. & Ramdas, A. (2024). Estimating means of bounded random variables by betting.
    Journal of the Royal Statistical Society B 86.

    Shin, J., Ramdas, A. & Rinaldo, A. (2024). E-detectors: a nonparametric framework for sequential
    change detection. New England Journal of Statistics in Data Science 2.

    Examples
    --------
    >>> monitor = Monitor.start(coverage=0.9, window=100)
    >>> monitor = monitor.update(["a"] * 60, [["a", "b"]] * 40 + [["b"]] * 20)
    >>> monitor.rows, [test.alert_at for test in monitor.alerts]
    (60, [54])
    """

    tests: tuple[DriftTest, ...]
    utility: str = "u65"
    window: int = 1000
    total: Window = Window(0, ())
    windows: tuple[Window, ...] = ()

    @classmethod
    def start(
        cls,
        *,
        coverage: float | None = None,
        mean_utility: float | None = None,
        reference: Tally | None = None,
        utility: UtilityLike = "u65",
        alpha: float = 0.05,
        side: Side = "drop",
        window: int = 1000,
    ) -> Monitor:
        """Begin to watch, before the first row.

        Parameters
        ----------
        coverage : float, optional
            The promised share of sets that contain the true class.
        mean_utility : float, optional
            The mean utility that is expected.
        reference : Tally, optional
            Rows of a time when all was well: coverage and utility are compared with its, unless
            they are given, and half of alpha allows for the uncertainty of the reference.
        utility : utility, default="u65"
            The utility of a prediction.
        alpha : float, default=0.05
            The probability of any alert, ever, if nothing changes, is at most alpha.
        side : {"drop", "both"}, default="drop"
            Whether values above the targets raise an alert as well.
        window : int, default=1000
            Rows per window.
        """
        check_alpha(alpha)
        window = require_whole(window, "window", 1)
        if not is_one_of(side, ("drop", "both")):
            raise ValueError(f"side must be 'drop' or 'both', got {brief(side)}")
        u = get_utility(utility)
        worth = u.of_size(np.arange(int(min(_SMALL, u.largest_size)) + 1))
        bounds = (float(worth.min()), float(worth.max()))
        if not np.isfinite(worth).all() or bounds[0] == bounds[1]:
            raise ValueError(f"{u.name} has no finite range: monitor another utility")
        wanted: list[tuple[str, float | None, Any, tuple[float, float]]] = []
        if coverage is not None or reference is not None:
            wanted.append(("coverage", coverage, "coverage", (0.0, 1.0)))
        if mean_utility is not None or reference is not None:
            wanted.append((u.name, mean_utility, u, bounds))
        if not wanted:
            raise ValueError(
                "there is nothing to compare with: give a reference (--reference), a coverage "
                "(--coverage) or a mean utility (--target)"
            )
        if reference is not None:
            require_kind(reference, "reference", Tally)
            if coverage is not None and mean_utility is not None:
                raise ValueError(
                    "a reference has no effect beside a coverage and a mean utility (--target): "
                    "leave one of the three out"
                )
        each = alpha / len(wanted) / (2 if side == "both" else 1)
        tests = []
        for name, value, score, (low, high) in wanted:
            for rise in (False, True)[: 2 if side == "both" else 1]:
                if value is None:
                    assert reference is not None
                    reference.require_rows()
                    # one end of this interval is wrong with half of the probability
                    ends = reference.score(score).interval(1 - each)
                    tests.append(DriftTest(name, ends[rise], rise, each / 2, (low, high)))
                elif low < real_number(value, name) < high:
                    tests.append(DriftTest(name, float(value), rise, each, (low, high)))
                else:
                    is_percent = name == "coverage" and 1 < value < 100
                    cure = f": {value:g}% is {value / 100:g}" if is_percent else ""
                    raise ValueError(
                        f"the target of {name} must lie between {low:g} and {high:g}, got "
                        f"{float(value):g}{cure}"
                    )
        described = str(utility) if isinstance(utility, str | float | PathLike) else u.name
        try:
            is_known = get_utility(described) == u
        except ValueError:  # no utility has this name
            is_known = False
        if not is_known:
            raise ValueError(f"{u.name} cannot be stored: pass its name, or write it to a file")
        return cls(tuple(tests), described, window)

    # -- rows ----------------------------------------------------------------------------------

    def update(self, y_true: Any, y_pred: Any, classes: ArrayLike | None = None) -> Monitor:
        """The state after more rows.

        Parameters
        ----------
        y_true, y_pred, classes
            As for `wager.evaluate_sets`, in the order of arrival.
        """
        codes, sets = align(y_true, y_pred, classes)
        return self.update_outcomes(*size_and_hit(codes, sets))

    def update_outcomes(self, size: Ints, hit: Bools) -> Monitor:
        """The state after more rows, given the sizes of their sets and whether they hit.

        Parameters
        ----------
        size, hit : array of shape (n,)
            The number of classes in each set, and whether the true class is among them.
        """
        size, hit = _checked_outcomes(size, hit)
        if len(size) == 0:
            return self
        u = get_utility(self.utility)
        worth = u.of_size(np.arange(int(size.max()) + 1))
        values = {"coverage": hit.astype(float), u.name: worth[np.where(hit, size, 0)]}
        tests = tuple(test.follow(values[test.measure]) for test in self.tests)
        total = Window(0, _added(self.total.cells, _counted(size, hit)))
        return replace(self, tests=tests, total=total, windows=self._windows(size, hit))

    def _windows(self, size: Ints, hit: Bools) -> tuple[Window, ...]:
        done, found = self.rows, list(self.windows)
        first = -(-done // self.window) * self.window - done  # where the next window begins
        ends = [0, *range(first or self.window, len(size), self.window), len(size)]
        for start, end in pairwise(ends):
            cells = _counted(size[start:end], hit[start:end])
            if (done + start) % self.window == 0:
                found.append(Window(done + start, cells))
            else:
                found[-1] = Window(found[-1].start, _added(found[-1].cells, cells))
        return tuple(found[-_WINDOWS:])

    # -- results -------------------------------------------------------------------------------

    @property
    def rows(self) -> int:
        """The number of rows seen."""
        return self.total.n

    @property
    def alerts(self) -> tuple[DriftTest, ...]:
        """The tests that have raised an alert."""
        return tuple(test for test in self.tests if test.is_alert)

    @property
    def utility_name(self) -> str:
        """The name of the utility."""
        return get_utility(self.utility).name

    def sentences(self) -> list[str]:
        """The state of each test, in words; alerts come first."""
        if self.rows == 0:
            return ["no rows yet"]
        return [t.sentence() for t in sorted(self.tests, key=lambda test: not test.is_alert)]

    def table(self, level: float = 0.95) -> tuple[list[str], list[list[Any]]]:
        """Header and rows: the windows and all rows, with coverage and utility.

        Parameters
        ----------
        level : float, default=0.95
            The confidence level of the intervals, of each window alone.
        """
        header = [
            "rows",
            "n",
            "mean size",
            "coverage",
            "from",
            "to",
            self.utility_name,
            "from",
            "to",
        ]
        return header, [self._line(part, level) for part in (*self.windows, self.total) if part.n]

    def _line(self, part: Window, level: float) -> list[Any]:
        tally = part.tally
        where = "all" if part is self.total else f"{part.start + 1}-{part.start + part.n}"
        cells: list[Any] = [where, part.n, tally.score("mean_set_size").value]
        for found in (tally.score("coverage"), tally.score(get_utility(self.utility))):
            cells += [found.value, *found.interval(level)]
        return cells

    def _view(self) -> View:
        tables = [Table(*self.table())] if self.rows else []
        return View("monitor", tables, verdict=self.sentences())

    # -- storage -------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """The state as plain data."""
        return {
            "utility": self.utility,
            "window": self.window,
            "tests": [test.to_dict() for test in self.tests],
            "total": [list(cell) for cell in self.total.cells],
            "windows": [
                {"start": part.start, "cells": [list(cell) for cell in part.cells]}
                for part in self.windows
            ],
        }

    def to_json(self) -> str:
        """The state as one line of JSON, to go on later or elsewhere."""
        return json.dumps({"format": _FORMAT, "version": _VERSION} | self.to_dict())

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Monitor:
        """The state that `to_dict` wrote.

        The utility may be the path of a ``.toml`` file, which is then read.
        """
        try:
            if not isinstance(data, Mapping):
                raise TypeError(f"it is of type {type(data).__name__}, not a dictionary")
            found = cls(
                tuple(DriftTest.from_dict(test) for test in data["tests"]),
                str(data["utility"]),
                _whole(data["window"], least=1),
                Window(0, _read_cells(data["total"])),
                tuple(
                    Window(_whole(part["start"]), _read_cells(part["cells"]))
                    for part in data["windows"]
                ),
            )
            found._require_sound()
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            raise ValueError(f"this is not a saved monitor: {error}") from None
        return found

    def _require_sound(self) -> None:
        """Refuse a state that no rows lead to: the numbers of a file may be anything."""
        unknown = {test.measure for test in self.tests} - {"coverage", self.utility_name}
        if not self.tests:
            raise ValueError("it tests nothing")
        if unknown:
            raise ValueError(f"it has a test of {min(unknown)}, which is not measured")
        begun = range(0, self.rows, self.window)[-_WINDOWS:]
        if [part.start for part in self.windows] != list(begun) or any(
            part.n != min(self.window, self.rows - part.start) for part in self.windows
        ):
            raise ValueError("its windows do not add up to its rows")

    @classmethod
    def from_json(cls, text: str) -> Monitor:
        """The state that `to_json` wrote."""
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"this is not a saved monitor: {error}") from None
        if not isinstance(data, dict) or data.get("format") != _FORMAT:
            raise ValueError("this is not a saved monitor: it has another format")
        return cls.from_dict(data)


def _read_cells(data: list[list[int]]) -> Cells:
    cells = tuple(
        (_whole(k, most=_LARGEST_SET), _whole(misses), _whole(hits)) for k, misses, hits in data
    )
    if len({k for k, *_ in cells}) < len(cells):
        raise ValueError("a set size occurs twice")
    if sum(misses + hits for _, misses, hits in cells) > _MOST_ROWS:
        raise ValueError("it has more rows than can be counted")
    return cells


def _whole(value: Any, least: int = 0, most: int = _MOST_ROWS) -> int:
    if type(value) is not int or not least <= value <= most:
        raise ValueError(f"{brief(value)} is not a whole number from {least} to {most}")
    return value
