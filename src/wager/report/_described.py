"""Topics that are described elsewhere: measures, utilities, learners, tests, properties of costs.

Learners and tests are described in their docstrings, in this order: a sentence on what they are,
paragraphs on how they work, a paragraph that begins with "Use it", and the section References.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

import wager.partitions  # noqa: F401  # it registers its measures when imported
from wager.costs import PROPERTIES
from wager.report._quantities import QUANTITIES
from wager.report._topic import Topic
from wager.rewards import MEASURES, Measure

_ROLES = {"N": "necessary", "D": "desirable", "A": "the analyst's choice", "U": "undesirable"}

# What tables and papers call the learners, besides their names.
_LEARNER_ALIASES = {
    "naive-bayes": ("NBC", "NB"),
    "naive-credal": ("NCC", "naive_credal_classifier", "NCC2"),
    "lazy-naive-credal": ("LNCC", "LNCC2"),
    "credal-model-averaging": ("CMA",),
    "bayesian-model-averaging": ("BMA",),
    "credal-tree": ("CDT", "credal_decision_tree"),
    "credal-forest": ("credal_random_forest",),
    "nondeterministic": ("NDC", "nondeterministic_classifier"),
    "c45": ("J48", "C4.5"),
    "causal-mml": ("CaMML",),
    "tan": ("tree_augmented_naive_bayes",),
    "aode": ("averaged_one_dependence_estimators",),
    "nested-dichotomies": ("2Tr", "nested_dichotomy"),
    "nested-dichotomy-forest": ("Fo",),
    "conformal": ("LAC", "LAC+", "APS", "RAPS", "conformal_prediction"),
    "ensemble-credal": ("BAG", "RF_IDM"),
    "rejecting": ("REJ", "rejection", "reject", "reject_option", "rejecting_classifier"),
    "optimal-sets": ("optimal_set",),
    "vacuous": ("vacuous_minus_random", "vacuous_classifier"),
    "random-class": ("random", "random_classifier"),
}
_TEST_ALIASES = {
    "corrected_t": ("nadeau_bengio", "corrected_resampled_t_test", "corrected_t_test"),
    "friedman": ("iman_davenport", "test", "statistic", "df"),
    "nemenyi": ("critical_difference", "critical_differences", "beaten", "mean_rank_1_is_best"),
    "wilcoxon": ("signed_rank", "signed_rank_test", "wilcoxon_signed_rank"),
    "bonferroni_dunn": ("dunn",),
    "five_by_two_cv": ("5x2cv", "5x2_cv", "5x2cv_t_test", "combined_f_test"),
    "paired_t": ("t_test", "paired_t_test"),
    "repeated_measures_anova": ("anova",),
    "head_to_head": ("paired_score_test",),
}


def _measure_topic(measure: Measure) -> Topic:
    return Topic(
        measure.name.replace(" ", "_"), measure.meaning, measure.formula, measure.use,
        measure.source, "sets" if measure.kind == "rows" else measure.kind, measure.range,
        (*measure.aliases, measure.title),
    )  # fmt: skip


_MODES = ("mistake averse",)  # properties whose names are also modes, which are explained then


def measure_topics() -> Iterator[Topic]:
    """The topics of all registered measures."""
    yield from map(_measure_topic, MEASURES.values())


def property_topics() -> Iterator[Topic]:
    """The topics of the ten properties of costs of sets."""
    for found in PROPERTIES:
        number = f"property_{found.number}"
        yield Topic(
            number if found.name in _MODES else found.name,
            f"Property {found.number} of costs of sets: {found.requires}.",
            "checked for every set of classes; `its mean` is the mean cost of the classes of the "
            "set",
            f"{_ROLES[found.filtering].capitalize()} for filtering, {_ROLES[found.choice]} for "
            "choice; `wager costs audit` checks it.",
            "Yang, Destercke & Masson (2017), Section IV and Table VIII",
            "properties",
            aliases=() if found.name in _MODES else (number,),
        )


def docstring_topics() -> Iterator[Topic]:
    """The topics of all tests and learners, whose packages take a second to load.

    A function whose result has a topic, such as `break_even`, needs none.
    """
    import wager.compare
    from wager.learners import learner_classes, learner_names

    results = {word for topic in QUANTITIES for word in topic.words}
    for name in wager.compare.__all__:
        if name.islower() and name not in results:
            aliases = _TEST_ALIASES.get(name, ())
            yield _from_docstring(name, getattr(wager.compare, name), "tests", aliases)
    classes = learner_classes()
    for name, class_name in learner_names().items():
        aliases = (class_name, *_LEARNER_ALIASES.get(name, ()))
        yield _from_docstring(name, classes[class_name], "learners", aliases)


def _from_docstring(name: str, described: Any, group: str, aliases: tuple[str, ...]) -> Topic:
    """The topic of a class or function, from its docstring."""
    text = inspect.getdoc(described) or ""
    head, references = _sections(text)
    meaning, *others = head or [""]
    use = [part for part in others if part.startswith("Use it")]
    how = [part for part in others if part not in use]
    return Topic(name, meaning, " ".join(how), " ".join(use), references, group, aliases=aliases)


def _sections(text: str) -> tuple[list[str], str]:
    """The paragraphs before the first section of a docstring, and its references."""
    parts = re.split(r"^(\w[\w ]*)\n-{4,}\n", text, flags=re.MULTILINE)
    sections = dict(zip(parts[1::2], parts[2::2], strict=True))
    return _paragraphs(parts[0]), " ".join(_paragraphs(sections.get("References", "")))


def _paragraphs(text: str) -> list[str]:
    """The paragraphs of a text, each on one line and without the marks of code."""
    found = [" ".join(part.split()) for part in re.split(r"\n\s*\n", text) if part.strip()]
    return [re.sub(r"``(.+?)``", r"\1", part) for part in found]
