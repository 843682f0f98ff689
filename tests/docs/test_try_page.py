"""The empty page of the documentation site."""

import runpy
import sys
from types import SimpleNamespace

from tests.docs.pages import PROJECT

HOOKS = PROJECT / "docs" / "hooks.py"


def test_the_site_gets_the_page_of_wager_report_empty(monkeypatch):
    """MkDocs is not installed for tests: a stand-in records what the hook hands over."""
    made = SimpleNamespace(generated=lambda config, name, *, content: (config, name, content))
    for name in ("mkdocs", "mkdocs.structure"):
        monkeypatch.setitem(sys.modules, name, SimpleNamespace())
    monkeypatch.setitem(sys.modules, "mkdocs.structure.files", SimpleNamespace(File=made))
    hooks = runpy.run_path(str(HOOKS))
    ((config, name, content),) = hooks["on_files"]([], "the configuration")
    assert (config, name) == ("the configuration", "try.html")
    assert content.startswith("<!DOCTYPE html>")
    assert '"kind":"empty"' in content
    settings = (PROJECT / "mkdocs.yml").read_text(encoding="utf-8")
    assert "hooks: [docs/hooks.py]" in settings
