"""The pages of repeated experiments agree with the tables that are stored beside them."""

import csv
import re
import shutil

import pytest

from tests.shared import PROJECT
from wager.experiments import studies
from wager.experiments.studies import Verdict
from wager.experiments.study import write_overview
from wager.experiments.study._overview import papers

DOCS = PROJECT / "docs"
ALL = [studies.get(name) for name in studies.names()]


def claims_of(study):
    path = DOCS / "results" / study.name / "conclusions-of-the-paper.csv"
    if not path.is_file():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("study", ALL, ids=lambda study: study.name)
def test_every_conclusion_has_a_place_a_verdict_and_evidence(study):
    years = papers(ALL)
    for claim in claims_of(study):
        assert claim["where"].partition(",")[0] in years
        assert claim["verdict"] in {str(v) for v in Verdict}
        assert claim["evidence"]
        if claim["verdict"] == Verdict.READING:
            assert claim["reading"]
        assert len(claim["quotation"].split()) < 30


@pytest.mark.parametrize("study", ALL, ids=lambda study: study.name)
def test_every_study_has_a_title_and_a_section_on_its_page(study):
    assert study.title
    page = (DOCS / "reproduction" / f"{study.page}.md").read_text(encoding="utf-8")
    assert f"({study.name})=\n## {study.title}\n" in page
    questions = DOCS / "results" / study.name / "questions-of-our-own.csv"
    assert claims_of(study) or questions.is_file()


def test_times_are_stated_by_the_index_alone():
    for page in sorted((DOCS / "reproduction").glob("*.md")):
        text = page.read_text(encoding="utf-8")
        assert not re.search(r"\d (?:minutes|seconds)\b", text), page.name
    listed = index_of(DOCS).partition("<!-- end studies -->")[0]
    stated = dict(re.findall(r"\| `([\w-]+)` \| ([\d.]+) \|", listed))
    assert stated == {study.name: f"{study.minutes:.1f}" for study in ALL}


def test_the_totals_on_the_pages_are_those_of_the_tables(tmp_path):
    shutil.copytree(DOCS / "reproduction", tmp_path / "reproduction")
    shutil.copytree(DOCS / "results", tmp_path / "results")
    write_overview(tmp_path, ALL)
    for page in sorted((DOCS / "reproduction").glob("*.md")):
        again = (tmp_path / "reproduction" / page.name).read_text(encoding="utf-8")
        assert again == page.read_text(encoding="utf-8"), page.name
    counted = sum(len(claims_of(study)) for study in ALL)
    (last,) = re.findall(r"<td><b>all</b></td>.*<td><b>(\d+)</b></td></tr>", index_of(tmp_path))
    assert int(last) == counted


def index_of(folder):
    return (folder / "reproduction" / "index.md").read_text(encoding="utf-8")
