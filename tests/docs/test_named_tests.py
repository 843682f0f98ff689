"""Pages that say which test checks a statement name tests, files and headings that exist."""

import re

import pytest

from tests.docs.pages import PAGES, PROJECT, page_name

READ = [*PAGES, *(PROJECT / name for name in ("SECURITY.md", "CONTRIBUTING.md"))]
TESTS = {
    name
    for file in (PROJECT / "tests").rglob("test_*.py")
    for name in re.findall(r"^def (test_\w+)\(", file.read_text(encoding="utf-8"), re.MULTILINE)
}
SETTINGS = {"test_share", "test_rows"}  # keys of a plan


def missing_in(page):
    """What a page names that does not exist: tests, paths and headings of linked pages."""
    text = page.read_text(encoding="utf-8")
    tests = [name for name in re.findall(r"`(test_\w+)`", text) if name not in TESTS | SETTINGS]
    paths = re.findall(r"`((?:tests|hardening|simulations)/[\w./-]+)`", text)
    paths = [path for path in paths if not (PROJECT / path).exists()]
    links = re.findall(r"\]\(((?:[\w./-]+\.md)?)#([\w-]+)\)", text)
    headings = [
        f"{link}#{name}"
        for link, name in links
        if name not in anchors_of(page.parent / link if link else page)
    ]
    return [*tests, *paths, *headings]


def anchors_of(page):
    """The anchors of the headings of a page, as GitHub and MyST make them, and explicit ones."""
    text = page.read_text(encoding="utf-8")
    titles = re.findall(r"^#+ (.+?)\s*$", text, re.MULTILINE)
    plain = (re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles)
    return {*plain, *re.findall(r"^\(([\w-]+)\)=$", text, re.MULTILINE)}


@pytest.mark.parametrize("page", READ, ids=page_name)
def test_tests_files_and_headings_that_a_page_names_exist(page):
    assert missing_in(page) == []


def test_a_test_a_file_and_a_heading_that_are_gone_are_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# One\n`test_that_is_gone` `tests/gone.py` [a](#one) [b](#gone)\n")
    assert missing_in(page) == ["test_that_is_gone", "tests/gone.py", "#gone"]
