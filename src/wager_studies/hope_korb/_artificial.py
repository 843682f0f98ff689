"""Four Bayesian learners on models that favour each of three of them.

Hope & Korb (2004), Section 5.1: forty models of each of three families, training sets of 50, 500
and 5000 rows, one test set of 1000 rows per model, and the mean information reward analysed by a
two-factor analysis of variance with repeated measures.  Here the experiment is done three times,
each time with forty new models, to show which conclusions are due to chance.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from wager._typing import Floats
from wager.experiments import Plan
from wager.experiments.study import Claim, Findings, Study, StudyTable, Verdict
from wager_studies.hope_korb._artificial_claims import (
    COMPARED,
    FAMILIES,
    LEARNERS,
    SIZES,
    SMOOTHED,
    ClaimCheck,
    Experiment,
    checks_of,
    replaced,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from wager.experiments import Store

MODELS = 40  # per experiment
EXPERIMENTS = {"normalised": 3, "simplex": 1}  # by how the models' probabilities are drawn
# With 120 models the verdict on CaMML's caution (Figure 4b) depended on the models drawn.
MORE = {("normalised", "AODE"): 10}
FIRST = "normalised"
# What the paper leaves open: how probabilities are drawn, and whether TAN smooths its estimates.
SETTINGS = {
    ("normalised", "TAN"): "normalised numbers",
    ("simplex", "TAN"): "uniform on the simplex",
    ("normalised", SMOOTHED): "normalised numbers, TAN smoothed",
    ("simplex", SMOOTHED): "uniform on the simplex, TAN smoothed",
}
AS_CITED = ("normalised numbers", "uniform on the simplex")  # with the TAN of the paper's reference
LAYERS = 3.4  # layers of a network that fill the height of a figure
MEASURES = ("information_reward", "kl_divergence", "accuracy")
TITLES = (
    "Mean information reward (bits)",
    "Mean divergence from the truth (bits)",
    "Mean accuracy",
)
Kind: TypeAlias = tuple[str, str]  # how the probabilities are drawn, and the family


def _plan(data: str | None, quick: bool) -> Plan:
    return Plan(
        name="hope-korb-2004-artificial",
        datasets=[
            {
                "generator": generator,
                "name": f"{family}, {draw}",
                "models": 2 if quick else MODELS * MORE.get((draw, family), EXPERIMENTS[draw]),
                "params": {"draw": draw} if draw == "normalised" else {},
            }
            for draw in EXPERIMENTS
            for family, generator in FAMILIES.items()
        ],
        scheme={"kind": "generate", "sizes": SIZES, "test_rows": 1000, "same_test": True},
        learners=LEARNERS,
        measures=MEASURES,
    )


def _analyse(store: Store) -> Findings:
    values = _values(store)
    rewards = {kind: found["information_reward"] for kind, found in values.items()}
    fewest = min(len(scores) for (draw, _), scores in rewards.items() if draw == FIRST)
    if fewest < 2:
        return {"notes": ["Too few fits are done for an analysis."]}
    first = experiments_of(rewards, FIRST, part=slice(MODELS))
    checks = _checks(rewards)
    return {
        "tables": [
            _settings_table(checks),
            *_means(values),
            _interval_table(first),
            _winners(first),
            *_tests(first),
        ],
        "claims": _verdicts(checks, fewest),
        "figures": {
            f"Figure {2 + i}: {family} models": partial(
                draw_family, family, len(first[family].scores), *_intervals(first[family])
            )
            for i, family in enumerate(FAMILIES)
        },
        "notes": NOTES,
    }


def _values(store: Store) -> dict[Kind, dict[str, Floats]]:
    """The measures on the finished models, by kind of model: (models, learners, sizes)."""
    table = store.columns(MEASURES)
    models = {name: row for row, name in enumerate(store.datasets)}
    place = (
        [models[name] for name in table["dataset"]],
        [list(LEARNERS).index(name) for name in table["learner"]],
        [SIZES.index(size) for size in table["size"]],
    )
    found: dict[Kind, dict[str, Floats]] = {}
    for draw, family in product(EXPERIMENTS, FAMILIES):
        kind = f"{family}, {draw}"
        rows = [row for name, row in models.items() if name.rpartition("-")[0] == kind]
        found[draw, family] = {}
        for measure in MEASURES:
            grid = np.full((len(models), len(LEARNERS), len(SIZES)), np.nan)
            grid[place] = table[measure]
            whole = ~np.isnan(grid[rows]).any(axis=(1, 2))
            found[draw, family][measure] = grid[rows][whole]
    return found


def _means(values: Mapping[Kind, Mapping[str, Floats]]) -> list[StudyTable]:
    """The mean of each measure over the first forty models."""
    tables = []
    for measure, title in zip(MEASURES, TITLES, strict=True):
        rows = [
            (family, draw, size, *found[measure][:MODELS].mean(axis=0)[:, i].tolist())
            for (draw, family), found in values.items()
            if len(found[measure])
            for i, size in enumerate(SIZES)
        ]
        headers = ("models", "probabilities", "rows", *LEARNERS)
        tables.append(StudyTable(title, headers, rows, digits=3))
    return tables


def _winners(first: Mapping[str, Experiment]) -> StudyTable:
    """The significant differences in the layout of the paper's Table 1."""
    losers = [
        (family, size, *(", ".join(worse) for worse in experiment.worse_than(size).values()))
        for family, experiment in first.items()
        for size in SIZES
    ]
    title = "Learners significantly worse than that of the column"
    return StudyTable(title, ("models", "rows", *COMPARED), losers)


def _tests(first: Mapping[str, Experiment]) -> list[StudyTable]:
    """The analysis of variance, and all paired differences with Bonferroni intervals."""
    from wager.compare import bonferroni_intervals, repeated_measures_anova

    effects, pairs = [], []
    for family, experiment in first.items():
        anova = repeated_measures_anova(experiment.scores, factors=("learner", "rows"))
        effects += [
            (family, e.name, e.F, e.df_num, e.df_den, f"{e.p:.1g}", f"{e.p_gg:.1g}",
             e.partial_eta_squared)
            for e in anova.effects
        ]  # fmt: skip
        for i, size in enumerate(SIZES):
            found = bonferroni_intervals(experiment.scores[:, :, i], names=COMPARED)
            pairs += [
                (family, size, *names, outcome.effect, *outcome.interval, outcome.p)
                for names, outcome in found.items()
            ]
    return [
        StudyTable(
            "Analysis of variance of the reward",
            ("models", "effect", "F", "df", "df of error", "p", "p (Greenhouse-Geisser)",
             "partial eta squared"),
            effects,
        ),
        StudyTable(
            "Paired differences of the reward",
            ("models", "rows", "a", "b", "a minus b", "low", "high", "p"),
            pairs,
            shown=False,
        ),
    ]  # fmt: skip


def experiments_of(
    rewards: Mapping[Kind, Floats], draw: str, tan: str = "TAN", part: slice = slice(None)
) -> dict[str, Experiment]:
    """The experiments on the models of each family, with one of the two kinds of TAN."""
    learner = list(LEARNERS).index(tan)
    return {
        family: Experiment(
            replaced(rewards[draw, family][part], "TAN", rewards[draw, family][part, learner])
        )
        for family in FAMILIES
    }


def _checks(rewards: Mapping[Kind, Floats]) -> dict[str, list[ClaimCheck]]:
    """The checks of every claim by settings, and for each of the first three experiments."""
    found: dict[str, list[ClaimCheck]] = {}
    for (draw, tan), words in SETTINGS.items():
        if min(len(rewards[draw, family]) for family in FAMILIES) >= 2:
            found[words] = checks_of(experiments_of(rewards, draw, tan))
    whole = min(len(rewards[FIRST, family]) for family in FAMILIES) // MODELS  # three at most
    for i in range(whole):
        part = slice(MODELS * i, MODELS * (i + 1))
        found[f"experiment {i + 1}"] = checks_of(experiments_of(rewards, FIRST, part=part))
    return found


def _settings_table(checks: Mapping[str, list[ClaimCheck]]) -> StudyTable:
    """Whether each claim holds under the settings that the paper leaves open."""
    rows = [
        (same[0].where, same[0].says, *("yes" if check.holds else "no" for check in same))
        for same in zip(*checks.values(), strict=True)
    ]
    return StudyTable(
        "Does it hold? By settings that the paper does not give, and in three experiments of "
        f"{MODELS} models",
        ("where", "the paper says", *checks),
        rows,
    )


def _verdicts(checks: Mapping[str, list[ClaimCheck]], fewest: int) -> list[Claim]:
    """The verdicts by all settings: reproduced if it holds for both ways of drawing."""
    enough = fewest >= MODELS * EXPERIMENTS[FIRST] and set(SETTINGS.values()) <= set(checks)
    return [
        verdict_of(
            dict(zip(checks, same, strict=True)),
            None if enough else f"{fewest} models of each family are done",
        )
        for same in zip(*checks.values(), strict=True)
    ]


def verdict_of(checks: Mapping[str, ClaimCheck], unfinished: str | None) -> Claim:
    """The claim with a verdict from its checks under all settings.

    It is reproduced if it holds for both ways of drawing probabilities with the TAN that the paper
    cites, reproduced under a reading if the check itself needs one or if it holds for one of these
    ways, and otherwise not reproduced, even if it holds with another TAN.
    """
    settings = [words for words in SETTINGS.values() if words in checks]
    cited = [words for words in AS_CITED if words in checks and checks[words].holds]
    shown = checks[cited[0] if cited else settings[0]]
    repeats = [check.holds for words, check in checks.items() if words not in settings]
    counted = f"; holds in {sum(repeats)} of {len(repeats)} experiments" if repeats else ""
    others = [words for words in settings if checks[words].holds != shown.holds]
    differ = f"; {'fails' if shown.holds else 'holds'} with: {'; '.join(others)}" if others else ""
    because = f"{shown.because}{counted}{differ}"
    if unfinished is not None:
        return Claim(shown.where, shown.says, None, f"{unfinished}; so far {because}", shown.quote)
    if len(cited) == len(AS_CITED):
        verdict = Verdict.READING if shown.reading else Verdict.REPRODUCED
        reading = shown.reading
    elif cited:
        chosen = f"{cited[0]}, one of two ways tried, chosen for its fit"
        verdict = Verdict.READING
        reading = "; ".join(filter(None, (chosen, shown.reading)))
    else:
        verdict, reading = Verdict.NOT_REPRODUCED, shown.reading
    return Claim(shown.where, shown.says, verdict, because, shown.quote, reading)


@dataclass(frozen=True)
class _ExampleNetwork:
    """A network as ``plot_network`` takes it, with the same probability for every arc."""

    node_names_: list[str]
    edges_: list[tuple[str, str]]
    edge_probabilities_: Floats

    @classmethod
    def of(cls, model: Any) -> _ExampleNetwork:
        n = len(model.parents)
        names = ["class", *(f"x{j}" for j in range(1, n))]
        edges = [(names[a], names[b]) for a, b in sorted(model.edges)]
        return cls([*names[1:], "class"], edges, np.full((n, n), 0.3))


def _intervals(experiment: Experiment) -> tuple[Floats, Floats]:
    """Means of the rewards by learner and size, and half the widths of their 95% intervals."""
    from scipy.stats import t

    scores = experiment.scores
    reach = t.ppf(1 - 0.05 / len(COMPARED) / 2, len(scores) - 1) / np.sqrt(len(scores))
    return scores.mean(axis=0), reach * scores.std(axis=0, ddof=1)


def _interval_table(first: Mapping[str, Experiment]) -> StudyTable:
    """What the figures show: the mean rewards with their intervals."""
    rows = []
    for family, experiment in first.items():
        mean, half = _intervals(experiment)
        rows += [
            (family, len(experiment.scores), name, size, mean[i, j], half[i, j])
            for i, name in enumerate(COMPARED)
            for j, size in enumerate(SIZES)
        ]
    headers = ("models", "number", "learner", "rows", "mean", "half-width of the 95% interval")
    return StudyTable("Mean reward with intervals", headers, rows, shown=False)


def draw_family(family: str, number: int, mean: Floats, half: Floats) -> Figure:
    """An example of the models beside the rewards, with 95% intervals (Figs 2-4)."""
    from wager.experiments import find_generator
    from wager.plots import plain_figure, plot_network

    figure = plain_figure((8.8, 4.2))
    left, right = figure.subfigures(1, 2, width_ratios=(0.8, 1.0), squeeze=False)[0]
    variables = 4 if family == "AODE" else 6
    model = find_generator(FAMILIES[family], {})(3, n_variables=(variables, variables))
    parts = getattr(model, "parts", (model,))
    for part, ax in zip(parts, left.subplots(len(parts), 1, squeeze=False).ravel(), strict=True):
        plot_network(_ExampleNetwork.of(part), ax=ax)
        bottom, top = ax.get_ylim()
        # without this margin the boxes of a flat network are tall
        margin = max(0.0, LAYERS / len(parts) - (bottom - top)) / 2
        ax.set_ylim(bottom + margin, top - margin)
    many = f", a mixture of {len(parts)} networks" if len(parts) > 1 else ""
    left.suptitle(f"A model of the family {family}{many}", fontsize=10)
    _draw_rewards(mean, half, right.subplots())
    right.suptitle(f"Rewards on {number} such models", fontsize=10)
    return figure


def _draw_rewards(mean: Floats, half: Floats, ax: Any) -> None:
    from wager.plots import series_colour, series_line, series_marker, style_axes

    for i, name in enumerate(COMPARED):
        x = np.arange(len(SIZES)) + 0.09 * (i - 1.5)
        ax.errorbar(x, mean[i], half[i], label=name,
                    color=series_colour(i), marker=series_marker(i), linestyle=series_line(i),
                    capsize=3)  # fmt: skip
    ax.axhline(0, color="0.5", linewidth=0.8)
    ax.set_xticks(range(len(SIZES)), [f"{size:,}" for size in SIZES])
    ax.set_xlabel("training rows")
    ax.set_ylabel("mean information reward (bits)")
    style_axes(ax)
    ax.legend(frameon=False, loc="upper left", ncols=2)
    ax.margins(y=0.24)


NOTES = [
    'The paper says that "the probabilities in each attribute are determined randomly", but not '
    "how, and the results depend on it. We first drew them uniformly on the simplex, and the "
    "conclusions on AODE models did not hold; then as uniform numbers divided by their sum "
    "(normalised), which are less extreme and leave less to learn. This second way was kept "
    "because it fits the paper better. A conclusion that holds for it alone is therefore called "
    "reproduced under a stated reading: it indicates how the paper may have drawn its models, and "
    "does not support the conclusion independently.",
    "The paper does not say either how TAN smooths its estimates. Ours is Keogh & Pazzani's "
    "SuperParent, which the paper cites, with almost no smoothing; TAN, smoothed, mixes in "
    "marginal frequencies as in Friedman, Geiger & Goldszmidt (1997). The first table shows each "
    "conclusion under all four combinations. It is called reproduced if it holds for both ways of "
    "drawing with the TAN that the paper cites, and not reproduced if it holds for none of them, "
    "even where a smoothed TAN would change that. Two further settings, AODE's limit and the "
    "random numbers of CaMML, are varied in the study hope-korb-2004-settings; here AODE uses "
    "every value that occurs as a super-parent (limit 1), and CaMML is our CausalMML.",
    "The paper has forty models of each family. Ours are three times forty for normalised numbers "
    "(ten times for AODE models, since one verdict on them was not the same for another seed) and "
    "forty for the simplex; verdicts rest on all of them, and the table shows the three "
    "experiments of forty as well. Intervals of differences are adjusted by Bonferroni over the "
    "six pairs of learners, as in the paper; intervals of single means are not adjusted. The paper "
    "prints no table for this experiment, so only its conclusions can be checked.",
    "Figures, tests and tables of means use the first forty models. The figures show Bonferroni "
    "95% intervals of the means, which include the variation between models. All learners are "
    "applied to the same models: the intervals of their differences are much narrower, and these "
    "decide which differences are significant.",
]


STUDY = Study(
    "hope-korb-2004-artificial",
    "Hope & Korb (2004), Section 5.1",
    "Naive Bayes, TAN, AODE and CaMML on generated models that favour one of them, by rows of "
    "training data.",
    _analyse,
    _plan,
    title="Bayesian learners on data from known models",
    minutes=13.0,
    page="hope-korb-2004",
)
