"""``wager fit`` on files that stay on disk writes what it writes for rows in memory."""

import gzip

import numpy as np
import pandas as pd
import pytest

from wager.predictions import write_predictions, writing_predictions
from wager.prepare import _chunks, dataset_chunks, load_dataset


@pytest.fixture
def files(tmp_path):
    """Training and test files with numbers, labels, missing values and missing classes."""
    rng = np.random.default_rng(0)
    n = 600
    y = rng.integers(0, 3, n)
    frame = pd.DataFrame(
        {
            "a": (y + rng.normal(size=n)).round(2),
            "b": rng.choice(["u", "v", "w w"], n),
            "kind": np.array(["no", "yes", "may be"])[y],
        }
    )
    frame.loc[rng.random(n) < 0.05, "a"] = np.nan
    frame.loc[rng.random(n) < 0.05, "b"] = None
    frame.loc[rng.random(n) < 0.05, "kind"] = None
    for part, rows in (("train", slice(0, 400)), ("test", slice(400, n))):
        frame[rows].to_csv(tmp_path / f"{part}.csv", index=False)
        frame[rows].to_parquet(tmp_path / f"{part}.parquet")
    return tmp_path


def without_warnings(text):
    """What is said beside the number of rows that have no class."""
    lines = text.splitlines(keepends=True)
    return "".join(line for line in lines if "left out because they have no class" not in line)


@pytest.mark.parametrize(
    ("learner", "options"),
    [
        ("naive-credal", ("--discretize", "mdl", "--set", "s=2")),
        ("naive-bayes", ("--discretize", "equal-frequency", "--bins", "3")),
        ("tan", ("--discretize", "mdl", "--classes", "yes,no,may be,never")),
    ],
)
def test_rows_on_disk_give_the_predictions_of_rows_in_memory(wager, files, learner, options):
    written = {}
    for where, ending in (("memory", "csv"), ("disk", "csv"), ("disk", "parquet")):
        out = files / f"{where}-{ending}.csv"
        train, test = str(files / f"train.{ending}"), str(files / "test.csv")
        result = wager("fit", learner, train, test, "--target", "kind", *options, "--rows", where,
                     "-o", str(out))  # fmt: skip
        assert result.exit_code == 0, result.stderr
        said = f"training {learner} from counts: the rows of {train} stay on disk\n"
        assert without_warnings(result.stderr) == (said if where == "disk" else "")
        written[where, ending] = out.read_bytes()
    assert len(set(written.values())) == 1


@pytest.mark.parametrize("learner", ["naive-bayes", "naive-credal", "aode", "tan"])
@pytest.mark.parametrize("with_numbers", [True, False])
def test_a_learner_that_was_trained_on_disk_can_be_saved(wager, files, learner, with_numbers):
    train, test = files / "train.csv", files / "test.csv"
    options = ("--discretize", "mdl") if with_numbers else ()
    if not with_numbers:
        for file in (train, test):
            pd.read_csv(file).drop(columns="a").to_csv(file, index=False)
    first, again, saved = (str(files / name) for name in ("first.csv", "again.csv", "model.npz"))
    result = wager("fit", learner, str(train), str(test), "--target", "kind", *options,
                   "--rows", "disk", "--save", saved, "-o", first)  # fmt: skip
    assert result.exit_code == 0, result.stderr
    assert wager("predict", saved, str(test), "--target", "kind", "-o", again).exit_code == 0
    assert (files / "again.csv").read_bytes() == (files / "first.csv").read_bytes()


def test_a_large_file_stays_on_disk_and_is_predicted_in_chunks(wager, files, monkeypatch):
    arguments = ("fit", "naive-credal", str(files / "train.parquet"), str(files / "test.parquet"),
                 "--target", "kind", "--discretize", "mdl")  # fmt: skip
    assert without_warnings(wager(*arguments, "-o", str(files / "whole.csv")).stderr) == ""
    wager(*arguments, "-o", str(files / "whole.parquet"))
    monkeypatch.setattr(_chunks, "LARGE_FILE", 0)
    monkeypatch.setattr("wager.cli.fit._NUMBERS", 1)
    monkeypatch.setattr("wager.cli.fit._LEAST_ROWS", 7)
    large = wager(*arguments, "-o", str(files / "chunks.csv"))
    assert "stay on disk" in large.stderr
    assert (files / "chunks.csv").read_bytes() == (files / "whole.csv").read_bytes()
    wager(*arguments, "-o", str(files / "chunks.parquet"))
    pd.testing.assert_frame_equal(
        pd.read_parquet(files / "chunks.parquet"), pd.read_parquet(files / "whole.parquet")
    )
    in_memory = wager("fit", "c45", *arguments[2:], "-o", str(files / "c45.csv"))
    assert without_warnings(in_memory.stderr) == (
        f"reading {files / 'train.parquet'} into memory, since c45 needs all rows\n"
    )


def test_what_cannot_stay_on_disk_is_said(wager, files):
    def said(learner, *options):
        result = wager("fit", learner, str(files / "train.csv"), str(files / "test.csv"),
                     "--target", "kind", "--rows", "disk", "-o", str(files / "out.csv"),
                     *options)  # fmt: skip
        assert result.exit_code == 2
        assert not (files / "out.csv").exists()
        return result.stderr.splitlines()[-1]

    assert "c45 with this preparation needs all rows in memory" in said("c45")
    assert "needs all rows in memory" in said("naive-credal", "--select", "cfs")
    assert "column 'a' of train has numbers: discretize them" in said("naive-credal")
    declared = said("naive-credal", "--discretize", "mdl", "--classes", "yes,no")
    assert declared == (
        "wager: train has the class may be, which is not among yes, no: declare all classes with "
        "--classes"
    )


def test_an_unknown_class_far_down_is_named_with_its_row(wager, files, monkeypatch):
    rows = (files / "test.csv").read_text().splitlines()
    (files / "test.csv").write_text("\n".join([*rows, "1.0,u,other"]) + "\n")
    monkeypatch.setattr(_chunks, "LARGE_FILE", 0)
    monkeypatch.setattr("wager.cli.fit._NUMBERS", 1)
    monkeypatch.setattr("wager.cli.fit._LEAST_ROWS", 50)
    train, test, out = (files / name for name in ("train.csv", "test.csv", "out.csv"))
    result = wager("fit", "naive-credal", train, test, "--target", "kind", "--discretize", "mdl",
                   "-o", out)  # fmt: skip
    assert result.exit_code == 2
    assert f"test has the class other in row {len(rows)}, which is not among" in result.stderr
    assert not (files / "out.csv").exists()


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_chunks_of_a_data_set_have_its_rows(files, monkeypatch, ending):
    path = files / f"test.{ending}"
    whole = load_dataset(path, target="kind")
    monkeypatch.setattr(_chunks, "LARGE_FILE", 0)
    parts = list(dataset_chunks(path, "kind", 64))
    assert len(parts) > 2
    assert [label for part in parts for label in part.y] == whole.y.tolist()
    numbers = np.concatenate([part.values[0] for part in parts])
    np.testing.assert_array_equal(numbers, whole.values[0])


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "jsonl", "parquet", "arrow"])
def test_predictions_in_parts_are_those_of_one_call(tmp_path, ending):
    rng = np.random.default_rng(1)
    truth = np.array(["a", "b"])[rng.integers(0, 2, 500)]
    proba = rng.dirichlet([1, 1], 500)
    whole, parts = tmp_path / f"whole.{ending}", tmp_path / f"parts.{ending}"
    write_predictions(whole, truth, sets=proba > 0.3, proba=proba, classes=["a", "b"])
    with writing_predictions(parts) as write:
        for rows in (slice(0, 200), slice(200, 201), slice(201, None)):
            write(truth[rows], sets=proba[rows] > 0.3, proba=proba[rows], classes=["a", "b"])
        assert not parts.exists()
    read = {
        "csv.gz": lambda path: gzip.decompress(path.read_bytes()),
        "parquet": lambda path: pd.read_parquet(path).to_csv(),
        "arrow": lambda path: pd.read_feather(path).to_csv(),
    }.get(ending, lambda path: path.read_bytes())
    assert read(parts) == read(whole)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([whole.name, parts.name])
