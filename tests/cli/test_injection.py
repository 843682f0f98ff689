"""Hostile names in every command and every form of output: text, Markdown, LaTeX, CSV, JSON, HTML.

`test_hostile_names.py` follows the names of classes through ``wager score``; here they are also the
names of classifiers, groups and files.
"""

import csv
import io
import json
import re
from html.parser import HTMLParser

import pytest

from tests.hostile import HOSTILE
from wager import evaluate_sets, head_to_head
from wager.compare import compare_files
from wager.predictions import write_predictions

CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
FORMATS = ["text", "markdown", "latex", "csv", "json"]
NAMES = [name for name in HOSTILE.values() if "\t" not in name]
FILES = [name for name in NAMES if "/" not in name]
ESCAPES = r"\\[&%$#_{}\\]|\\text(backslash|asciitilde|asciicircum|less|greater|bar)\{\}"
TABLE = {
    "begin", "end", "toprule", "midrule", "bottomrule", "hline", "cmidrule", "multicolumn",
    "par", "smallskip", "footnotesize",
}  # fmt: skip


@pytest.fixture(autouse=True)
def terminal(monkeypatch):
    """Results are shown on a terminal; a CSV in a pipe keeps control codes, since it is data."""
    monkeypatch.setattr("wager.cli._render._terminal_width", lambda: 120)


@pytest.fixture
def files(tmp_path):
    """Prediction files with hostile names, classes and groups."""

    def write(names):
        paths = []
        for i, name in enumerate(names):
            path = tmp_path / f"{name}.csv"
            named = NAMES[i % 2 :] + NAMES[: i % 2]
            rows = "".join(
                ",".join('"' + cell.replace('"', '""') + '"' for cell in row) + "\n"
                for row in zip(NAMES, named, NAMES[::-1], strict=True)
            )
            path.write_text("y_true,y_pred,group\n" + rows)
            paths.append(path)
        return paths

    return write


def assert_harmless(text, how):
    """That nothing in a result can act on what shows it."""
    assert not CONTROL.search(text)
    if how == "json":
        json.loads(text)
    elif how == "csv":
        for row in csv.reader(io.StringIO(text)):
            for cell in row:
                number = re.fullmatch(r"-?[\d.]+(e[-+]?\d+)?|-", cell)
                assert number or cell[:1] not in ("=", "+", "-", "@"), cell
    elif how == "markdown":
        assert not re.search(r"(?<!\\)<[a-zA-Z/]", text)
        assert not re.search(r"(?<!\\)\]\(", text)
        for table in re.findall(r"(?:^\|.*\n?)+", text, flags=re.M):
            cells = {len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}
            assert len(cells) == 1, table
    elif how == "latex":
        bare = re.sub(ESCAPES, "", text)
        assert set(re.findall(r"\\([a-zA-Z]+)", bare)) <= TABLE
        for line in bare.splitlines():
            if line.rstrip().endswith(r"\\"):
                assert not re.search(r"[%#_^~]|\\(?!\\$)", line.rstrip()[:-2]), line


@pytest.fixture(scope="module")
def compared():
    """Comparisons by the names of their files: those of one format are shown in the next."""
    return {}


@pytest.fixture
def read_once(compared, monkeypatch):
    def remembered(scanned, *arguments, **options):
        key = tuple(file.path.name for file in scanned)
        if key not in compared:
            compared[key] = compare_files(scanned, *arguments, **options)
        return compared[key]

    monkeypatch.setattr("wager.compare.compare_files", remembered)


@pytest.mark.usefixtures("read_once")
@pytest.mark.parametrize("how", FORMATS)
def test_names_of_classifiers_in_a_comparison_are_text(wager, files, how):
    for start in range(0, len(FILES), 3):  # few at a time, since all pairs are compared
        found = wager("compare", *files(FILES[start : start + 3]), "--format", how)
        assert found.exit_code == 0, found.stderr
        assert_harmless(found.stdout, how)


@pytest.mark.parametrize("how", FORMATS)
@pytest.mark.parametrize("more", [["--by", "group"], ["--by-class"]])
def test_names_of_groups_and_classes_in_scores_are_text(wager, files, how, more):
    found = wager("score", *files(["=1+1", "[a](javascript:b)"]), *more, "--format", how)
    assert found.exit_code == 0, found.stderr
    assert_harmless(found.stdout, how)


@pytest.mark.parametrize("how", FORMATS)
def test_names_in_a_monitored_log_are_text(wager, tmp_path, how):
    path = tmp_path / "=cmd \x1b[2J.csv"
    write_predictions(path, NAMES, y_pred=NAMES[::-1])
    state = tmp_path / "state.json"
    found = wager("monitor", path, "--coverage", "0.5", "--state", state, "--format", how)
    assert found.exit_code in (0, 1), found.stderr
    assert_harmless(found.stdout, how)


@pytest.mark.parametrize("how", FORMATS)
def test_names_in_an_audit_of_costs_are_text(wager, tmp_path, how):
    names = [name for name in NAMES if "|" not in name][:3]
    quoted = ['"' + name.replace('"', '""') + '"' for name in names]
    rows = [
        f"{name},{','.join(str(int(i != j)) for j in range(3))}" for i, name in enumerate(quoted)
    ]
    path = tmp_path / "costs.csv"
    path.write_text("\n".join([f"predicted,{','.join(quoted)}", *rows]) + "\n")
    found = wager("costs", "audit", path, "--format", how)
    assert found.exit_code == 0, found.stderr
    assert_harmless(found.stdout, how)


class Tags(HTMLParser):
    """The tags and attributes of a text."""

    def __init__(self):
        super().__init__()
        self.found = set()

    def handle_starttag(self, tag, attrs):
        self.found |= {tag, *(f"{tag}.{name}" for name, _ in attrs)}


def test_names_in_the_html_of_results_are_text():
    def shape(names):
        """What an evaluation and a comparison with these names are made of."""
        y = names[:2] * 3
        predictions = {names[0]: y, names[1]: names[1:2] * 6}
        known = sorted(names)
        results = [
            evaluate_sets(y, y[::-1], classes=known),
            head_to_head(y, predictions, classes=known),
        ]
        tags = Tags()
        for result in results:
            text = result._repr_html_()
            assert not CONTROL.search(text)
            tags.feed(text)
        return tags.found

    plain = shape(["one", "two"])
    assert plain
    for name in NAMES:
        assert shape([name, "two"]) == plain, name
