"""Distributions, numbers in words and the ranks of the script, as in Python."""

import random

import numpy as np
import pytest
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from tests.report.page.agreement import assert_same, run
from wager.compare import over_datasets
from wager.experiments import Plan, Store, run as run_plan
from wager.report.page import report_data
from wager.report.page._packed import pack, unpack


def test_distributions_agree_in_all_digits_that_matter(engine):
    rng = np.random.default_rng(0)
    x, p = rng.uniform(-37, 8, 300), 10 ** rng.uniform(-290, -0.31, 300)
    df, t = 10 ** rng.uniform(-2, 9, 300), 10 ** rng.uniform(-3, 1.5, 300)
    tail = 10 ** rng.uniform(-12, -0.4, 300)
    found = run(
        engine,
        """const s = wager.statistics;
        return [
          x.map(s.normalCdf), p.map(s.normalQuantile), df.map((d, i) => s.studentTail(d, t[i])),
          df.map((d, i) => s.studentQuantile(Math.max(d, 0.5), tail[i])),
        ];""",
        x=x.tolist(), p=p.tolist(), df=df.tolist(), t=t.tolist(), tail=tail.tolist(),
    )  # fmt: skip
    expected = [ndtr(x), ndtri(p), stdtr(df, -t), -stdtrit(np.maximum(df, 0.5), tail)]
    for page, own in zip(found, expected, strict=True):
        seen = own > 1e-290 if (own > 0).all() else np.ones(len(own), dtype=bool)
        np.testing.assert_allclose(np.array(page, dtype=float)[seen], own[seen], rtol=1e-12)


def test_numbers_are_written_as_in_python(engine):
    random.seed(1)
    some = [0.0, 0.125, 0.625, 2.5, -0.625, 99999.95, 999999.5, 1e-5, -1e-12, 65.3]
    some += [random.randint(-800, 800) / 40 for _ in range(200)]
    some += [10 ** random.uniform(-12, 12) for _ in range(200)]
    found = run(
        engine,
        """const n = wager.numbers;
        return some.map((x) => [
          n.fixed(x, 2), n.fixed(x, 0), n.general(x), n.general(x, 10), n.grouped(x, 2),
        ]);""",
        some=some,
    )
    for x, words in zip(some, found, strict=True):
        assert words == [f"{x:.2f}", f"{x:.0f}", f"{x:g}", f"{x:.10g}", f"{x:,.2f}"]


def test_packed_lists_are_read_by_the_page(engine):
    rng = np.random.default_rng(3)
    lists = [(10 ** rng.uniform(0, 14, 50)).astype(np.int64).tolist(), [], [0, 31, 32, 1023, 1024]]
    found = run(
        engine,
        "return lists.map((l, i) => [wager.numbers.unpack(texts[i]), wager.numbers.pack(l)]);",
        lists=lists,
        texts=[pack(numbers) for numbers in lists],
    )
    for numbers, (read, written) in zip(lists, found, strict=True):
        assert read == numbers == unpack(written)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run") / "out"
    plan = Plan(
        datasets=["iris"],
        measures=["u65"],
        scheme={"kind": "holdout", "repeats": 3},
        learners={
            "nbc": {"learner": "naive-bayes"},
            "ncc": {"learner": "naive-credal"},
            "all": {"learner": "vacuous"},
        },
        prepare={"discretize": "mdl"},
    )
    run_plan(plan, folder, n_jobs=1)
    return Store(folder)


@pytest.mark.long
def test_scores_of_a_run_follow_from_the_shares_of_its_outcomes(store, engine):
    dms = [{"family": "quadratic", "u_half": u} for u in (0.5, 0.65, 0.83)]
    found = run(engine, "return dms.map((dm) => model.storeOf(dm).scores);",
                data=report_data(store), dms=dms)  # fmt: skip
    for dm, scores in zip(dms, found, strict=True):
        expected = store.scores(f"u{100 * dm['u_half']:g}")
        assert_same(scores, expected.values.tolist())


class Results:
    """What a page reads from a store, for random results on many data sets."""

    def __init__(self, n_datasets, n_learners, seed):
        rng = np.random.default_rng(seed)
        self.learners = tuple(f"l{i}" for i in range(n_learners))
        self.rows = [f"d{i}" for i in range(n_datasets)]
        self.shares = {}
        for name in self.rows:
            K = int(rng.integers(2, 7))
            for i, learner in enumerate(self.learners):
                table = np.zeros((K + 1, 2))
                size = rng.choice([1, 2, K], 40, p=[0.6, 0.3, 0.1])
                hit = (rng.random(40) < 0.5 + 0.06 * i) | (size == K)
                np.add.at(table, (size, hit.astype(int)), 1 / 40)
                self.shares[name, learner] = table
            if n_learners == 4:  # the two best ones are equal
                self.shares[name, learner] = self.shares[name, self.learners[2]]

    def outcome_shares(self):
        return self.shares

    def scores(self, measure):
        return self

    def counts(self):
        return {"planned": 9, "done": 9, "failed": 0}

    def failures(self):
        return []

    def uneven(self, learners):
        return None

    def table(self, utility):
        from wager.rewards import Tally

        return np.array(
            [
                [Tally(self.shares[row, name]).expected_utility(utility) for name in self.learners]
                for row in self.rows
            ]
        )


@pytest.mark.parametrize(
    ("n_datasets", "n_learners"),
    [(12, 3), (55, 8), (20, 2), (70, 2), (4, 5), (5, 6), (30, 4), (3, 4)],
)
def test_learners_of_a_run_are_ranked_and_tested_as_in_python(n_datasets, n_learners, engine):
    results = Results(n_datasets, n_learners, n_datasets)
    places = [0.5, 0.65, 0.77, 0.95]
    found = run(
        engine,
        """return places.map((u) => {
          const dm = {family: "quadratic", u_half: u};
          return { ...model.storeOf(dm), verdict: model.verdict(dm).sentence };
        });""",
        data=report_data(results),
        places=places,
    )
    for u, page in zip(places, found, strict=True):
        utility = f"u{100 * u:g}"
        own = over_datasets({utility: results.table(u)}, names=results.learners)
        assert_same(page["means"], own.scores[utility].mean(axis=0).tolist())
        assert_same(page["meanRanks"], own.mean_ranks(utility).tolist())
        assert_same(page["test"]["p"], own.test(utility).p)
        assert page["test"]["sentence"] == own.test(utility).verdict
        names = results.learners
        beaten = [(names[better], names[worse]) for better, worse in page["beaten"]]
        assert beaten == own.beaten(utility)
        assert page["verdict"] == own.recommendation
