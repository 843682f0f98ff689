"""The site, from its sources alone: every name, page, link and picture is where readers look."""

from __future__ import annotations

import inspect
import re
import runpy
import string
from importlib import import_module
from pathlib import Path

import pytest

from tests.docs.pages import DOCS, PAGES, PROJECT, page_name

NAMES = runpy.run_path(str(DOCS / "_ext" / "public_names.py"))
WITHOUT_SOURCE = {"try.html", "contents.html"}  # made by the build
MADE_BY_GALLERY = "auto_gallery/index"
WIDTH = 100  # characters of code that fit between the sidebars at 1280 px

SOURCES = [page for page in PAGES if page.is_relative_to(DOCS)]
_FENCED = re.compile(r"^(`{3,}|:{3,})(.*?)\n(.*?)^\1[ \t]*$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^()\s]+)\)")


def without_code(page: Path) -> str:
    """The text of a page without code, in which brackets are not links."""
    text = re.sub(r"^```.*?^```[ \t]*$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    return re.sub(r"`[^`\n]+`", "``", text)


# ---- the reference ----


def listed_names() -> list[str]:
    """The full names that the pages of the reference list, in their order."""
    found = []
    for page in sorted((DOCS / "api").glob("*.md")):
        text = page.read_text(encoding="utf-8")
        for module, block in re.findall(r"currentmodule:: (\S+)\n(.*?)```", text, re.DOTALL):
            names = re.findall(r"^   (\w+)$|py:data:: (\w+)$", block, re.MULTILINE)
            found += [f"{module}.{entry or data}" for entry, data in names]
        if title := re.match(r"# (wager(?:\.\w+)+)\n", text):
            found.append(title[1])
    return found


def test_every_public_name_is_in_the_reference_once():
    listed = listed_names()
    packages = {f"wager.{name}" for name in NAMES["PACKAGES"]}
    assert set(listed) - packages == set(NAMES["documented"]()) - packages
    assert packages <= set(listed)
    assert len(listed) == len(set(listed))


def test_every_name_of_the_front_door_leads_to_a_page():
    public, known = import_module("wager").__all__, NAMES["aliases"]()
    assert {name for name in public if f"wager.{name}" not in known} == {"__version__"}


def test_every_class_that_a_public_function_returns_has_a_page():
    documented = NAMES["documented"]()
    known = {name.rpartition(".")[2] for name in documented}
    missing = {}
    for name, thing in documented.items():
        if inspect.isfunction(thing):
            words = re.findall(r"\b[A-Z]\w+", str(thing.__annotations__.get("return", "")))
            found = {word: vars(inspect.getmodule(thing)).get(word) for word in words}
            ours = {w for w, c in found.items() if inspect.isclass(c) and "wager" in c.__module__}
            missing |= dict.fromkeys(ours - known, name)
    assert missing == {}


def test_no_two_pages_of_the_reference_differ_only_by_case():
    settings = (DOCS / "conf.py").read_text(encoding="utf-8")
    renamed = re.findall(r'"(wager[\w.]+)": "', settings)
    names = [name.lower() for name in NAMES["documented"]() if name not in renamed]
    assert len(names) == len(set(names))


# ---- pages and links ----


def toctree_entries(page: Path) -> list[str]:
    """The documents that the toctrees of a page list."""
    found = []
    for _, head, body in _FENCED.findall(page.read_text(encoding="utf-8")):
        if head.strip() == "{toctree}":
            lines = [line.strip() for line in body.splitlines()]
            entries = [line for line in lines if line and not line.startswith(":")]
            found += [re.sub(r".*<(.*)>$", r"\1", entry) for entry in entries]
    start = page.parent.relative_to(DOCS).as_posix()
    return [e[1:] if e.startswith("/") else (f"{start}/{e}" if start != "." else e) for e in found]


def test_every_page_is_in_one_table_of_contents():
    listed = [entry for page in SOURCES for entry in toctree_entries(page)]
    pages = [*SOURCES, *DOCS.glob("notebooks/*.ipynb")]
    names = {page.relative_to(DOCS).with_suffix("").as_posix() for page in pages}
    assert sorted(listed) == sorted((names - {"index"}) | {MADE_BY_GALLERY})


def anchors(page: Path) -> set[str]:
    """The places in a page that links can name: headings, labels and terms."""
    text = re.sub(r"^```.*?^```[ \t]*$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    found: set[str] = set(re.findall(r"^\(([\w-]+)\)=$", text, re.MULTILINE))
    for heading in re.findall(r"^#{1,4} +(.*?)[ \t]*$", text, re.MULTILINE):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)|[`*$]", r"\1", heading).lower()
        kept = "".join(
            c for c in plain if c not in string.punctuation.replace("-", "").replace("_", "")
        )
        slug, n = kept.strip().replace(" ", "-"), 0
        while (name := slug if n == 0 else f"{slug}-{n}") in found:
            n += 1
        found.add(name)
    return found


@pytest.mark.parametrize("page", SOURCES, ids=page_name)
def test_every_link_and_picture_inside_the_site_leads_somewhere(page):
    for target in _LINK.findall(without_code(page)):
        path, _, anchor = target.partition("#")
        if re.match(r"[a-z]+:", target) or Path(path).name in WITHOUT_SOURCE:
            continue
        file = (page.parent / path).resolve() if path else page
        assert file.is_file(), f"{page_name(page)} links to {target}"
        assert file.is_relative_to(PROJECT)
        if anchor and file.suffix == ".md":
            assert anchor in anchors(file), f"{page_name(page)} links to {target}"


@pytest.mark.parametrize("page", SOURCES, ids=page_name)
def test_no_line_of_code_is_wider_than_a_page_on_a_laptop(page):
    blocks = re.findall(r"^```\w+[^\n]*\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)
    wide = [line for block in blocks for line in block.splitlines() if len(line) > WIDTH]
    assert wide == []


# ---- the finished site ----

broken_links = runpy.run_path(str(DOCS / "check.py"))["broken_links"]


def test_broken_links_of_a_finished_site_are_found(tmp_path):
    (tmp_path / "api").mkdir()
    (tmp_path / "index.html").write_text(
        '<h1 id="top"></h1><a href="#top"></a><a href="api/a.html#f"></a><img src="no.svg">'
        '<a href="https://example.org/x#y"></a><a href="api/a.html#gone"></a>',
        encoding="utf-8",
    )
    (tmp_path / "api" / "a.html").write_text(
        '<dt id="f"></dt><a href="../index.html#nowhere"></a>', encoding="utf-8"
    )
    (tmp_path / "_downloads").mkdir()  # a report, whose places its script makes
    (tmp_path / "_downloads" / "wine.html").write_text('<a href="#board"></a>', encoding="utf-8")
    assert list(broken_links(tmp_path)) == [
        "api/a.html: no such place in the page: ../index.html#nowhere",
        "index.html: no such place in the page: api/a.html#gone",
        "index.html: no file for the link no.svg",
    ]


def test_links_from_source_code_lead_to_the_documented_name():
    lead_back = NAMES["_documented_anchor"]
    page = '<a href="../api/generated/wager.rewards.Mean.html#wager.compare.Mean.of">'
    assert NAMES["_BACK"].sub(lead_back, page) == (
        '<a href="../api/generated/wager.rewards.Mean.html#wager.rewards.Mean.of">'
    )
