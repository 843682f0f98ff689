"""Which conclusions of Hope & Korb (2004), Section 5.1, depend on AODE's limit or CaMML's seed.

The paper gives neither the smallest number of rows with a value that may be a super-parent of AODE,
nor how its CaMML draws random numbers.  Here both are varied on the first forty models of each
family, with the same data as in the study of Section 5.1.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from wager._typing import Floats
from wager.compare import holm_adjust, paired_t
from wager.experiments import Plan
from wager.experiments.study import Finding, Findings, Study, StudyTable, listed
from wager_studies.hope_korb._artificial_claims import (
    COMPARED,
    FAMILIES,
    LEARNERS,
    SIZES,
    ClaimCheck,
    Experiment,
    checks_of,
    replaced,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from wager.experiments import Store

MODELS = 40
MEASURES = REWARD, ACCURACY = ("information_reward", "accuracy")
VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {  # the learner that each one replaces
    "AODE, limit 30": ("AODE", {"learner": "aode", "params": {"frequency_limit": 30}}),
    "AODE, limit 100": ("AODE", {"learner": "aode", "params": {"frequency_limit": 100}}),
    "CaMML, seed 1": ("CaMML", {"learner": "causal-mml", "params": {"random_state": 1}}),
    "CaMML, seed 2": ("CaMML", {"learner": "causal-mml", "params": {"random_state": 2}}),
}
EVERYONE = (*COMPARED, *VARIANTS)
LEVEL = 0.05

Values = dict[str, dict[str, Floats]]  # by measure and family: (models, learners, sizes)


def _plan(data: str | None, quick: bool) -> Plan:
    return Plan(
        name="hope-korb-2004-settings",
        datasets=[
            {
                "generator": generator,
                "name": f"{family}, normalised",
                "models": 2 if quick else MODELS,
                "params": {"draw": "normalised"},
            }
            for family, generator in FAMILIES.items()
        ],
        scheme={"kind": "generate", "sizes": SIZES, "test_rows": 1000, "same_test": True},
        learners={
            **{name: LEARNERS[name] for name in COMPARED},
            **{name: spec for name, (_, spec) in VARIANTS.items()},
        },
        measures=MEASURES,
    )


def _analyse(store: Store) -> Findings:
    values = values_of(store)
    fewest = min(len(scores) for scores in values[REWARD].values())
    if fewest < 2:
        return {"notes": ["Too few fits are done for an analysis."]}
    checks = checks_by_setting(values[REWARD])
    return {
        "figures": {
            "AODE by its limit": partial(
                draw_limits, {f: scores.mean(axis=0) for f, scores in values[REWARD].items()}
            )
        },
        "tables": [
            _checks_table(checks),
            _differences_table(values),
            *(_means_table(measure, values[measure]) for measure in MEASURES),
        ],
        "findings": _findings(values, checks) if fewest >= MODELS else [],
        "notes": NOTES,
    }


NOTES = (
    "AODE uses a value as a super-parent only if it occurs in at least so many training rows. The "
    "paper does not give this limit. It used Weka, whose AODE of that time (AODE.java of 2003, "
    "revision 1.8.2.4) has a limit of 30 if it is set up by its options, and none if a program "
    "makes it directly; Webb, Boughton & Wang (2005) use 30. So both are plausible. The study of "
    "Section 5.1 has no limit (1), that of Section 5.2 has 30. A row without a super-parent is "
    "predicted by naive Bayes, so with 50 rows and a limit of 100 AODE is naive Bayes.",
    "Our CausalMML searches networks at random and predicts with the best one that it finds. Its "
    "random numbers depend on the fit in the study of Section 5.1; here the search is repeated on "
    "the same data with two other seeds.",
)


def values_of(store: Store) -> Values:
    """Both measures on the finished models, by family."""
    table = store.columns(MEASURES)
    models = {name: row for row, name in enumerate(store.datasets)}
    place = (
        [models[name] for name in table["dataset"]],
        [EVERYONE.index(name) for name in table["learner"]],
        [SIZES.index(size) for size in table["size"]],
    )
    found: Values = {}
    for measure in MEASURES:
        grid = np.full((len(models), len(EVERYONE), len(SIZES)), np.nan)
        grid[place] = table[measure]
        found[measure] = {}
        for family in FAMILIES:
            rows = [row for name, row in models.items() if name.startswith(f"{family}, ")]
            whole = ~np.isnan(grid[rows]).any(axis=(1, 2))
            found[measure][family] = grid[rows][whole]
    return found


def checks_by_setting(rewards: Mapping[str, Floats]) -> dict[str, list[ClaimCheck]]:
    """The checks of every claim with the first settings, and with each variant in turn."""

    def checks(learner: str = "NB", name: str = "NB") -> list[ClaimCheck]:
        column = EVERYONE.index(name)
        return checks_of({
            family: Experiment(replaced(scores, learner, scores[:, column]))
            for family, scores in rewards.items()
        })  # fmt: skip

    return {
        "as in the study": checks(),
        **{name: checks(learner, name) for name, (learner, _) in VARIANTS.items()},
    }


def _checks_table(checks: Mapping[str, list[ClaimCheck]]) -> StudyTable:
    rows = [
        (same[0].where, same[0].says, *("yes" if check.holds else "no" for check in same))
        for same in zip(*checks.values(), strict=True)
    ]
    headers = ("where", "the paper says", *checks)
    return StudyTable("Does it hold? By AODE's limit and CaMML's seed", headers, rows)


def _changed(checks: Mapping[str, list[ClaimCheck]], name: str) -> list[str]:
    """The claims that hold with the first settings and not with a variant, or the reverse."""
    return [
        a.says
        for a, b in zip(checks["as in the study"], checks[name], strict=True)
        if a.holds != b.holds
    ]


def _differences_table(values: Values) -> StudyTable:
    """Each variant minus the learner that it replaces, with intervals."""
    rows = []
    for name, (learner, _) in VARIANTS.items():
        for family in FAMILIES:
            for j, size in enumerate(SIZES):
                cells = []
                for measure in MEASURES:
                    scores = values[measure][family]
                    a, b = (scores[:, EVERYONE.index(x), j] for x in (name, learner))
                    test = paired_t(a, b)
                    low, high = test.interval
                    cells += [test.effect, low, high]
                scores = values[REWARD][family][:, :, j]
                same = np.isclose(
                    scores[:, EVERYONE.index(name)], scores[:, EVERYONE.index(learner)]
                )
                rows.append((name, family, size, *cells, float(same.mean())))
    headers = ("variant", "models", "rows", "reward minus that of the study", "low", "high",
               "accuracy minus that of the study", "low ", "high ", "equal rewards")  # fmt: skip
    return StudyTable("Variants minus the learners of the study", headers, rows, digits=3)


def _means_table(measure: str, by_family: Mapping[str, Floats]) -> StudyTable:
    rows = [
        (family, size, *scores[:, :, j].mean(axis=0).tolist())
        for family, scores in by_family.items()
        for j, size in enumerate(SIZES)
    ]
    title = {REWARD: "Mean information reward (bits)", ACCURACY: "Mean accuracy"}[measure]
    return StudyTable(f"{title} by setting", ("models", "rows", *EVERYONE), rows, digits=3)


def _findings(values: Values, checks: Mapping[str, list[ClaimCheck]]) -> list[Finding]:
    questions = {
        "AODE": "Does AODE's limit change its rewards in Section 5.1?",
        "CaMML": "Do the random numbers of CaMML's search change its rewards?",
    }
    return [
        Finding(
            question,
            _answer(values, learner),
            f"{_extremes(values, learner)}. Conclusions, some of which rest on differences that "
            f"are hardly significant: {_changes(checks, _variants_of(learner))}",
        )
        for learner, question in questions.items()
    ]


def _variants_of(learner: str) -> list[str]:
    return [name for name, (of, _) in VARIANTS.items() if of == learner]


def _answer(values: Values, learner: str) -> str:
    """Whether a variant has another mean reward: t tests, adjusted over all cases of a learner."""
    column = EVERYONE.index(learner)
    p = [
        paired_t(scores[:, EVERYONE.index(name), j], scores[:, column, j]).p
        for name in _variants_of(learner)
        for scores in values[REWARD].values()
        for j in range(len(SIZES))
    ]
    return "yes" if (holm_adjust(p) < LEVEL).any() else "no significant difference"


def _changes(checks: Mapping[str, list[ClaimCheck]], names: list[str]) -> str:
    return "; ".join(
        f"{name} turns {listed(_changed(checks, name)) if _changed(checks, name) else 'none'}"
        for name in names
    )


def _extremes(values: Values, learner: str) -> str:
    """The largest mean differences from the learner of the study, by measure."""
    parts = []
    for measure, word in ((REWARD, "reward (bits)"), (ACCURACY, "accuracy")):
        cases = [
            (scores[:, EVERYONE.index(name), j] - scores[:, EVERYONE.index(learner), j], name,
             family, size)
            for name in _variants_of(learner)
            for family, scores in values[measure].items()
            for j, size in enumerate(SIZES)
        ]  # fmt: skip
        gaps, name, family, size = max(cases, key=lambda case: abs(case[0].mean()))
        error = gaps.std(ddof=1) / np.sqrt(len(gaps))
        parts.append(f"{word} {gaps.mean():+.3f} (s.e. {error:.3f}; {name}, {family} models, "
                     f"{size} rows)")  # fmt: skip
    return "largest mean differences of 9 cases per variant: " + ", ".join(parts)


def draw_limits(means: Mapping[str, Floats]) -> Figure:
    """Mean rewards of AODE by its limit and of naive Bayes, one panel per family.

    Parameters
    ----------
    means : mapping of family to array of shape (learners, sizes)
        The learners in the order of ``EVERYONE``.
    """
    from wager.plots import plain_figure, series_colour, series_line, series_marker, style_axes

    figure = plain_figure((9.6, 3.8))
    names = ("NB", "AODE", "AODE, limit 30", "AODE, limit 100")
    for ax, (family, table) in zip(figure.subplots(1, 3), means.items(), strict=True):
        for i, name in enumerate(names):
            mean = table[EVERYONE.index(name)]
            ax.plot(range(len(SIZES)), mean, series_line(i), color=series_colour(i),
                    marker=series_marker(i), label=name)  # fmt: skip
        ax.set_xticks(range(len(SIZES)), [f"{size:,}" for size in SIZES])
        ax.set(xlabel="training rows", title=f"{family} models")
        style_axes(ax)
    figure.axes[0].set_ylabel("mean information reward (bits)")
    figure.axes[0].legend(frameon=False, fontsize="small")
    return figure


STUDY = Study(
    "hope-korb-2004-settings",
    "Hope & Korb (2004), Section 5.1",
    "AODE with several limits and CaMML with several seeds on the same models, since the paper "
    "gives neither.",
    _analyse,
    _plan,
    title="Settings that the paper does not give: AODE's limit, CaMML's seed",
    minutes=5.5,
    page="hope-korb-2004",
)
