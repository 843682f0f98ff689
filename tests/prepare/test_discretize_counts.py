"""Cuts from counts by value and class are those of the rows, to the last bit."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

from wager.prepare import EqualFrequencyDiscretizer, MDLDiscretizer, _count_values, load_dataset
from wager.prepare._fine_bins import FineBins
from wager.prepare._value_counts import ColumnCounts, Lines, ValueCounts, count_cells

DISCRETIZERS = {
    "mdl": MDLDiscretizer(),
    "distinct": MDLDiscretizer("distinct"),
    "kononenko": MDLDiscretizer(criterion="kononenko"),
    "quartiles": EqualFrequencyDiscretizer(4),
    "sevenths": EqualFrequencyDiscretizer(7),
}


def fresh(name):
    return DISCRETIZERS[name].__class__(**DISCRETIZERS[name].get_params())


def assert_same_cuts(one, other):
    for a, b in zip(one.cuts_, other.cuts_, strict=True):
        np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(one.n_values_, other.n_values_)
    assert one.schema_ == other.schema_


@st.composite
def tables(draw):
    """Numbers that follow the class to some degree, with ties and missing values."""
    n = draw(st.integers(2, 120))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    y = rng.integers(0, draw(st.integers(1, 3)), n)
    x = y * draw(st.sampled_from([0.0, 1.0, 4.0])) + rng.normal(size=n)
    x = np.round(x, draw(st.integers(0, 6)))
    x[rng.random(n) < 0.1] = np.nan
    whole = pd.Series(rng.integers(0, 9, n), dtype="Int16").where(rng.random(n) > 0.1)
    word = pd.Series(rng.choice(["u", "v", "w"], n)).astype("str")
    truth = pd.Series(np.array(["no", "yes", "ça va"])[y]).where(rng.random(n) > 0.05)
    truth[0] = "no"
    return pd.DataFrame({"x": x, "whole": whole, "word": word, "y": truth})


@pytest.mark.parametrize("ending", ["csv", pytest.param("parquet", marks=pytest.mark.long)])
@given(frame=tables(), name=st.sampled_from(sorted(DISCRETIZERS)))
@settings(max_examples=10)
def test_a_file_gives_the_cuts_of_its_rows(tmp_path_factory, ending, frame, name):
    path = tmp_path_factory.mktemp("file") / f"train.{ending}"
    frame.to_parquet(path) if ending == "parquet" else frame.to_csv(path, index=False)
    data = load_dataset(path, target="y")
    on_disk = fresh(name).fit_file(path)
    in_memory = fresh(name).fit(data.frame, data.target)
    assert_same_cuts(on_disk, in_memory)
    assert not on_disk.binned_.any()
    pd.testing.assert_frame_equal(on_disk.transform(data.frame), in_memory.transform(data.frame))


@given(frame=tables(), name=st.sampled_from(sorted(DISCRETIZERS)), cut=st.integers(1, 119))
def test_rows_in_parts_give_the_cuts_of_all_rows(frame, name, cut):
    frame = frame.dropna(subset="y").astype({"word": "category"})
    X, y = frame[["x", "whole", "word"]], frame["y"]
    parts = fresh(name)
    for rows in (slice(0, cut), slice(cut, None)):
        if len(X[rows]):
            parts.partial_fit(X[rows], y[rows])
    whole = fresh(name).fit(X, y)
    assert_same_cuts(parts, whole)
    sites = [fresh(name).partial_fit(X[i::2], y[i::2]).counts_ for i in range(min(2, len(X)))]
    assert_same_cuts(fresh(name).fit_counts(sum(sites)), whole)


@given(st.integers(0, 1000), st.sampled_from([1, 50, 2000]))
@settings(max_examples=6, deadline=None)
def test_a_bin_has_the_same_number_in_sql(seed, size):
    import duckdb

    rng = np.random.default_rng(seed)
    values = np.concatenate([rng.normal(size=size), [0.0, 1e6, -1e6]])
    bins = FineBins.of_sample(values[: size // 2 + 2])
    con = duckdb.connect()
    con.register("given", {"x": values})
    found = con.execute(f"SELECT {bins.sql('x')} AS bin FROM given").fetchnumpy()["bin"]
    np.testing.assert_array_equal(found, bins.number(values))


def test_bins_ascend_with_the_numbers():
    values = np.sort(np.random.default_rng(1).standard_cauchy(5000))
    assert (np.diff(FineBins.of_sample(values).number(values)) >= 0).all()


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_cuts_between_bins_are_those_of_the_rows(tmp_path, monkeypatch, ending):
    """With so many bins that every number has its own, the cuts are exact; else near them."""
    monkeypatch.setattr(_count_values, "MOST_VALUES", 50)
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, 3000)
    frame = pd.DataFrame({"x": 3 * y + rng.normal(size=3000), "z": rng.random(3000), "y": y})
    path = tmp_path / f"train.{ending}"
    frame.to_parquet(path) if ending == "parquet" else frame.to_csv(path, index=False)
    data = load_dataset(path, target="y")
    for name in ("mdl", "sevenths"):
        on_disk = fresh(name).fit_file(path)
        in_memory = fresh(name).fit(data.frame, data.target)
        assert on_disk.binned_.tolist() == [True, True]
        for got, exact, column in zip(on_disk.cuts_, in_memory.cuts_, ["x", "z"], strict=True):
            values = np.sort(frame[column])
            moved = np.abs(np.searchsorted(values, got) - np.searchsorted(values, exact))
            assert (moved <= 3000 // 256 + 1).all()
    assert on_disk.counts_.n_rows == 3000


def test_counts_by_different_bins_are_not_added(tmp_path, monkeypatch):
    monkeypatch.setattr(_count_values, "MOST_VALUES", 50)
    counts = []
    for seed in (0, 1):
        path = tmp_path / f"{seed}.parquet"
        x = np.random.default_rng(seed).random(500)
        pd.DataFrame({"x": x, "y": (x > 0.5).astype(int)}).to_parquet(path)
        counts.append(MDLDiscretizer().fit_file(path).counts_)
    assert (counts[0] + counts[0]).n_rows == 1000
    with pytest.raises(ValueError, match="column 'x', which were counted by different bins"):
        counts[0] + counts[1]


def test_what_counts_cannot_say_is_refused():
    frame = pd.DataFrame({"x": [1.0, 2.0], "word": ["a", "b"]})
    cutter = MDLDiscretizer().fit(frame, [0, 1])
    with pytest.raises(AttributeError) as refused:
        cutter.partial_fit(frame, [0, 1])
    assert "fit does not keep the counts" in str(refused.value.__cause__)
    counts = MDLDiscretizer().partial_fit(frame, [0, 1]).counts_
    with pytest.raises(ValueError, match="column 'word' has labels and cannot be cut"):
        MDLDiscretizer(categorical_features="none").fit_counts(counts)
    other = MDLDiscretizer().partial_fit(frame[["x"]], [0, 1]).counts_
    with pytest.raises(ValueError, match="both parts must have the same columns"):
        counts + other


@pytest.mark.parametrize("zeros", [(0.0, -0.0), (-0.0, 0.0), (-0.0, -0.0)])
def test_a_cut_at_a_negative_zero_is_called_zero(zeros):
    frame = pd.DataFrame({"x": [zeros[0], 1.0, 1.0, -1.0, -1.0, zeros[1], -2.0, zeros[1], -1.0]})
    names = EqualFrequencyDiscretizer(7).fit(frame).transform(frame)["x"].cat.categories
    assert [name for name in names if "0.0" in name] == [
        "(-0.5714285714285716, 0.0]",
        "(0.0, 0.8571428571428568]",
    ]


def test_numbers_of_one_bin_are_one_line_with_the_least_and_the_largest_of_them():
    bins, values = FineBins(np.array([0.0, 1.0, 10.0])), np.array([0.002, 5.0, 0.001])
    low, high, code = Lines.of(values, values, bins)
    assert (low.tolist(), high.tolist()) == ([0.001, 5.0], [0.002, 5.0])
    assert code.tolist() == [0, 1, 0]


def test_counts_by_bins_add_up_to_those_of_all_rows():
    bins, rng = FineBins(np.linspace(0, 1, 4)), np.random.default_rng(0)
    x, y = rng.random(500), rng.integers(0, 2, 500)

    def counted(rows):
        lines = Lines.of(x[rows], x[rows], bins)
        table = count_cells(lines.code, y[rows], np.ones(len(x[rows]), int), (len(lines.low), 2))
        column = ColumnCounts(table, None, lines.low, lines.high, bins)
        return ValueCounts(("x",), ("p", "q"), np.bincount(y[rows], minlength=2), (column,))

    (found,), (whole,) = (
        counts.columns
        for counts in (counted(slice(200)) + counted(slice(200, None)), counted(slice(None)))
    )
    for what in ("low", "high", "table"):
        np.testing.assert_array_equal(getattr(found, what), getattr(whole, what))
