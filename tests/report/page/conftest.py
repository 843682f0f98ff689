"""A real browser for the tests of the report page.

The tests use an installed Chromium, Chrome or Edge, driven by Playwright.  Where there is none they
are skipped, and the reason says what to install.
"""

from __future__ import annotations

import shutil
from contextlib import suppress

import pytest

BROWSERS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "microsoft-edge",
    "microsoft-edge-stable",
)
_ARGUMENTS = [
    "--no-sandbox",
    "--headless=new",
    "--disable-gpu",
    "--disable-software-rasterizer",
    "--in-process-gpu",  # one process less, which saves a sixth of the time
    "--disable-dev-shm-usage",
]


def installed_browser():
    """The path of an installed Chromium, Chrome or Edge, or None."""
    return next((path for name in BROWSERS if (path := shutil.which(name))), None)


@pytest.fixture(scope="session")
def browser():
    """A browser without a window, for all tests of the session."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="the page is tested with the Python package playwright"
    )
    path = installed_browser()
    if path is None:
        pytest.skip("no Chromium, Chrome or Edge was found: install one, such as chromium")
    with playwright.sync_playwright() as running:
        found = running.chromium.launch(executable_path=path, args=_ARGUMENTS)
        yield found
        with suppress(Exception):  # a browser that has crashed is closed already
            found.close()


@pytest.fixture(scope="session")
def context(browser):
    """The window whose tabs the tests share: opening a new one takes longer than most tests."""
    made = browser.new_context()
    yield made
    with suppress(Exception):
        made.close()


def new_tab(context):
    """An empty tab for a fixture; errors of its scripts fail the tests that use it."""
    page = context.new_page()
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    page.close()
    assert errors == []


@pytest.fixture(scope="session")
def usual_tab(browser):
    """A tab for all tests that need one alone: to open one takes as long as to open a report.

    It has a window of its own, since a tab behind another one waits for seconds to be drawn.
    """
    window = browser.new_context()
    page = window.new_page()
    page.errors = []
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    yield page
    with suppress(Exception):
        page.close()


@pytest.fixture
def tab(usual_tab):
    """An empty tab of the usual size; errors of its scripts fail the test."""
    usual_tab.errors.clear()
    usual_tab.set_viewport_size({"width": 1280, "height": 720})
    yield usual_tab
    usual_tab.unroute_all()
    usual_tab.goto("about:blank")
    assert usual_tab.errors == []


@pytest.fixture(scope="module")
def module_tab(context):
    """A tab for all tests of a module, which leave it as they find it."""
    yield from new_tab(context)


@pytest.fixture(scope="module")
def engine(context):
    """A tab in which `run` computes: it keeps the scripts, and nothing else, between tests."""
    yield from new_tab(context)
