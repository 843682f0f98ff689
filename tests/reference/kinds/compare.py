"""Reference cases of the comparison package: tests over folds and data sets, published tables."""

from __future__ import annotations

import numpy as np

from tests.published import published_scores
from tests.reference.compare import assert_close
from tests.reference.registry import Case, check
from tests.shared import shared
from wager.compare import (
    corrected_t,
    five_by_two_cv,
    friedman,
    nemenyi_distance,
    nemenyi_q,
    repeated_measures_anova,
    wilcoxon,
)


@check("golden/wilcoxon")
def _wilcoxon(case: Case):
    inputs, expected = case.data["inputs"], case.data["expected"]
    drop = wilcoxon(inputs["x"], inputs["y"], method="exact")
    split = wilcoxon(inputs["x"], inputs["y"], zeros="split")
    found = {
        **drop.details,
        "statistic": drop.statistic,
        "p_exact": drop.p,
        "zsplit_statistic": split.statistic,
        "zsplit_p_normal": split.details["p_normal"],
    }
    assert_close(found, expected, case.data["tolerance"])


@check("golden/friedman")
def _friedman(case: Case):
    inputs = case.data["inputs"]
    table = np.array(inputs["table"])
    outcome = friedman(table, higher_is_better=inputs["higher_is_better"])
    found = {
        **outcome.details,
        "chi2": outcome.statistic,
        "p": outcome.p,
        "nemenyi_q": nemenyi_q(table.shape[1]),
        "nemenyi_cd": nemenyi_distance(table.shape[1], len(table)),
    }
    assert_close(found, case.data["expected"], case.data["tolerance"])


@check("golden/nemenyi_cd")
def _nemenyi(case: Case):
    k, n, alpha = (case.data["inputs"][name] for name in ("k", "N", "alpha"))
    found = {"q": nemenyi_q(k, alpha), "cd": nemenyi_distance(k, n, alpha)}
    assert_close(found, case.data["expected"], case.data["tolerance"])


@check("golden/t_5x2cv")
def _five_by_two(case: Case):
    outcome = five_by_two_cv(case.data["inputs"]["differences"])
    details = outcome.details
    found = {
        **details,
        "t": outcome.statistic,
        "p": outcome.p,
        "combined_F": {"F": details["F"], "df": details["df_F"], "p": details["p_F"]},
    }
    assert_close(found, case.data["expected"], case.data["tolerance"])


@check("golden/corrected_resampled_t")
def _corrected(case: Case):
    inputs = case.data["inputs"]
    outcome = corrected_t(inputs["differences"], n_train=inputs["n_train"], n_test=inputs["n_test"])
    found = {**outcome.details, "t": outcome.statistic, "p": outcome.p}
    assert_close(found, case.data["expected"], case.data["tolerance"])


@check("golden/rm_anova_two_factor")
def _anova(case: Case):
    anova = repeated_measures_anova(case.data["inputs"]["data"])
    for name, expected in case.data["expected"].items():
        assert_close(vars(anova[name]), expected, case.data["tolerance"], name)


@check("golden/published_table")
def _published(case: Case):
    name = case.data["inputs"]["file"]
    beside = case.root / name
    file = beside if beside.exists() else shared("reference", *name.split("/"))
    scores = published_scores(file, case.data["inputs"]["table"])
    outcome = friedman(scores)
    found = {
        "median": np.median(scores, axis=0),
        "mean_rank": outcome.details["mean_ranks"],
        "friedman_chi2": outcome.statistic,
        "friedman_p": outcome.p,
        "nemenyi_cd": nemenyi_distance(scores.shape[1], len(scores)),
    }
    assert_close(found, case.data["expected"], case.data["tolerance"])
