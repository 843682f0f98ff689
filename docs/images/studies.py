"""Draw the figures of the studies from docs/results: ``python docs/images/studies.py``.

`wager study report NAME --docs docs` draws the same figures from the results of a run, which takes
hours for some studies.  This script reads the tables that such a report has written and passes them
to the same functions, so that a change of style needs no run.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from wager.compare import nemenyi_of_ranks
from wager.experiments import studies
from wager.experiments.study import slug
from wager.partitions import standardize
from wager.plots import save
from wager_studies.findings import (
    _figures as findings,
    _plan as methods,
    _robustness,
    _tuned_caution as tuning,
)
from wager_studies.findings._guarantee import checks_of
from wager_studies.findings._utility_lines import UtilityLines
from wager_studies.hope_korb import _artificial, _metametric, _settings, _uci
from wager_studies.sondhauss_weihs import _data, _example, _networks
from wager_studies.yang import (
    _betting,
    _calibration,
    _comparison,
    _exact_costs,
    _ordinal_data,
    _tuned_costs,
)
from wager_studies.zaffalon import (
    _artificial as models,
    _credal,
    _ignorance,
    _krkp,
    _lower_probability_sets as groups,
    _nbc_ncc,
    _ndc,
    _ndc_size,
    _rejection,
    _zero_counts,
)

HERE = Path(__file__).parent
RESULTS = HERE.parent / "results"
Figures = Iterator[tuple[str, Callable[[], Any]]]


class Table:
    """A stored table: text by column, numbers on demand, rows chosen by their values."""

    def __init__(self, header: list[str], rows: list[list[str]]) -> None:
        self.header, self.rows = header, rows

    @classmethod
    def read(cls, study: str, name: str) -> Table:
        """A table of a study, by the name of its file."""
        with (RESULTS / study / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            header, *rows = csv.reader(file)
        return cls(header, rows)

    def where(self, **values: Any) -> Table:
        """The rows with these values; underscores in a name stand for spaces."""
        places = {self.header.index(n.replace("_", " ")): str(v) for n, v in values.items()}
        kept = [row for row in self.rows if all(row[i] == v for i, v in places.items())]
        return Table(self.header, kept)

    def text(self, column: str) -> list[str]:
        """The cells of a column."""
        place = self.header.index(column)
        return [row[place] for row in self.rows]

    def numbers(self, *columns: str) -> np.ndarray:
        """One column as an array, several as a matrix; an empty cell is NaN."""
        found = [[float(cell or "nan") for cell in self.text(column)] for column in columns]
        return np.array(found[0] if len(columns) == 1 else np.transpose(found))


def computed(study: str) -> Figures:
    """The figures of a study that needs no run."""
    yield from studies.get(study).report("").figures.items()


def betting_general_costs() -> Figures:
    """What bets secure, without the search for properties that the study makes beside it."""
    yield "What a bet secures", partial(_betting.draw, _betting.every_bet())


def conformal_vs_credal() -> Figures:
    """Gains, coverage and ranks of conformal and credal sets."""
    read = partial(Table.read, "conformal-vs-credal")
    table = read("scores-by-data-set-per-cent")
    measures = {m: table.where(measure=m) for m in dict.fromkeys(table.text("measure"))}
    scores = {
        measure: {
            name: rows.numbers(name) / (1 if "size" in measure else 100)
            for name in table.header[2:]
        }
        for measure, rows in measures.items()
    }
    lines = [
        UtilityLines.of(list(kind), *(measures[u].numbers(*kind) / 100 for u in ("u50", "u80")))
        for kind in (methods.BAYES, methods.FOREST)
    ]
    rows = read("rows")
    checks = checks_of(scores["coverage"], rows.numbers("rows"), rows.numbers("training rows"))
    yield "Gain by utility", partial(findings.draw_profiles, *lines)
    yield "Coverage and size", partial(findings.draw_tradeoff, scores)
    yield "Coverage and promise", partial(findings.draw_coverage, checks)
    for title, name in (
        ("Mean ranks", "around-naive-bayes-means-over-the-data-sets-per-cent"),
        (
            "Mean ranks around a random forest",
            "around-a-random-forest-means-over-the-data-sets-per-cent",
        ),
    ):
        means, n = read(name), len(rows.rows)
        found = {
            u: nemenyi_of_ranks(means.numbers(f"rank {u}"), n, means.text("method"))
            for u in ("u65", "u80")
        }
        yield title, partial(findings.draw_comparisons, found)


def robustness_ranks_errors() -> Figures:
    """From the AUGRC of every score on every data set."""
    table = Table.read("robustness-ranks-errors", "augrc-by-data-set-per-cent")
    values = {name: table.numbers(name) / 100 for name in table.header[1:]}
    yield "AUGRC by data set", partial(_robustness.draw, values)


def hope_korb_2004_artificial() -> Figures:
    """Rewards on generated models of three families."""
    table = Table.read("hope-korb-2004-artificial", "mean-reward-with-intervals")
    for i, family in enumerate(dict.fromkeys(table.text("models"))):
        rows = table.where(models=family)
        shape = (len(_artificial.COMPARED), len(_artificial.SIZES))
        mean, half = (rows.numbers(name).reshape(shape) for name in table.header[4:])
        draw = partial(_artificial.draw_family, family, int(rows.numbers("number")[0]), mean, half)
        yield f"Figure {2 + i}: {family} models", draw


def hope_korb_2004_settings() -> Figures:
    """Rewards of AODE by its limit, on models of three families."""
    table = Table.read("hope-korb-2004-settings", "mean-information-reward-bits-by-setting")
    means = {
        family: table.where(models=family).numbers(*_settings.EVERYONE).T
        for family in dict.fromkeys(table.text("models"))
    }
    yield "AODE by its limit", partial(_settings.draw_limits, means)


def hope_korb_2004_uci() -> Figures:
    """Our scores beside the published ones, and mean ranks."""
    a1, a2, bits = (
        Table.read("hope-korb-2004-uci", name)
        for name in ("a-1-in-its-unit", "a-2-accuracy", "information-reward-bits")
    )
    learners = tuple(bits.header[1:])
    printed = [f"{learner} printed" for learner in learners]
    yield (
        "Raw scores",
        partial(
            _uci.draw_scores,
            learners,
            a2.numbers(*printed),
            a2.numbers(*learners),
            a1.numbers(*printed),
            a1.numbers(*learners),
        ),
    )
    means = {"information_reward": bits.numbers(*learners), "accuracy": a2.numbers(*learners)}
    yield "Mean ranks", partial(_uci.draw_ranks, means, list(learners))


def hope_korb_metametric() -> Figures:
    """How often each metric ranks pairs as the truth does."""
    table = Table.read("hope-korb-metametric", "all-shares")
    sizes = [int(size) for size in dict.fromkeys(table.text("test rows"))]
    shares = {
        truth: np.array(
            [table.where(truth=truth, metric=m).numbers("share (%)") for m in _metametric.METRICS]
        )
        for truth in _metametric.TRUTHS
    }
    yield "Pairs ranked as by the truth", partial(_metametric.draw_shares, sizes, shares)


def partitions(study: str) -> dict[tuple[str, str], Any]:
    """The partitions whose memberships are stored, by group and rule."""
    table = Table.read(study, "memberships")
    pairs = list(dict.fromkeys(zip(table.text("shown"), table.text("rule"), strict=True)))
    found = {}
    for shown, rule in pairs:
        rows = table.where(shown=shown, rule=rule)
        values = rows.numbers(*table.header[3:])
        values = values[:, ~np.isnan(values).any(axis=0)]
        classes = CLASSES.get(shown, _example.CLASSES)
        found[shown, rule] = standardize(
            rows.text("true class"), values / values.sum(axis=1, keepdims=True), classes=classes
        )
    return found


CLASSES = {
    "iris": ("Iris-setosa", "Iris-versicolor", "Iris-virginica"),
    "wine": ("1", "2", "3"),
    "vehicle": ("bus", "opel", "saab", "van"),
}


def sondhauss_weihs_2001() -> Figures:
    """The draw of the paper's three figures."""
    found = partitions("sondhauss-weihs-2001")
    yield from _example.figures_of({rule: part for (_, rule), part in found.items()}).items()


def sondhauss_weihs_data() -> Figures:
    """Simplexes of three data sets, before and after scaling."""
    yield from _data.figures_of(partitions("sondhauss-weihs-data"))


def yang_2017_calibration() -> Figures:
    """Costs against the strength of the prior, by mode."""
    read = partial(Table.read, "yang-2017-calibration")
    table, bands = read("curves"), read("bands-of-the-curves")
    strengths = np.array([float(name.removeprefix("s = ")) for name in table.header[3:]])
    for mode in _ordinal_data.MODES:
        curves = {
            name: (
                strengths,
                *(
                    each.where(data_set=name, mode=mode).numbers(*table.header[3:])
                    for each in (table, bands)
                ),
            )
            for name in dict.fromkeys(table.text("data set"))
        }
        title = "Figure 3" if mode == _ordinal_data.MODES[0] else f"Figure 3, {mode}"
        yield title, partial(_calibration.draw_curves, curves, mode)


def yang_2017_comparison() -> Figures:
    """Published costs and ours."""
    table = Table.read("yang-2017-comparison", "table-xii-and-reference-costs")
    learners = [name.removesuffix(" printed") for name in table.header if "printed" in name]
    found, paper = {}, []
    for row in table.rows:
        name, *cells = row[0], *map(float, row[1:])
        ours = dict(zip(learners, cells[1:6:2], strict=True))
        constant, everything, worst = cells[6:]
        found[name] = _comparison.OnDataSet({}, ours, {}, worst, everything, constant)
        paper.append(cells[0:6:2])
    yield "Table XII", partial(_comparison.draw_costs, found, np.array(paper))


def zaffalon_2011_artificial() -> Figures:
    """Utilities against the training rows, for two families of models."""
    table = Table.read("zaffalon-2011-artificial", "medians-over-all-experiments-per-cent")
    for family in dict.fromkeys(table.text("models")):
        rows = table.where(models=family)
        u50, u65 = (
            [rows.numbers(f"{u} {n}") / 100 for n in names]
            for u, names in (("u50", ("NBC", "NCC")), ("u65", ("NCC", "NCC")))
        )
        perks = {"NBC, Perks, accuracy (and utility)": rows.numbers("u50 NBC, Perks") / 100}
        title = f"Medians over 4,000 experiments, {family}"
        draw = partial(_ignorance.draw_utilities, models.SIZES, u50, u65, title, perks)
        yield f"Figure 3, {family}", draw


def zaffalon_2011_krkp() -> Figures:
    """Utilities against the training rows on kr-vs-kp."""
    table = Table.read("zaffalon-2011-krkp", "table-1-and-the-curves-of-the-figure-per-cent")
    u50, u65 = ([table.numbers(f"{u} {n}") / 100 for n in ("NBC", "NCC")] for u in ("u50", "u65"))
    title = f"{_krkp.DATA}, downsampled"
    yield "Figure 4", partial(_ignorance.draw_utilities, _krkp.SIZES, u50, u65, title)


def zaffalon_2012_credal() -> Figures:
    """Mean ranks of the credal classifiers."""
    table = Table.read("zaffalon-2012-credal", "scores-by-data-set").where(measure="u50")
    yield "Figure 6", partial(_credal.draw_segments, table.numbers(*_credal.LEARNERS))


def zaffalon_2012_nbc_ncc() -> Figures:
    """Scores of both classifiers on each data set."""
    table = Table.read("zaffalon-2012-nbc-ncc", "by-data-set-per-cent")
    kinds = dict.fromkeys(table.text("features"))
    points = {}
    for suffix, kind in zip(("", _nbc_ncc.SELECTED), kinds, strict=True):
        rows = table.where(features=kind)
        for u in ("u65", "u80"):
            points[suffix, u] = rows.numbers(f"NCC {u}") / 100, rows.numbers("NBC") / 100
    yield "Figure 5", partial(_nbc_ncc.draw_points, points)


def zaffalon_2012_ndc() -> Figures:
    """Utilities of sets, and scores on each data set."""
    table = Table.read("zaffalon-2012-ndc", "by-data-set")
    points = {
        m: tuple(table.where(measure=m).numbers(name) for name in (_ndc.NCC, _ndc.NDC))
        for m in _ndc.MEASURES[:4]
    }
    yield "Figure 7", _ndc.draw_utilities
    yield "Figure 8", partial(_ndc.draw_points, points)


def zaffalon_2012_ndc_size() -> Figures:
    """Determinacy against the training rows."""
    table = Table.read("zaffalon-2012-ndc-size", "determinacy-per-cent")
    sizes = table.header[2:]
    means = {n: table.where(classifier=n).numbers(*sizes) / 100 for n in _ndc_size.LEARNERS}
    yield "Determinacy", partial(_ndc_size.draw_determinacy, means)


def zaffalon_2012_rejection() -> Figures:
    """Expected u80 against the training rows."""
    table = Table.read("zaffalon-2012-rejection", "determinacy-and-true-expected-utility")
    u80 = {name: table.where(classifier=name).numbers("u80") for name in _rejection.LEARNERS}
    yield "Utility under u80", partial(_rejection.draw_utility, u80)


def zero_counts() -> Figures:
    """What a restriction of the priors changes, by the share of rows with a zero count."""
    table = Table.read("zero-counts", "by-data-set-per-cent")
    exact = table.numbers("u65, exact")
    gains = {
        words: table.numbers(f"u65, {name.removeprefix('NCC, ')}") - exact
        for words, name in _zero_counts.RESTRICTED.items()
    }
    zeros = table.numbers("test rows with a zero count")
    yield "Gain of a restriction", partial(_zero_counts.draw_gain, zeros, gains)


def lower_probability_sets() -> Figures:
    """Mean utilities by the threshold of the lower probability."""
    table = Table.read("lower-probability-sets", "means-over-the-data-sets-per-cent")
    means = {
        (name, u): table.where(classifier=name).numbers(u)
        for name in groups.LEARNERS
        for u in groups.UTILITIES
    }
    yield "Utility by threshold", partial(groups.draw_thresholds, means)


def exact_credal_costs() -> Figures:
    """Costs by mean set size, for exact decisions and for those from intervals."""
    sizes = Table.read("exact-credal-costs", "sets-by-exact-decisions-and-from-intervals")
    costs = Table.read("exact-credal-costs", "costs-by-exact-decisions-and-from-intervals")
    found = {}
    for name, s, *values in sizes.rows:
        by_r = {
            float(row[2]): tuple(np.array([float(cell)]) for cell in row[3:5])
            for row in costs.where(data_set=name, s=s).rows
        }
        size, coverage, (smaller, larger) = np.array(values, dtype=float).reshape(3, 2).tolist()
        both = _exact_costs.Both(tuple(size), tuple(coverage), smaller / 100, larger / 100, by_r)
        found[name, float(s)] = both
    yield "Exact decisions and intervals", partial(_exact_costs.draw, found)


def caution_tuned_for_costs() -> Figures:
    """The cost of each way to choose the strength."""
    table = Table.read("caution-tuned-for-costs", "costs-out-of-sample")
    costs: dict[tuple[str, float], dict[str, Any]] = {}
    for name, r, strength, cost, _ in table.rows:
        costs.setdefault((name, float(r)), {})[strength] = np.array([float(cost)])
    yield "Cost by strength", partial(_tuned_costs.draw, costs)


def sondhauss_weihs_networks() -> Figures:
    """The lead of each network over quadratic discrimination."""
    table = Table.read("sondhauss-weihs-networks", "differences-by-network-and-measure")
    leads = {
        measure: tuple(table.where(measure=measure).numbers("mean difference", "low", "high").T)
        for measure in _networks.FIGURES
    }
    yield "Networks against quadratic discrimination", partial(_networks.draw_leads, leads)


def tuned_caution() -> Figures:
    """What tuning gains on each data set."""
    table = Table.read("tuned-caution", "by-data-set")
    gains = {
        (learner, objective): tuning.Gains(
            *(table.numbers(f"{learner}, {objective}, {which}") for which in ("usual", "tuned")),
            -1 if objective == tuning.COSTS else 1,
        )
        for learner in tuning.USUAL
        for objective in tuning.OBJECTIVES
    }
    yield "Gains", partial(tuning.draw_gains, gains)


DRAWN: dict[str, Callable[[], Figures]] = {
    "betting-general-costs": betting_general_costs,
    "caution-tuned-for-costs": caution_tuned_for_costs,
    "conformal-vs-credal": conformal_vs_credal,
    "exact-credal-costs": exact_credal_costs,
    "hope-korb-2004-artificial": hope_korb_2004_artificial,
    "hope-korb-2004-settings": hope_korb_2004_settings,
    "hope-korb-2004-uci": hope_korb_2004_uci,
    "hope-korb-metametric": hope_korb_metametric,
    "hope-korb-rewards": partial(computed, "hope-korb-rewards"),
    "lower-probability-sets": lower_probability_sets,
    "robustness-ranks-errors": robustness_ranks_errors,
    "sondhauss-weihs-2001": sondhauss_weihs_2001,
    "sondhauss-weihs-data": sondhauss_weihs_data,
    "sondhauss-weihs-networks": sondhauss_weihs_networks,
    "tuned-caution": tuned_caution,
    "yang-2017-calibration": yang_2017_calibration,
    "yang-2017-comparison": yang_2017_comparison,
    "yang-2017-tables": partial(computed, "yang-2017-tables"),
    "zaffalon-2011-artificial": zaffalon_2011_artificial,
    "zaffalon-2011-krkp": zaffalon_2011_krkp,
    "zaffalon-2012-credal": zaffalon_2012_credal,
    "zaffalon-2012-nbc-ncc": zaffalon_2012_nbc_ncc,
    "zaffalon-2012-ndc": zaffalon_2012_ndc,
    "zaffalon-2012-ndc-size": zaffalon_2012_ndc_size,
    "zaffalon-2012-rejection": zaffalon_2012_rejection,
    "zaffalon-bets": partial(computed, "zaffalon-bets"),
    "zero-counts": zero_counts,
}


def files(study: str, figures: Iterable[tuple[str, Callable[[], Any]]]) -> Figures:
    """The name of the file of every figure of a study, and the function that draws it."""
    for title, draw in figures:
        yield f"{study}-{slug(title)}.svg", draw


def make(folder: Path = HERE / "studies") -> None:
    """Draw every figure into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for study in DRAWN:
        for name, draw in files(study, DRAWN[study]()):
            save(draw(), folder / name)


if __name__ == "__main__":
    make()
