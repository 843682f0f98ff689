"""Look at the finished site in a browser: ``python docs/check.py [--pictures FOLDER] [PAGE ...]``.

All links inside the site must lead to a file, and to a place in it if they name one.  Every page
is opened at the width of a laptop and of a phone.  Reported are code blocks and formulas that are
wider than a laptop's page, headings that are cut off on a phone, pages that scroll sideways there,
errors in the console and requests to other hosts.  A sample of pages is checked by axe in light and
dark colours, and the search must find ``break_even``.  ``make docs`` runs this after the build; the
exit status is 1 if anything was found.  Pages such as ``guide/selective`` are checked alone, by axe
as well.
"""

from __future__ import annotations

import shutil
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from itertools import chain
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import unquote, urlsplit

SITE = Path(__file__).resolve().parent.parent / "build" / "site"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "microsoft-edge")
LAPTOP, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
SAMPLE = (
    *("index", "start", "choose-measure", "guide/comparing-two", "guide/bets", "how-to/costs"),
    *("guide/tuning-caution", "guide/selective", "guide/robustness", "guide/coverage"),
    *(
        "auto_gallery/index",
        "auto_gallery/compare/plot_risk_profile",
        "notebooks/triage-with-costs",
    ),
    *("api/compare", "cli", "glossary", "faq", "performance", "reproduction/index", "contributing"),
    *("api/generated/wager.compare.break_even", "api/generated/wager.learners.NaiveCredal"),
)
TOO_WIDE = """() => Array.from(document.querySelectorAll(
    "article pre, article .formula, article .pst-scrollable-table-container"))
  .filter((block) => block.scrollWidth > block.clientWidth + 1)
  .map((block) => block.textContent.trim().slice(0, 60))"""
CUT_OFF = """() => Array.from(document.querySelectorAll("article :is(h1, h2, h3, h4)"))
  .filter((heading) => heading.scrollWidth > heading.clientWidth + 1)
  .map((heading) => heading.textContent.trim().slice(0, 60))"""
PAGE_SCROLLS = "() => document.documentElement.scrollWidth > window.innerWidth + 1"


def main() -> int:
    """Check all pages, print what is wrong, and return the number of faults, at most 1."""
    parser = ArgumentParser(description=__doc__, add_help=True)
    parser.add_argument("--pictures", type=Path, help="write pictures of the sample of pages here")
    parser.add_argument("pages", nargs="*", metavar="PAGE", help="check these pages only")
    given = parser.parse_args()
    pictures: Path | None = given.pictures
    broken = list(broken_links(SITE))
    print(*broken, f"{len(broken)} broken links inside the site", sep="\n", flush=True)
    path = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if path is None:
        print("the site was not checked in a browser: no Chromium, Chrome or Edge was found")
        return min(len(broken), 1)
    from playwright.sync_api import sync_playwright

    with _served(SITE) as address, sync_playwright() as running:
        browser = running.chromium.launch(
            executable_path=path, args=["--no-sandbox", "--headless=new", "--disable-gpu"]
        )
        known, faults = _pages(), 0
        pages = given.pages or known
        sample = [page for page in given.pages or SAMPLE if page in known]
        for fault in chain(
            (f"there is no page {page}" for page in pages if page not in known),
            _search(browser, address),
            _accessibility(browser, address, sample, pictures),
            _layout(browser, address, [page for page in pages if page in known]),
        ):
            print(fault, flush=True)
            faults += 1
        browser.close()
    print(f"{len(pages)} pages checked in a browser: {faults} faults")
    return min(faults + len(broken), 1)


class _Links(HTMLParser):
    """What a page links to, and the places in it that links can name."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.targets: set[str] = set()
        self.places: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src"):
                self.targets.add(value or "")
            elif name in ("id", "name"):
                self.places.add(value or "")


def broken_links(site: Path) -> Iterator[str]:
    """One sentence for each link between files below a folder that leads nowhere.

    Report pages (the empty one, and those to download) make their places when they run, and
    ``_static`` has templates.
    """
    files = [path for path in sorted(site.rglob("*.html")) if "_static" not in path.parts]
    pages = {path.resolve(): _Links(path.read_text(encoding="utf-8")) for path in files}
    made_by_script = (site / "try.html").resolve()
    for page, links in pages.items():
        if page == made_by_script or "_downloads" in page.parts:
            continue
        for target in sorted(links.targets):
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            file = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            place = unquote(parts.fragment)
            if not file.is_file():
                yield f"{page.relative_to(site.resolve())}: no file for the link {target}"
            elif place and file in pages and place not in pages[file].places:
                yield f"{page.relative_to(site.resolve())}: no such place in the page: {target}"


def _pages() -> list[str]:
    """The pages below the site, without source code and the empty report page."""
    found = (path.relative_to(SITE).with_suffix("") for path in sorted(SITE.rglob("*.html")))
    names = [path.as_posix() for path in found if not path.parts[0].startswith("_")]
    return [name for name in names if name != "try"]


@contextmanager
def _served(folder: Path) -> Iterator[str]:
    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


def _layout(browser: Any, address: str, pages: list[str]) -> Iterator[str]:
    tab, said = browser.new_page(viewport=LAPTOP), []
    tab.on(
        "console", lambda message: said.append(message.text) if message.type == "error" else None
    )
    tab.on("pageerror", lambda error: said.append(str(error)))
    tab.on(
        "request", lambda request: said.append(request.url) if _is_foreign(request.url) else None
    )
    for page in pages:
        tab.set_viewport_size(LAPTOP)
        tab.goto(f"{address}/{page}.html")
        yield from (f"{page}: too wide at 1280 px: {text!r}" for text in tab.evaluate(TOO_WIDE))
        tab.set_viewport_size(PHONE)
        if tab.evaluate(PAGE_SCROLLS):
            yield f"{page}: scrolls sideways at 390 px"
        yield from (f"{page}: cut off at 390 px: {text!r}" for text in tab.evaluate(CUT_OFF))
        yield from (f"{page}: {text}" for text in said)
        said.clear()
    tab.close()


def _is_foreign(url: str) -> bool:
    return not url.startswith(("http://127.0.0.1:", "data:", "blob:"))


def _accessibility(
    browser: Any, address: str, pages: list[str], pictures: Path | None
) -> Iterator[str]:
    from axe_playwright_python.sync_playwright import Axe

    for colours in ("light", "dark"):
        for size in (LAPTOP, PHONE):
            tab = browser.new_page(viewport=size, color_scheme=colours)
            for page in pages:
                tab.goto(f"{address}/{page}.html")
                where = f"{page} ({colours}, {size['width']} px)"
                for violation in Axe().run(tab).response["violations"]:
                    if violation["impact"] in ("serious", "critical"):
                        node = violation["nodes"][0]["html"][:150]
                        yield f"{where}: {violation['id']} ({len(violation['nodes'])}): {node}"
                if pictures is not None:
                    name = f"{page.replace('/', '-')}-{size['width']}-{colours}.png"
                    tab.screenshot(path=pictures / name)
            tab.close()


def _search(browser: Any, address: str) -> Iterator[str]:
    tab = browser.new_page(viewport=LAPTOP)
    tab.goto(f"{address}/index.html")
    tab.keyboard.press("Control+k")
    tab.keyboard.type("break_even")
    tab.keyboard.press("Enter")
    links = tab.locator("#search-results li > a")
    links.nth(5).wait_for()
    first = [links.nth(i).get_attribute("href") or "" for i in range(6)]
    for wanted in ("api/generated/wager.compare.break_even.html", "guide/"):
        if not any(wanted in link for link in first):
            yield f"search: break_even finds no {wanted} among its first results: {first}"
    tab.close()


if __name__ == "__main__":
    sys.exit(main())
