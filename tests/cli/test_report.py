"""``wager report``: files, tallies, runs and empty pages as one HTML file."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from wager.compare import compare_files
from wager.report.page import _inputs
from wager.rewards import Tally

CAUTIOUS = (
    "y_true,set,region\n" + "a,a,north\nb,a|b,south\nb,b,south\nc,c,north\na,a|b|c,north\n" * 8
)
PLAIN = "y_true,y_pred\n" + "a,a\nb,a\nb,b\nc,c\na,b\n" * 8
PROBABLE = "y_true,p:a,p:b,p:c\n" + (
    "a,0.7,0.2,0.1\nb,0.5,0.4,0.1\nb,0.2,0.6,0.2\nc,0.1,0.1,0.8\na,0.4,0.5,0.1\n" * 8
)
COSTS = "predicted,a,b,c\na,0,2,9\nb,1,0,4\nc,3,1,0\n"


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "cautious.csv": CAUTIOUS, "plain.csv": PLAIN, "probable.csv": PROBABLE, "costs.csv": COSTS,
    }.items():  # fmt: skip
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.fixture
def report(wager, files):
    """The data of the page that a command writes."""

    def run(*words):
        result = wager("report", *words, "-o", "page.html", "--quiet")
        assert result.exit_code == 0, result.output
        return data_of((files / "page.html").read_text(encoding="utf-8"))

    return run


def data_of(html):
    return json.loads(re.search(r'id="wager-data">(.*?)</script>', html, re.S)[1])


def test_classes_can_be_listed_in_a_file(report, files):
    (files / "classes.txt").write_text("a\nb\nc\nd\n")
    assert report("cautious.csv", "--classes", "@classes.txt")["classes"] == ["a", "b", "c", "d"]


def test_files_are_compared_on_the_same_rows(report, files):
    data = report("cautious.csv", "plain.csv", "--title", "Two")
    assert data["kind"] == "comparison"
    assert data["title"] == "Two"
    assert [one["name"] for one in data["classifiers"]] == ["cautious", "plain"]
    assert data["facts"]["rows"] == 40
    assert data["classes"] == ["a", "b", "c"]
    assert [len(one["sha256"]) for one in data["facts"]["inputs"]] == [64, 64]
    found = compare_files([files / "cautious.csv", files / "plain.csv"])
    for one in data["classifiers"]:
        counted = {(s, h): n for s, h, n in one["tally"]["cells"]}
        table = found.tallies[one["name"]].table
        assert counted == {(s, h): table[s, h] for s, h in np.argwhere(table).tolist()}
    assert data["classifiers"][0]["confusion"] is not None
    assert data["rows"] is None
    assert [one["a"] for one in data["sequences"]] == [0]


def test_the_page_says_what_it_is_and_how_large(wager, files):
    result = wager("report", "cautious.csv", "plain.csv", "-o", "page.html")
    assert re.fullmatch(
        r"page.html: cautious and plain on the same 40 rows, 3 classes \(\d+ kB\)\n", result.stdout
    )


def test_one_file_is_evaluated(report):
    data = report("probable.csv", "--level", "0.9", "-u", "u65", "-u", "f1")
    assert data["kind"] == "evaluation"
    assert data["facts"]["level"] == 0.9
    assert [one["name"] for one in data["utilities"]] == ["u65", "f1"]
    assert "information_reward" in data["classifiers"][0]["probabilities"]["measures"]


def test_groups_names_and_rows(report):
    data = report("cautious.csv", "plain.csv", "--by", "region", "--names", "x,y", "--rows", "10")
    assert [one["name"] for one in data["classifiers"]] == ["x", "y"]
    assert data["classifiers"][0]["groups"]["labels"] == ["north", "south"]
    assert data["classifiers"][0]["groups"]["name"] == "region"
    rows = data["rows"]
    assert (rows["n"], rows["shown"], len(rows["truth"])) == (40, 10, 10)
    sets = [[rows["sets"][k] for k in column] for column in rows["columns"]]
    hits = [[t in one for t, one in zip(rows["truth"], own, strict=True)] for own in sets]
    assert all(a != b for a, b in zip(*hits, strict=True))  # right and wrong come first


def test_costs_are_in_the_page(report):
    data = report("cautious.csv", "plain.csv", "--costs", "costs.csv", "--unit", "EUR")
    assert data["costs"]["matrix"] == [[0, 2, 9], [1, 0, 4], [3, 1, 0]]
    assert data["costs"]["unit"] == "EUR"
    assert data["utilities"] == []
    assert "--costs costs.csv" in data["reproduce"]["shell"][0]
    assert "--unit EUR" in data["reproduce"]["shell"][0]


def test_large_files_are_counted_without_reading_them_whole(report, monkeypatch):
    words = ("cautious.csv", "probable.csv", "--by", "region", "--costs", "costs.csv", "-u", "u65")
    whole = report(*words)
    monkeypatch.setattr(_inputs, "_IN_MEMORY", 10)
    counted = report(*words)
    for key in ("facts", "classes", "utilities"):
        assert counted[key] == whole[key]
    for one, other in zip(counted["classifiers"], whole["classifiers"], strict=True):
        assert one["confusion"] is None
        for key in ("tally", "by_class", "kind"):
            assert one[key] == other[key]
    assert counted["classifiers"][0]["groups"] == whole["classifiers"][0]["groups"]
    one, other = (data["classifiers"][1]["probabilities"] for data in (counted, whole))
    for name, estimate in other["measures"].items():
        assert one["measures"][name] == pytest.approx(estimate)
    bins = [found["reliability"]["top_label"] for found in (one, other)]
    np.testing.assert_allclose(*bins)
    assert "million rows" in counted["left_out"][0]


@pytest.mark.parametrize("column", ["weight", "count", "cluster", None])
def test_parts_of_large_files_are_left_out_if_other_files_decide_about_rows(
    report, files, monkeypatch, column
):
    head, *lines = PROBABLE.splitlines()
    texts = {
        "one.csv": [f"{head},{column or 'note'}", *(f"{x},{i % 3}" for i, x in enumerate(lines))]
    }
    if column is None:
        texts["one.csv"][3] = "b,,0.6,0.2,5"
    texts["two.csv"] = [head, *lines]
    for name, text in texts.items():
        (files / name).write_text("\n".join(text) + "\n")
    words = ("one.csv", "two.csv", "--na", "drop", "-u", "u65")
    whole = report(*words)
    monkeypatch.setattr(_inputs, "_IN_MEMORY", 10)
    counted = report(*words)
    assert any("are shown if each file has the same columns" in x for x in counted["left_out"])
    for one, other in zip(counted["classifiers"], whole["classifiers"], strict=True):
        assert one["tally"] == other["tally"]
        assert [one[part] for part in ("by_class", "groups", "probabilities")] == [None] * 3


@pytest.mark.parametrize("words", [(), ("--na", "drop")])
def test_rows_of_one_file_need_no_id(report, files, words):
    (files / "one.csv").write_text("id,y_true,y_pred\nr1,a,b\n,b,b\nNA,b,a\n")
    data = report("one.csv", "--rows", "5", *words)
    assert data["facts"]["rows"] == 3
    assert data["rows"]["id"] == ["r1", "row 2", "row 3"]


def test_rows_are_matched_by_id(report, files):
    lines = [f"r{i},{line}" for i, line in enumerate(PLAIN.splitlines()[1:])]
    (files / "plain.csv").write_text("\n".join(["id,y_true,y_pred", *reversed(lines)]))
    lines = [f"r{i},{line}" for i, line in enumerate(CAUTIOUS.splitlines()[1:])]
    (files / "cautious.csv").write_text("\n".join(["id,y_true,set,region", *lines]))
    data = report("cautious.csv", "plain.csv", "--rows", "40")
    found = compare_files([files / "cautious.csv", files / "plain.csv"])
    assert data["rows"]["id"] == [f"r{i}" for i in range(40)]
    a, b = (one["tally"]["cells"] for one in data["classifiers"])
    assert sum(n for _, hit, n in b if hit) == found.tallies["plain"].table[:, 1].sum()
    assert sum(n for _, hit, n in a if hit) == found.tallies["cautious"].table[:, 1].sum()


def test_rows_with_missing_values_are_left_out_of_all(report, files):
    (files / "plain.csv").write_text(PLAIN.replace("a,a\n", "a,NA\n", 1))
    data = report("cautious.csv", "plain.csv", "--na", "drop", "--rows", "40")
    assert data["facts"]["rows"] == 39
    assert data["rows"]["n"] == 39
    assert any("left out" in words for words in data["facts"]["warnings"])


def test_weights_and_clusters_are_taken_from_any_file(report, files):
    weights = ["weight", *(str(1 + i % 3) for i in range(40))]
    clusters = ["cluster", *(f"c{i // 4}" for i in range(40))]
    lines = zip(PLAIN.splitlines(), weights, clusters, strict=True)
    (files / "plain.csv").write_text("\n".join(",".join(line) for line in lines))
    data = report("cautious.csv", "plain.csv")
    assert data["facts"]["units"] == "clusters"
    assert data["facts"]["clusters"] == 10
    assert data["sequences"] == []


def test_standard_input_is_one_of_the_files(wager, files):
    result = wager("report", "-", "plain.csv", "-o", "page.html", input=CAUTIOUS)
    assert result.exit_code == 0, result.output
    data = data_of((files / "page.html").read_text(encoding="utf-8"))
    assert [one["name"] for one in data["classifiers"]] == ["stdin", "plain"]
    assert data["facts"]["inputs"][0]["sha256"] is None


def test_tallies_as_json_are_reported(report, files):
    for name, seed in (("north", 0), ("south", 1)):
        rng = np.random.default_rng(seed)
        y = rng.integers(0, 3, 50)
        tally = Tally.of(y, rng.integers(0, 3, 50), classes=[0, 1, 2])
        (files / f"{name}.json").write_text(tally.to_json())
    data = report("north.json", "south.json")
    assert data["kind"] == "comparison"
    assert data["facts"]["paired"] is False
    assert [one["name"] for one in data["classifiers"]] == ["north", "south"]
    assert report("north.json")["kind"] == "evaluation"


ABOUT_ROWS = (
    ("--costs", "costs.csv"),
    ("--by", "region"),
    ("--rows", "5"),
    ("--form", "set"),
    ("--weight", "w"),
    ("--cluster", "c"),
    ("--prior", "0.2,0.3,0.5"),
    ("--classes", "a,b,c"),
    ("--na", "drop"),
    ("--rule", "interval-dominance"),
)
SAID = {"--weight": "the name of a column"}


def test_a_tally_that_is_named_twice_is_refused(wager, files):
    (files / "north.json").write_text(Tally.of([0, 1], [0, 0], classes=[0, 1]).to_json())
    result = wager("report", "north.json", "north.json")
    assert result.exit_code == 2
    assert "duplicate name 'north.json': give each file a different name" in result.output


@pytest.mark.parametrize("option", ABOUT_ROWS)
def test_options_about_rows_are_refused_for_tallies(wager, files, option):
    (files / "north.json").write_text(Tally.of([0, 1], [0, 0], classes=[0, 1]).to_json())
    result = wager("report", "north.json", *option)
    assert result.exit_code == 2
    said = SAID.get(option[0], option[0])
    assert f"{said} is for prediction files: leave it out for tallies" in result.output


@pytest.mark.parametrize(
    "option", [*ABOUT_ROWS, ("--names", "x,y"), ("-u", "u65"), ("--level", "0.9")]
)
def test_options_that_the_data_of_a_page_settle_are_refused(wager, report, files, option):
    (files / "report.json").write_text(json.dumps(report("cautious.csv", "plain.csv")))
    result = wager("report", "report.json", *option)
    assert result.exit_code == 2
    said = {**SAID, "-u": "--utility"}.get(option[0], option[0])
    assert f"{said} is settled by the data of the page in report.json" in result.output


def test_the_data_of_a_page_make_the_page_again(report, files):
    data = report("cautious.csv", "plain.csv")
    (files / "report.json").write_text(json.dumps(data))
    assert report("report.json") == data
    assert report("report.json", "--title", "Again")["title"] == "Again"
    (files / "report.json").write_text(json.dumps(data | {"version": 99}))


def test_a_run_is_reported(report, store):
    data = report("out")
    assert data["kind"] == "store"
    assert data["store"]["learners"] == list(store.learners)
    chosen = report("out", "--names", ",".join(store.learners[:2]), "-u", "u80")
    assert chosen["store"]["learners"] == list(store.learners[:2])
    assert [one["name"] for one in chosen["utilities"]] == ["u80"]


def test_the_shell_line_makes_the_same_page(wager, files):
    import shlex

    words = ["cautious.csv", "plain.csv", "--by", "region", "--title", "It's", "--rows", "5"]
    result = wager("report", *words, "-o", "one.html", "--classes", 'a,b,"c"', "-u", "u65")
    assert result.exit_code == 0, result.output
    first = data_of((files / "one.html").read_text(encoding="utf-8"))
    assert wager(*shlex.split(first["reproduce"]["shell"][0])[1:]).exit_code == 0
    assert data_of((files / "one.html").read_text(encoding="utf-8")) == first


def test_the_python_lines_make_the_same_page(wager, files):
    words = ["cautious.csv", "plain.csv", "--costs", "costs.csv", "--unit", "EUR", "-u", "u65"]
    assert wager("report", *words, "-o", "one.html", "--by", "region").exit_code == 0
    first = data_of((files / "one.html").read_text(encoding="utf-8"))
    exec("\n".join(first["reproduce"]["python"]), {})
    again = data_of((files / "one.html").read_text(encoding="utf-8"))
    assert again | {"reproduce": None} == first | {"reproduce": None}


def test_an_empty_page_waits_for_files(wager, files):
    assert wager("report", "--empty", "-o", "try.html").exit_code == 0
    assert data_of((files / "try.html").read_text(encoding="utf-8"))["kind"] == "empty"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "no input"),
        (["missing.csv"], "missing.csv: no such file"),
        (["costs.csv"], "y_true"),
        (["cautious.csv", "costs.csv"], "costs.csv"),
        (["cautious.csv", "plain.csv", "--by", "planet"], "there is no column planet"),
        (["cautious.csv", "--by", "planet"], "there is no column planet"),
        (["cautious.csv", "plain.csv", "--rows", "100000"], "up to 5000 rows"),
        (["cautious.csv", "plain.csv", "--unit", "EUR"], "--costs"),
        (["cautious.csv", "plain.csv", "--names", "x"], "one name per file"),
        (["cautious.csv", "--empty"], "--empty"),
        (["cautious.csv", "plain.csv", "-o", "nowhere/page.html"], "nowhere"),
        (["broken.json"], "broken.json"),
        (["broken.json", "broken.json"], "broken.json"),
        (["old.json"], "version 99"),
        (["out", "cautious.csv"], "one run"),
        (["out", "--by", "region"], "--by is for prediction files"),
        (["out", "--na", "drop"], "--na is for prediction files"),
        (["out", "--truth", "y"], "the name of a column is for prediction files"),
        (["out", "--names", "nobody"], "no learner 'nobody'"),
    ],
)
def test_mistakes_are_one_sentence(wager, files, store, words, said):
    (files / "broken.json").write_text('{"table": 3}')
    (files / "old.json").write_text('{"format": "wager-report", "version": 99}')
    result = wager("report", "-o", "page.html", *words)
    assert result.exit_code == 2, result.output
    assert result.stderr.startswith("wager: ")
    assert result.stderr.count("\n") == 1
    assert said in result.stderr
    assert not (files / "page.html").exists()


def test_a_page_that_cannot_be_made_leaves_the_file_as_it_was(wager, files):
    (files / "page.html").write_text("as before")
    assert wager("report", "cautious.csv", "missing.csv", "-o", "page.html").exit_code == 2
    assert (files / "page.html").read_text() == "as before"


def test_costs_of_single_classes_price_the_sets_of_one_file(wager, tmp_path):
    """As `wager score --costs` does, and as pages of two files do."""
    sets, costs, out = (tmp_path / name for name in ("sets.csv", "costs.csv", "out.html"))
    sets.write_text("y_true,set\na,a|b\nb,a\nb,b\na,a|b\n")
    costs.write_text("predicted,a,b\na,0,2\nb,1,0\n")
    made = wager("report", sets, "--costs", costs, "-o", out)
    assert made.exit_code == 0, made.stderr
    scored = json.loads(wager("score", sets, "--costs", costs, "-f", "json").stdout)[0]["scores"]
    (average,) = [s["value"] for s in scored if s["measure"] == "average_cost"]
    (shown,) = json.loads(
        re.search(r'type="application/json"[^>]*>(.*?)</script>', out.read_text(), re.S)[1]
    )["costs"]["estimates"]
    assert shown["value"] == pytest.approx(average)


def test_names_of_files_and_tallies_are_one_each_and_different(wager, tmp_path):
    from wager.rewards import Tally

    out = tmp_path / "out.html"
    file, *tallies = (tmp_path / name for name in ("sets.csv", "one.json", "two.json"))
    file.write_text("y_true,set\na,a|b\nb,a\nb,b\n")
    for path in tallies:
        path.write_text(Tally.of(["a", "b"], [["a"], ["a", "b"]]).to_json())
    for inputs, names, words in (
        ([file], "x,y", "2 names were given for 1 file"),
        (tallies, "x", "1 name was given for 2 files"),
        (tallies, "x,x", "duplicate name 'x'"),
    ):
        said = wager("report", *inputs, "--names", names, "-o", out)
        assert said.exit_code == 2
        assert words in said.stderr
        assert not out.exists()
