"""Naive Bayes and the naive credal classifier on data from naive Bayes models.

Zaffalon, Corani & Mauá (2011), Section 8, and (2012), Section 9.1.1: 80 random models with two
classes and ten binary features, 50 training sets of each size, 10,000 test rows.  The papers do not
fully describe how the probabilities of the features were drawn: results are shown for uniform
probabilities in [0, 1], as the text suggests, and in [0.1, 0.9], which gives the numbers of the
text.  They do not give the prior of naive Bayes either: Laplace's and Perks's, which lies in the
credal set, are both shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from wager._typing import Floats
from wager.experiments import Plan
from wager.experiments.study import (
    Claim,
    Comparison,
    Findings,
    Study,
    StudyTable,
    Verdict,
    open_until_done,
)
from wager_studies.zaffalon._evidence import (
    all_clear,
    mean_and_error,
    numbers,
    open_if_small,
    signed,
    with_p,
)
from wager_studies.zaffalon._ignorance import (
    OnIgnorance,
    credal_and_precise,
    draw_utilities,
)

if TYPE_CHECKING:
    from wager.experiments import Store

SIZES = [25, 50, 100]
MODELS = 80
MEASURES = ("determinacy", "u50", "u65", "log")
BAYES: dict[str, dict[str, Any]] = {"NBC": {}, "NBC, Perks": {"prior": "perks"}}
FAMILIES: dict[str, dict[str, Any]] = {"inner": {"margin": 0.1}, "any": {}}
WORDS = {"inner": "probabilities in [0.1, 0.9]", "any": "probabilities in [0, 1]"}
# The text of Section 8 (2011) gives numbers for 25 and for 100 rows; the figures have no numbers.
IN_TEXT = [0, 2]
ACCURACY_IN_TEXT, IGNORANCE_IN_TEXT = [64.0, 54.0], [20.0, 4.0]


def _plan(data: str | None, quick: bool) -> Plan:
    generator = {"generator": "random-binary-naive-bayes", "models": 8 if quick else MODELS}
    return Plan(
        name="zaffalon-2011-artificial",
        datasets=[{**generator, "name": name, "params": p} for name, p in FAMILIES.items()],
        scheme={
            "kind": "generate",
            "sizes": SIZES,
            "repeats": 5 if quick else 50,
            "test_rows": 2000 if quick else 10_000,
        },
        learners=credal_and_precise()
        | {n: {"learner": "naive-bayes", "params": prior} for n, prior in BAYES.items()},
        measures=MEASURES,
        probabilities=False,
    )


@dataclass(frozen=True, eq=False)
class _Family:
    """Medians over the experiments with models of one family, by training size."""

    name: str
    experiments: int
    medians: dict[tuple[str, str], Floats]  # by learner and measure
    share: Floats  # of the area of ignorance
    accuracy: dict[str, Floats]  # in that area, by version of naive Bayes
    share_by_model: Floats  # by size (rows) and model
    accuracy_by_model: dict[str, Floats]
    gaps: dict[tuple[str, str], Floats]  # NCC minus the learner under the measure, by size, model

    @property
    def words(self) -> str:
        return WORDS[self.name]

    def beside_the_text(self) -> str:
        """The four numbers of the text, and ours with each prior of naive Bayes."""
        right = ", ".join(
            f"{name} {_both(100 * values[IN_TEXT])}" for name, values in self.accuracy.items()
        )
        return (
            f"With {self.words}, NCC returns both classes on {_both(100 * self.share[IN_TEXT])} of "
            f"the rows after 25 and 100 training rows (in the text {_both(IGNORANCE_IN_TEXT)}); on "
            f"these naive Bayes is right as often: {right} (in the text {_both(ACCURACY_IN_TEXT)})."
        )

    def rows(self) -> Iterator[tuple[Any, ...]]:
        for i, s in enumerate(SIZES):
            columns = [self.share, *self.accuracy.values()]
            columns += [self.medians[n, "u50"] for n in (*BAYES, "NCC")]
            columns += [self.medians["NCC", "u65"]]
            columns += [self.medians[n, "log"] for n in (*BAYES, "NCC")]
            yield (self.words, s, *(100 * column[i] for column in columns))


HEADERS = (
    *("models", "training rows", "area of ignorance"),
    *(f"{name} in that area" for name in BAYES),
    *(f"u50 {name}" for name in (*BAYES, "NCC")),
    "u65 NCC",
    *(f"log {name}" for name in (*BAYES, "NCC")),
)


def _analyse(store: Store) -> Findings:
    table = store.columns(MEASURES)
    families = [f for name in FAMILIES if (f := _family(store, table, name)) is not None]
    if not families:
        return {"notes": ["Some training sizes have no results yet."]}
    rows = [row for family in families for row in family.rows()]
    comparisons, figures = [], {}
    for family in families:
        comparisons += _comparisons(family)
        u50, u65 = ([family.medians[n, m] for n in ("NBC", "NCC")] for m in ("u50", "u65"))
        title = f"Medians over {family.experiments:,} experiments, {family.words}"
        perks = {"NBC, Perks, accuracy (and utility)": family.medians["NBC, Perks", "u50"]}
        draw = partial(draw_utilities, SIZES, u50, u65, title, perks)
        figures[f"Figure 3, {family.words}"] = draw
    claims = _claims(families) if len(families) == len(FAMILIES) else []
    claims = open_if_small(claims, families[0].share_by_model.shape[1], MODELS, "models")
    return {
        "tables": [StudyTable("Medians over all experiments (per cent)", HEADERS, rows)],
        "comparisons": comparisons,
        "claims": open_until_done(store, claims),
        "figures": figures,
        "notes": [NOTE, *(family.beside_the_text() for family in families)],
    }


NOTE = (
    "The text says that probabilities were drawn uniformly, with a difference of at least 0.1 "
    "between the classes. Problems drawn from [0, 1] are easier than those from [0.1, 0.9]; the "
    "numbers of the text follow from the second, within two points. Verdicts are given for one "
    "setting: [0.1, 0.9], and NBC with Laplace's prior, whose median accuracy on 55 data sets is "
    "the one that the 2012 paper prints. Both were chosen by printed numbers and not by the "
    "conclusions, but after the results were known. Where another setting gives another answer, "
    "the conclusion is at most reproduced under a stated reading. The paper shows medians over all "
    "experiments; p values are from t tests over the models, each with the mean over its training "
    "sets, adjusted by Holm's method for the three sizes."
)


def _comparisons(family: _Family) -> list[Comparison]:
    """The four numbers of the text; standard errors of medians are those of means, over models."""
    found = [
        (
            f"area of ignorance (%), s = 25, 100; {family.words}",
            IGNORANCE_IN_TEXT,
            family.share,
            family.share_by_model,
        )
    ]
    found += [
        (
            f"{name} in that area (%), s = 25, 100; {family.words}",
            ACCURACY_IN_TEXT,
            accuracy,
            family.accuracy_by_model[name],
        )
        for name, accuracy in family.accuracy.items()
    ]
    return [
        Comparison(
            what,
            paper,
            100 * ours[IN_TEXT],
            unit=1.0,
            wider=4.0,
            standard_errors=[100 * mean_and_error(by_model[i])[1] for i in IN_TEXT],
        )
        for what, paper, ours, by_model in found
    ]


def _family(store: Store, table: dict[str, list[Any]], name: str) -> _Family | None:
    """The results of a family; None until each learner has results for each size."""
    dataset, size, learner = (np.array(table[key]) for key in ("dataset", "size", "learner"))
    own = np.char.startswith(dataset, f"{name}-") if len(dataset) else np.zeros(0, dtype=bool)
    done = {(n, s): own & (learner == n) & (size == s) for n in (*BAYES, "NCC") for s in SIZES}
    if not all(rows.any() for rows in done.values()):
        return None
    medians = {
        (n, m): np.array([np.median(np.array(table[m])[done[n, s]]) for s in SIZES])
        for n in (*BAYES, "NCC")
        for m in MEASURES
    }
    models = np.unique(dataset[done["NCC", SIZES[0]]])
    areas = {
        n: [
            [
                [OnIgnorance.of([pair]) for pair in store.pairs(str(model), "NCC", n, size=s)]
                for model in models
            ]
            for s in SIZES
        ]
        for n in BAYES
    }
    means = {
        (n, m): np.array(
            [
                [np.mean(np.array(table[m])[done[n, s] & (dataset == model)]) for model in models]
                for s in SIZES
            ]
        )
        for n in (*BAYES, "NCC")
        for m in MEASURES[1:]
    }
    return _Family(
        name,
        int(done["NCC", SIZES[0]].sum()),
        medians,
        np.array(
            [np.median([area.share for part in parts for area in part]) for parts in areas["NBC"]]
        ),
        {
            n: np.array(
                [
                    np.nanmedian([area.accuracy for part in parts for area in part])
                    for parts in sizes
                ]
            )
            for n, sizes in areas.items()
        },
        np.array([[np.mean([a.share for a in part]) for part in parts] for parts in areas["NBC"]]),
        {
            n: np.array([[_mean([a.accuracy for a in part]) for part in parts] for parts in sizes])
            for n, sizes in areas.items()
        },
        {(n, m): means["NCC", m] - means[n, m] for n in BAYES for m in MEASURES[1:]},
    )


def _mean(values: list[float]) -> float:
    """The mean of the known values; NaN if there are none."""
    known = [value for value in values if np.isfinite(value)]
    return float(np.mean(known)) if known else float("nan")


def _claims(families: list[_Family]) -> list[Claim]:
    inner = next(family for family in families if family.name == "inner")
    log = "; ".join(f"{n} {with_p(list(inner.gaps[n, 'log']))}" for n in BAYES)
    return [
        _claim(
            families,
            "2012, 9.1.1, Fig. 3",
            "NBC has the higher discounted accuracy at each size",
            {
                (f.name, n): all_clear(list(f.gaps[n, "u50"]), sign=-1)
                for f in families
                for n in BAYES
            },
            "u50",
            "the discounted accuracy of NBC is higher than the discounted accuracy of NCC",
        ),
        _claim(
            families,
            "2012, 9.1.1, Fig. 3",
            "NCC has the higher utility under u65 at each size",
            {(f.name, n): all_clear(list(f.gaps[n, "u65"])) for f in families for n in BAYES},
            "u65",
            "NCC produces higher expected utility than NBC at each sample size",
        ),
        Claim(
            "2011, 8",
            "the same is found under logarithmic utility",
            Verdict.CONTRADICTION,
            "“similar” as the same order at each size: with log(1 + x) half a hit is worth 0.585 "
            "of a whole one, so with the 64% of Section 8 for naive Bayes where NCC returns both "
            "classes, naive Bayes must be ahead with 25 "
            f"rows; ours, NCC minus the other with 25, 50, 100 rows: {log}",
            quote="Results similar to those shown here are obtained also using logarithmic utility",
        ),
        _claim_on_area(families),
        _claim(
            families,
            "2011, 8",
            "the difference in utility under u65 is larger with 100 rows than with 25",
            {
                (f.name, n): all_clear([f.gaps[n, "u65"][-1] - f.gaps[n, "u65"][0]])
                for f in families
                for n in BAYES
            },
            "u65",
            "the gap of utility tends to slightly increase with the sample size",
        ),
    ]


def _claim_on_area(families: list[_Family]) -> Claim:
    holds = {
        (f.name, n): all_clear(
            [-np.diff(f.share_by_model, axis=0)[i] for i in range(2)]
            + [-np.diff(f.accuracy_by_model[n], axis=0)[i] for i in range(2)]
        )
        for f in families
        for n in BAYES
    }
    because = "; ".join(
        f"{f.words}: area {numbers(100 * f.share)}, "
        + ", ".join(f"{n} right on {numbers(100 * right)}" for n, right in f.accuracy.items())
        for f in families
    )
    says = "with more data the area of ignorance shrinks, and NBC is less accurate in it"
    quote = "at the same time the value of NBC(NCC-I) decreases"
    return Claim.checked("2011, 8", says, *_verdict(holds, because), quote, _reading(holds))


def _claim(
    families: list[_Family],
    where: str,
    says: str,
    holds: dict[tuple[str, str], bool],
    measure: str,
    quote: str,
) -> Claim:
    because = "NCC minus the other in percentage points with 25, 50, 100 rows, " + "; ".join(
        f"{f.words}, {n}: {with_p(list(f.gaps[n, measure]))}" for f in families for n in BAYES
    )
    inner = next(family for family in families if family.name == "inner")
    because += f"; differences of the medians, {inner.words}: " + "; ".join(
        f"{n} {signed(100 * (inner.medians['NCC', measure] - inner.medians[n, measure]))}"
        for n in BAYES
    )
    return Claim.checked(where, says, *_verdict(holds, because), quote, _reading(holds))


def _verdict(holds: dict[tuple[str, str], bool], because: str) -> tuple[bool, str]:
    """Whether it holds with probabilities in [0.1, 0.9] and Laplace's prior."""
    return holds["inner", "NBC"], because


def _reading(holds: dict[tuple[str, str], bool]) -> str:
    """The settings with which it holds, if not with all; the papers omit both."""
    if len(set(holds.values())) == 1:
        return ""
    kept = "; ".join(f"{WORDS[family]} and {n}" for (family, n), held in holds.items() if held)
    return f"it holds with {kept or 'none'}, and not with the other settings"


def _both(values: Iterable[float]) -> str:
    return " and ".join(f"{value:.0f}%" for value in values)


STUDY = Study(
    "zaffalon-2011-artificial",
    "Zaffalon, Corani & Mauá (2011), Section 8, and (2012), Section 9.1.1",
    "Naive Bayes against the naive credal classifier on generated data: which one earns more, and "
    "how accurate naive Bayes is where the credal classifier returns several classes.",
    _analyse,
    _plan,
    title="Naive Bayes and naive credal classifier on generated data",
    minutes=9.0,
    page="zaffalon-2011",
)
