"""The page as text: what the browser may run, and what names of others may never become."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html import unescape
from html.parser import HTMLParser
from importlib.resources import files

import pytest

from tests.report.page.hostile import NAMES
from wager._visible import visible
from wager.report.page import Page, empty_data
from wager.report.page._render import embedded, render
from wager.report.page._script import SCRIPTS

SCRIPT = r"<script>(.*?)</script>"
FOLDER = files("wager.report.page").joinpath("script")
# ways to turn text into markup, code, style or requests
FORBIDDEN = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function"
    r"|setAttribute\(\"style|\bfetch\(|XMLHttpRequest|WebSocket|EventSource|sendBeacon|\bimport\("
    r"|https?://(?!www\.w3\.org/)|localStorage|document\.cookie"
)


class Elements(HTMLParser):
    """The elements of a page, and the attributes of each."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


@pytest.fixture(scope="module")
def html() -> str:
    return Page(empty_data()).html


def digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def policy_of(html: str) -> str:
    meta = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', html)
    assert meta
    return unescape(meta[1])


def test_the_policy_allows_the_script_and_the_style_by_their_hashes_and_no_request(html):
    policy = dict(part.strip().split(" ", 1) for part in policy_of(html).split(";"))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == f"'sha256-{digest(re.search(SCRIPT, html, re.S)[1])}'"
    style = re.search("<style>(.*?)</style>", html, re.S)[1]
    assert policy["style-src"] == f"'sha256-{digest(style)}'"
    assert "connect-src" not in policy  # so that default-src forbids requests
    assert policy["form-action"] == policy["base-uri"] == "'none'"


def test_the_page_names_no_other_file(html):
    for tag, attributes in Elements(html).found:
        assert tag not in {"link", "iframe", "object", "embed", "img", "base"}
        assert "src" not in attributes
        assert "style" not in attributes
        assert not any(name.startswith("on") for name in attributes)
        assert (attributes.get("href") or "#").startswith("#")
    assert "url(" not in re.search("<style>(.*?)</style>", html, re.S)[1]


@pytest.mark.parametrize("name", [name for name in SCRIPTS if name != "simplex.js"])
def test_no_script_makes_markup_code_or_requests_of_text(name):
    text = FOLDER.joinpath(name).read_text(encoding="utf-8")
    assert not FORBIDDEN.findall(text)


def test_every_script_is_part_of_the_page():
    there = {path.name for path in FOLDER.iterdir() if path.name.endswith(".js")}
    there |= {f"sections/{path.name}" for path in FOLDER.joinpath("sections").iterdir()}
    assert there | {"simplex.js"} == set(SCRIPTS)


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_a_hostile_title_is_text(name):
    data = empty_data() | {"title": name, "classes": [name]}
    html = render(data, title=name, summary=[([name], [[name, name]])])
    tags = [tag for tag, _ in Elements(html).found]
    plain = render(empty_data(), title="plain", summary=[(["plain"], [["plain", "plain"]])])
    assert tags == [tag for tag, _ in Elements(plain).found]
    stored = re.search(r'id="wager-data">(.*?)</script>', html, re.S)[1]
    assert json.loads(stored)["title"] == name
    assert visible(html) == html
    assert visible(Page(data).title) == Page(data).title


def test_data_cannot_end_their_element():
    text = "</script><!-- <script> \u2028 & \ud800"
    assert json.loads(embedded(text)) == text
    assert not set("<>&\u2028") & set(embedded(text))
