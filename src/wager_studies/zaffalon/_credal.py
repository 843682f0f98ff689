"""Four credal classifiers on 55 data sets, with and without feature selection.

Zaffalon, Corani & Mauá (2012), Section 9.2: Tables 4 to 9 and 12 to 19, Friedman's and Nemenyi's
tests, Figure 6.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from wager._typing import Floats
from wager.compare import ranks
from wager.experiments import Plan
from wager.experiments.study import (
    Claim,
    Comparison,
    Findings,
    Study,
    StudyTable,
    finished_scores,
)
from wager_studies._data_sets import (
    DATA_SETS,
    SELECTED,
    finished_note,
    open_if_few,
    preset,
    with_selection,
)
from wager_studies._published import flags, printed, repairs
from wager_studies.zaffalon._credal_claims import (
    MEASURES,
    NAMES,
    claims_after_selection,
    claims_on_all_features,
    claims_on_squash,
    draw_segments,
)
from wager_studies.zaffalon._runs import errors_over_runs

if TYPE_CHECKING:
    from wager.experiments import ScoreTable, Store

LEARNERS: dict[str, dict[str, Any]] = {
    "NCC": {"learner": "naive-credal", "params": {"epsilon": 0.01}},
    "LNCC": {"learner": "lazy-naive-credal", "params": {"published": True}},
    "CMA": {"learner": "credal-model-averaging"},
    "CDT": {"learner": "credal-tree", "params": {"ties": "weka"}},  # as published
}
# The numbers of the printed tables: the first of the four by data set; median utilities, median
# determinacy, mean ranks.
TABLES = {
    "": (12, "4", "5", "6"),
    SELECTED: (16, "8", "7", "9"),
}
UNIT = 0.01  # of the last printed digit, in per cent
WIDER = 0.015
SQUASH = "squash-stored"

Scores = dict[str, "ScoreTable"]  # by measure


def _plan(data: str | None, quick: bool) -> Plan:
    return Plan(
        **preset(data, quick),
        name="zaffalon-2012-credal",
        learners=with_selection(LEARNERS),
        measures=MEASURES,
    )


def _analyse(store: Store) -> Findings:
    scores = {measure: finished_scores(store, measure) for measure in MEASURES}
    names = scores["u65"].rows
    errors = errors_over_runs(store, names, MEASURES)
    whole_runs = any(np.isfinite(values).any() for values in errors.values())
    cells = [_PrintedTables.of(scores, errors, suffix) for suffix in TABLES]
    tables = [*_tables_of_cells(cells, names)] if whole_runs else []
    comparisons = [c for part in cells for c in part.comparisons()] if whole_runs else []
    tables.append(
        StudyTable(
            "Scores by data set",
            ("data set", "measure", *store.learners),
            list(_by_data_set(scores)),
            shown=False,
        )
    )
    ours = {suffix: _as_printed(scores, suffix) for suffix in TABLES}
    finished = _finished(ours)
    claims: list[Claim] = []
    figures: dict[str, Any] = {}
    if finished.sum() >= 2:
        values = {
            suffix: {m: table[finished] for m, table in part.items()}
            for suffix, part in ours.items()
        }
        kept = [name for name, known in zip(names, finished, strict=True) if known]
        for suffix in TABLES:
            table, of_tables = _summary(values[suffix], suffix, kept)
            tables.append(table)
            comparisons += of_tables
        claims += claims_on_all_features(values[""])
        claims += claims_after_selection(values[""], values[SELECTED], _cma(scores, finished))
        figures["Figure 6"] = partial(draw_segments, values[""]["u50"])
    claims = open_if_few(claims, names)
    if SQUASH in names:
        squash = claims_on_squash({m: store.folds(SQUASH, m) for m in MEASURES})
        claims += squash if whole_runs else open_if_few(squash, ())
    notes = [finished_note(names), NOTE]
    if not whole_runs:
        notes.append(
            "This quick run has one of the ten runs of the cross-validation, so it is not compared "
            "with the printed tables by data set."
        )
    return {
        "tables": [*tables, *([_causes()] if whole_runs else [])],
        "comparisons": comparisons,
        "claims": claims,
        "figures": figures,
        "notes": notes,
    }


NOTE = (
    "Settings that the paper does not describe were found by matching its tables: missing values "
    "replaced once on the file (kept on wisconsin-breast-cancer, mushroom and postoperative), "
    "vowel without its train/test flag, Weka's folds, measures averaged over the 100 folds. The "
    "folds depend on the order of the rows: liver-disorders is used in UCI's order, and spect, "
    "monks-2 and monks3 with the test part before the training part, which gives all their printed "
    "numbers. Published numbers are compared as printed; cells that the text copy has truncated, "
    "garbled or lost are marked, listed and counted apart, and no cell is completed from ours. "
    "Standard errors are over our ten runs. Mean ranks are those of scores rounded to two decimals "
    "of a per cent, as Tables 13 to 19 print them: ranks of the printed scores give all 12 numbers "
    "of Table 6, and unrounded scores do not. In Table 9 the row of u80 is printed with one "
    "decimal, and that of u50 differs through eucalyptus and a tie of LNCC and CDT on hayes-roth. "
    "The printed columns of CMA after selection equal "
    "those before it; Tables 7 to 9 are compared with CMA's column taken in the same way, and "
    "Tables 16 to 19 with CMA after selection."
)

# What differs, by classifier and data sets, with the cause or what was excluded.
CAUSES = (
    (
        "NCC",
        "anneal",
        "cause: the program minimises with a derivative that does not belong to its own function; "
        "with that derivative the print follows, with the right minimum our numbers do",
    ),
    (
        "NCC",
        "median under u80 (Table 4)",
        "cause: anneal; with its printed 81.20 the median is spect's 80.61, with ours waveform's "
        "80.16",
    ),
    (
        "NCC",
        "soybean (determinacy)",
        "the three utilities agree to the last digit, so the same rows are hit with sets of the "
        "same sizes; excluded: folds, order of the rows, discretization, floor, missing values. "
        "Left: a misprint, or sets that miss in both and differ in size",
    ),
    (
        "CDT",
        "vowel (determinacy)",
        "as soybean: the three utilities agree, and 0.06% is 6 of 9,900 predictions",
    ),
    (
        "CDT",
        "solar-flare-m (determinacy)",
        "cause: the text copy has 98.9 instead of two decimals; ours is 98.95 (a truncated cell, "
        "counted apart)",
    ),
    (
        "LNCC after CFS",
        "glass, vowel, anneal, eucalyptus",
        "at most 0.37 in determinacy; a likely cause: exact ties of two classes, frequent with few "
        "features and small counts, which the program's rounding breaks at random. Without "
        "dominance in a tie, as here, determinacy is 80.47 on glass and 98.12 on eucalyptus; with "
        "dominance in every tie 80.89 and 99.21; the print is between (80.52, 98.49). But u50 on "
        "eucalyptus lies outside, and vowel and anneal were not tried. Folds, discretization and "
        "selection are excluded: NCC and CDT agree on the same folds",
    ),
    (
        "LNCC",
        "vowel (0.01 in utilities)",
        "1 of 9,900 predictions; perhaps a tie, as for LNCC after CFS",
    ),
    (
        "CDT",
        "connect-4 (0.01)",
        "cause not known; 0.01% is 7 of 67,557 rows. Excluded: folds, since NCC and CMA agree. "
        "Left: ties between features, which rounding breaks in large nodes",
    ),
    (
        "all",
        "Table 9 (mean ranks after CFS)",
        "under u80 the print has one decimal (2.5, 2.5, 2.4, 2.6); under u50 the printed scores "
        "give 2.418 and 2.382 where 2.41 and 2.39 are printed: half a rank, as if LNCC and CDT "
        "were not tied on hayes-roth (58.44 both); ours differ by eucalyptus as well",
    ),
    (
        "CDT after CFS",
        "monks1, spambase (determinacy)",
        "cells that are garbled in the text copy (repaired, counted apart); the utilities agree",
    ),
    (
        "CMA after CFS",
        "most data sets",
        "cause: the printed columns repeat those without selection on all data sets",
    ),
    (
        "all",
        "liver-disorders, spect, monks-2, monks3",
        "cause: the order of the rows in the file, which changes the folds; in another order all "
        "agree",
    ),
)


def _causes() -> StudyTable:
    return StudyTable(
        "What differs, and why", ("classifier", "data sets", "cause, or what was excluded"), CAUSES
    )


def _columns(table: ScoreTable, learners: list[str]) -> Floats:
    return 100 * np.column_stack([table.column(name) for name in learners])


def _as_printed(scores: Scores, suffix: str) -> dict[str, Floats]:
    """The columns that the paper prints: in both cases CMA without selection."""
    learners = [name if name == "CMA" else name + suffix for name in LEARNERS]
    return {measure: _columns(table, learners) for measure, table in scores.items()}


def _cma(scores: Scores, finished: Any) -> dict[str, tuple[Floats, Floats]]:
    """CMA without and with selection, by measure."""
    return {
        m: (
            100 * table.column("CMA")[finished],
            100 * table.column("CMA" + SELECTED)[finished],
        )
        for m, table in scores.items()
    }


def _finished(ours: dict[str, dict[str, Floats]]) -> Any:
    """The data sets on which every learner has every score."""
    used = [values for part in ours.values() for values in part.values()]
    return np.all([np.isfinite(values) for values in used], axis=(0, 2))


@dataclass(frozen=True, eq=False)
class _PrintedTables:
    """Tables 12 to 15, or 16 to 19, beside ours: by measure, data set and classifier."""

    suffix: str
    published: Floats
    marks: Any
    ours: Floats
    errors: Floats

    @classmethod
    def of(cls, scores: Scores, errors: dict[str, Floats], suffix: str) -> _PrintedTables:
        names = scores["u65"].rows
        own = [name + suffix for name in LEARNERS]
        columns = [scores["u65"].columns.index(name) for name in own]
        published, marks = _printed_cells(suffix, names)
        return cls(
            suffix,
            published,
            marks,
            np.array([_columns(table, own) for table in scores.values()]),
            np.array([100 * errors[m][:, columns] for m in MEASURES]),
        )

    def comparisons(self) -> Iterator[Comparison]:
        first = TABLES[self.suffix][0]
        for j, learner in enumerate(LEARNERS):
            yield Comparison(
                f"Tables {first}-{first + 3}, {learner} (%)",
                self.published[:, :, j],
                self.ours[:, :, j],
                unit=UNIT,
                wider=WIDER,
                standard_errors=self.errors[:, :, j],
                marks=self.marks[:, :, j],
            )

    def agreement(self) -> Iterator[tuple[Any, ...]]:
        """How many data sets have four printed numbers that agree, at half a digit and wider."""
        for j, learner in enumerate(LEARNERS):
            plain = self.marks[:, :, j] == ""
            gap = np.abs(self.ours - self.published)[:, :, j]
            known = np.where(plain, gap, np.nan)
            some = np.isfinite(known).any(axis=0)
            worst = np.nanmax(known[:, some], axis=0, initial=0.0)
            counts = [int((worst <= width + 1e-9).sum()) for width in (UNIT / 2, WIDER)]
            whole = int((plain & np.isfinite(gap)).all(axis=0).sum())
            yield (learner + self.suffix, int(some.sum()), whole, *counts)

    def different(self, names: tuple[str, ...]) -> Iterator[tuple[Any, ...]]:
        """The cells as printed that differ by more than half a digit."""
        for j, learner in enumerate(LEARNERS):
            for i, name in enumerate(names):
                for m, measure in enumerate(MEASURES):
                    paper, ours = self.published[m, i, j], self.ours[m, i, j]
                    if self.marks[m, i, j] == "" and abs(paper - ours) > UNIT / 2 + 1e-9:
                        z = (ours - paper) / self.errors[m, i, j] if self.errors[m, i, j] else 0.0
                        yield (learner + self.suffix, name, measure, paper, ours, z)


def _printed_cells(suffix: str, names: tuple[str, ...]) -> tuple[Floats, Any]:
    """The cells of four tables as printed, and the marks of those that are not as printed."""
    first, file, keys = TABLES[suffix][0], "zaffalon2012_tables12_19", ("dataset", "classifier")
    cells = np.full((4, len(names), 4), np.nan)
    marks = np.full(cells.shape, "", dtype=object)
    for i in range(4):
        table = printed(file, str(first + i), *keys)
        doubts = flags(file, str(first + i), *keys)
        for j, name in enumerate(names):
            for k, learner in enumerate(LEARNERS):
                cells[i, j, k] = table.get((name, learner), np.nan)
                marks[i, j, k] = doubts.get((name, learner), "")
    return cells, marks


def _tables_of_cells(cells: list[_PrintedTables], names: tuple[str, ...]) -> Iterator[StudyTable]:
    yield StudyTable(
        "Data sets on which all printed numbers agree",
        (
            "classifier",
            "data sets",
            "with all four cells as printed",
            "agree to half a digit (0.005)",
            "within 0.015",
        ),
        [row for part in cells for row in part.agreement()],
    )
    yield StudyTable(
        "Where they differ by more than half a digit",
        ("classifier", "data set", "measure", "printed", "ours", "in standard errors"),
        [row for part in cells for row in part.different(names)],
    )
    yield StudyTable(
        "Printed cells that were truncated, garbled or lost",
        ("table", "data set", "classifier", "value used", "ours", "mark", "reason"),
        list(_marked(cells, names)),
    )


def _marked(cells: list[_PrintedTables], names: tuple[str, ...]) -> Iterator[tuple[Any, ...]]:
    firsts = [TABLES[part.suffix][0] for part in cells]
    for table, name, learner, mark, reason in repairs("zaffalon2012_repairs"):
        if name not in names:
            continue
        part, first = next(
            (part, first) for part, first in zip(cells, firsts, strict=True)
            if first <= int(table) < first + 4
        )  # fmt: skip
        at = int(table) - first, names.index(name), list(LEARNERS).index(learner)
        yield (table, name, learner, part.published[at], part.ours[at], mark, reason)


def _by_data_set(scores: Scores) -> Iterator[tuple[Any, ...]]:
    for i, name in enumerate(scores["u65"].rows):
        for measure in MEASURES:
            yield (name, measure, *(100 * scores[measure].values[i]).tolist())


def _summary(
    values: dict[str, Floats], suffix: str, names: list[str]
) -> tuple[StudyTable, list[Comparison]]:
    """Medians and mean ranks beside the printed ones.

    With all data sets they are compared with Tables 4 to 9; with some of them, with medians and
    ranks of the same data sets in Tables 12 to 19.
    """
    first, medians, determinacy, mean_ranks = TABLES[suffix]
    whole = len(names) == len(DATA_SETS)
    paper = _printed_summary(suffix) if whole else _recomputed(suffix, names)
    found: dict[str, Floats] = {"determinacy": np.median(values["determinacy"], axis=0)}
    rows = []
    for u in MEASURES[1:]:
        found[f"median {u}"] = np.median(values[u], axis=0) / 100
        found[f"rank {u}"] = ranks(np.round(values[u], 2)).mean(axis=0)
        exact = ranks(values[u]).mean(axis=0)
        for what, ours in (
            (f"median of {u}", found[f"median {u}"]),
            (f"mean rank under {u}", found[f"rank {u}"]),
        ):
            key = what.replace(" of", "").replace("mean ", "").replace(" under", "")
            rows.append((what, *ours.tolist(), *paper[key]))
        rows.append((f"mean rank under {u}, scores not rounded", *exact.tolist(), *[np.nan] * 4))
    rows.append(("median determinacy", *found["determinacy"].tolist(), *paper["determinacy"]))

    def compared(what: str, kind: str, unit: float, wider: float | None = None) -> Comparison:
        keys = [f"{kind} {u}" for u in MEASURES[1:]]
        return Comparison(
            what, [paper[k] for k in keys], [found[k] for k in keys], unit=unit, wider=wider
        )

    if whole:
        pairs = [
            compared(f"Table {medians} (median utility)", "median", 0.01),
            Comparison(
                f"Table {determinacy} (median determinacy, %)", paper["determinacy"],
                found["determinacy"], unit=UNIT, wider=WIDER,
            ),
            compared(f"Table {mean_ranks} (mean rank of rounded scores)", "rank", 0.01, 0.015),
        ]  # fmt: skip
    else:
        tables = f"Tables {first}-{first + 3}, the same {len(names)} data sets"
        pairs = [compared(f"median utility, {tables}", "median", 0.01)]
    title = "after feature selection" if suffix else "no feature selection"
    headers = ("statistic", *NAMES, *(f"{name} printed" for name in NAMES))
    return StudyTable(f"Medians and mean ranks, {title}", headers, rows), pairs


def _printed_summary(suffix: str) -> dict[str, list[float]]:
    """Tables 4 to 6, or 7 to 9."""
    _, medians, determinacy, mean_ranks = TABLES[suffix]
    file = "zaffalon2012_tables4_11"
    found = {"determinacy": [printed(file, determinacy, "classifier")[name,] for name in NAMES]}
    for kind, number in (("median", medians), ("rank", mean_ranks)):
        table = printed(file, number, "dataset", "classifier")
        for u in MEASURES[1:]:
            found[f"{kind} {u}"] = [table[f"all|{u}", name] for name in NAMES]
    return found


def _recomputed(suffix: str, names: list[str]) -> dict[str, list[float]]:
    """The same from the printed tables by data set, for some of the data sets."""
    cells, _ = _printed_cells(suffix, tuple(names))
    found = {"determinacy": np.nanmedian(cells[0], axis=0).tolist()}
    for u, table in zip(MEASURES[1:], cells[1:], strict=True):
        whole = table[np.isfinite(table).all(axis=1)]
        found[f"median {u}"] = (np.median(whole, axis=0) / 100).tolist()
        found[f"rank {u}"] = ranks(whole).mean(axis=0).tolist()
    return found


STUDY = Study(
    "zaffalon-2012-credal",
    "Zaffalon, Corani & Mauá (2012), Section 9.2",
    "Four credal classifiers on 55 data sets, ten runs of ten folds, with and without feature "
    "selection: determinacy, expected utility, and significant differences.",
    _analyse,
    _plan,
    title="Four credal classifiers on 55 data sets",
    minutes=18.0,
    page="zaffalon-2012",
    draws_as_paper=True,
)
