"""Tables are complete: no cell is lost or broken, whatever it contains."""

import csv
import io
import re

from hypothesis import given, strategies as st
from markdown_it import MarkdownIt

from wager._visible import safe_cell
from wager.report import markdown_text, to_csv, to_latex, to_markdown

cells = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=8)
tables = st.integers(1, 4).flatmap(
    lambda n: st.tuples(
        st.lists(cells, min_size=n, max_size=n),
        st.lists(st.lists(cells, min_size=n, max_size=n), max_size=4),
    )
)


@given(tables)
def test_csv_reads_back(table):
    header, rows = table
    expected = [[safe_cell(cell) for cell in line] for line in (header, *rows)]
    assert list(csv.reader(io.StringIO(to_csv(header, rows), newline=""))) == expected


@given(tables)
def test_markdown_keeps_the_number_of_columns(table):
    header, rows = table
    lines = to_markdown(header, rows).split("\n")
    assert len(lines) == len(rows) + 2
    for line in lines:
        assert len(re.findall(r"(?<!\\)\|", line.replace("\\\\", ""))) == len(header) + 1


@given(st.text(st.sampled_from("ab1 _*`~<>/!&#;()[]\\|"), max_size=12).map("x{}x".format))
def test_markdown_shows_names_as_they_are(name):
    (shown,) = MarkdownIt().enable("strikethrough").parseInline(markdown_text(name))
    assert "".join(part.content for part in shown.children) == name
    assert {part.type for part in shown.children} <= {"text", "text_special"}


def test_html_in_the_name_of_a_class_stays_text():
    shown = MarkdownIt().enable("table").render(to_markdown(["<i>", "n"], [["<script>|&amp;", 1]]))
    assert "<script>" not in shown
    assert "&lt;script&gt;|&amp;amp;" in shown


def test_latex_has_what_its_old_fonts_lack():
    (*_, row, _, _) = to_latex(["c", "n"], [["a<b|c>\n\nd", 1]]).split("\n")
    assert row == r"a\textless{}b\textbar{}c\textgreater{}  d & 1 \\"


@given(tables)
def test_latex_keeps_the_number_of_columns_and_escapes_the_rest(table):
    header, rows = table
    lines = to_latex(header, rows).split("\n")
    body = [line for line in lines if line.endswith(r" \\")]
    assert len(body) == len(rows) + 1
    for line in body:
        plain = line.removesuffix(r" \\")
        assert len(re.findall(r"(?<!\\)&", plain)) == len(header) - 1
        assert not re.search(r"(?<!\\)[%#_]", plain)


def test_a_row_of_latex_does_not_begin_as_an_argument_of_the_line_before():
    lines = to_latex(["c", "n"], [["[1mm]", 1], ["*", 2], ["plain", 3]]).split("\n")
    assert lines[4:7] == [r"{}[1mm] & 1 \\", r"{}* & 2 \\", r"plain & 3 \\"]


def test_negative_numbers_have_a_minus_in_latex_and_names_a_hyphen():
    lines = to_latex(["c", "n"], [["a-1 x-ray", "-0.5 (-0.7 to +0.1)"], ["-2", -1.5]]).split("\n")
    assert lines[4:6] == [
        r"a-1 x-ray & $-$0.5 ($-$0.7 to +0.1) \\",
        r"$-$2 & $-$1.5000 \\",
    ]


def test_numbers_are_rounded_in_markdown_and_exact_in_csv():
    assert "0.1235" in to_markdown(["a", "b"], [["x", 0.123456789]])
    assert "0.123456789" in to_csv(["a", "b"], [["x", 0.123456789]])
