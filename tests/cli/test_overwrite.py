"""No command writes over a file that it reads, however the file is spelled."""

import os

import pytest

A = "y_true,y_pred\na,a\nb,a\nb,b\n"
B = "y_true,y_pred\na,a\nb,b\nb,b\n"
COSTS = "predicted,a,b\na,0,1\nb,2,0\n"
DATA = "x,kind\n1,a\n2,b\n1,a\n2,b\n"
UTILITY = 'name = "mine"\nkind = "quadratic"\na = 0.7\n'


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    texts = {"a.csv": A, "b.csv": B, "c.csv": COSTS, "train.csv": DATA, "test.csv": DATA}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "classes.txt").write_text("a\nb\n")
    (tmp_path / "u.toml").write_text(UTILITY)
    (tmp_path / "sub").mkdir()
    return tmp_path


COMMANDS = {
    "score": (["score", "a.csv", "-o", "a.csv"], "a.csv"),
    "score, costs": (["score", "a.csv", "--costs", "c.csv", "-o", "c.csv"], "c.csv"),
    "score, utility": (["score", "a.csv", "-u", "u.toml", "-o", "u.toml"], "u.toml"),
    "score, classes": (
        ["score", "a.csv", "--classes", "@classes.txt", "-o", "classes.txt"],
        "classes.txt",
    ),
    "score, a pattern": (["score", "[ab].csv", "-o", "b.csv"], "b.csv"),
    "score, another spelling": (["score", "a.csv", "-o", "sub/../a.csv"], "a.csv"),
    "compare": (["compare", "a.csv", "b.csv", "-o", "b.csv"], "b.csv"),
    "report": (["report", "a.csv", "b.csv", "-o", "a.csv"], "a.csv"),
    "fit, train": (
        ["fit", "naive-bayes", "train.csv", "test.csv", "--target", "kind", "-o", "train.csv"],
        "train.csv",
    ),
    "fit, test": (
        ["fit", "naive-bayes", "train.csv", "test.csv", "--target", "kind", "-o", "test.csv"],
        "test.csv",
    ),
    "monitor": (["monitor", "a.csv", "--coverage", "0.9", "-o", "a.csv"], "a.csv"),
    "monitor, reference": (["monitor", "a.csv", "--reference", "b.csv", "-o", "b.csv"], "b.csv"),
    "monitor, state": (["monitor", "a.csv", "--state", "b.csv", "-o", "b.csv"], "b.csv"),
    "costs extend": (["costs", "extend", "c.csv", "-o", "c.csv"], "c.csv"),
    "costs audit": (["costs", "audit", "c.csv", "-o", "c.csv"], "c.csv"),
}


@pytest.mark.parametrize(("arguments", "name"), COMMANDS.values(), ids=list(COMMANDS))
def test_an_input_file_is_not_overwritten(wager, folder, arguments, name):
    before = (folder / name).read_bytes()
    result = wager(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr == (
        f"wager: {arguments[-1]} is an input file: choose another name for --output\n"
    )
    assert (folder / name).read_bytes() == before


@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_a_link_to_an_input_file_is_that_file(wager, folder, link):
    link(folder / "a.csv", folder / "link.csv")
    result = wager("score", "a.csv", "-o", "link.csv")
    assert result.exit_code == 2
    assert "link.csv is an input file" in result.stderr
    assert (folder / "a.csv").read_text() == A


def test_the_file_of_a_plot_is_not_an_input_file(wager, folder):
    (folder / "a.png").write_text(A)
    result = wager("compare", "a.png", "b.csv", "--plot", "./a.png")
    assert result.exit_code == 2
    assert result.stderr == "wager: a.png is an input file: choose another name for --plot\n"
    assert (folder / "a.png").read_text() == A


def test_the_results_of_a_run_are_not_overwritten_but_a_table_beside_them_is(wager, store):
    folder = store.path
    database = folder / "results.sqlite"
    before = database.read_bytes()
    result = wager("results", folder, "-o", database)
    assert result.exit_code == 2
    assert f"{database} is an input file" in result.stderr
    assert database.read_bytes() == before
    table = folder / "table.txt"
    assert [wager("results", folder, "-o", table).exit_code for _ in range(2)] == [0, 0]


def test_an_output_may_have_the_name_of_a_column_and_may_be_written_again(wager, folder):
    (folder / "y_true").write_text("older")
    for _ in range(2):
        assert wager("score", "a.csv", "--truth", "y_true", "-o", "y_true").exit_code == 0
    for _ in range(2):
        assert wager("explain", "u65", "-o", "u65").exit_code == 0


@pytest.mark.parametrize("name", ["x.svg", "sub/../x.svg"])
def test_a_table_is_not_written_over_a_picture(wager, folder, name):
    result = wager("compare", "a.csv", "b.csv", "--plot", "x.svg", "-o", name)
    assert result.exit_code == 2
    assert result.stderr == "wager: x.svg is named by --output and by --plot: choose two names\n"
    assert not (folder / "x.svg").exists()
