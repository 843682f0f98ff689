"""The empty report page of the documentation site."""

import runpy

from tests.docs.pages import DOCS


def test_the_site_gets_the_page_of_wager_report_empty(tmp_path):
    extension = runpy.run_path(str(DOCS / "_ext" / "try_page.py"))
    content = extension["empty_page"]()
    assert content.startswith("<!DOCTYPE html>")
    assert '"kind":"empty"' in content
