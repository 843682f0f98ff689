"""Files that are dropped on a page, without the page: the scripts that read and count them."""

from __future__ import annotations

import base64

from wager.report.page._script import SCRIPTS as ALL_SCRIPTS, script
from wager.report.page._stored import check_stored

NEEDED = ("numbers.js", "statistics.js")
SCRIPTS = tuple(name for name in ALL_SCRIPTS if name in NEEDED or name.startswith("csv"))
_READ = """async ([files, options]) => {
    const made = files.map(([name, text]) =>
        new File([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))], name));
    try {
        return { data: await wager.csvData.dataOf(made, options) };
    } catch (problem) {
        if (!(problem instanceof wager.csv.Fault)) throw problem;
        return { fault: problem.message };
    }
}"""


def with_scripts(tab):
    """A tab with the scripts that read files."""
    tab.goto("about:blank")
    tab.add_script_tag(content=script(SCRIPTS))
    return tab


def read(tab, files, **options):
    """What the page makes of files, given by name and content: data, or a fault."""
    given = [
        [name, base64.b64encode(text.encode() if isinstance(text, str) else text).decode()]
        for name, text in files.items()
    ]
    found = tab.evaluate(_READ, [given, {"version": "0", **options}])
    if "data" in found:  # which the page offers as JSON, and `wager report` reads again
        check_stored(found["data"])
    return found
