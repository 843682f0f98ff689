"""The example of a medical triage: ten lines from a CSV file to a decision, in money."""

import ast
import runpy

import pytest

from tests.shared import PROJECT

SCRIPT = PROJECT / "examples" / "triage.py"


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    import contextlib
    import io

    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        runpy.run_path(str(SCRIPT))["main"](str(tmp_path_factory.mktemp("triage")))
    return " ".join(text.getvalue().split())


def test_it_says_what_to_take_and_what_it_saves(said):
    assert "recommendation: take cheapest set: it costs less than most probable and" in said
    assert "cheapest set saves 172.70 EUR per case compared with most probable (81.25 to " in said
    assert "no significant difference in cost between most probable and cheapest class" in said


def test_it_lists_where_the_money_goes(said):
    assert "true class predicted cases cost per case total cost (EUR) share" in said
    assert "intensive care {ward, intensive care} 63" in said


def test_the_decision_takes_ten_lines():
    tree = ast.parse(SCRIPT.read_text(encoding="utf-8"))
    (decide,) = (node for node in tree.body if getattr(node, "name", "") == "decide")
    lines = [node for node in decide.body[1:] if not isinstance(node, ast.Import | ast.ImportFrom)]
    assert len(lines) == 10
    assert all(node.lineno == node.end_lineno for node in lines)
