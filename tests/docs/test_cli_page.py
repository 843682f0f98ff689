"""The reference of the command line is written from the commands."""

import importlib.util

from tests.shared import PROJECT


def test_the_page_is_up_to_date():
    spec = importlib.util.spec_from_file_location("cli_page", PROJECT / "docs" / "cli.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    written = script.PAGE.read_text(encoding="utf-8")
    assert written == script.page(), "run `python docs/cli.py`"
    assert written.count("\n```sh\n") == written.count("\n```text\nwager ") > 15
