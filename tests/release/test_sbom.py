"""The bill of materials lists every dependency with its version and licence."""

import re
import tomllib
from importlib.metadata import version

from tests.release.sbom import bill
from tests.shared import PROJECT


def test_the_bill_lists_every_dependency_with_version_and_licence():
    found = {entry["name"]: entry for entry in bill("wager")["components"]}
    settings = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))
    declared = {line.split(">")[0] for line in settings["project"]["dependencies"]}
    assert declared <= set(found)
    assert found["numpy"]["version"] == version("numpy")
    assert found["numpy"]["purl"] == f"pkg:pypi/numpy@{version('numpy')}"
    assert "llvmlite" in found  # required by a dependency
    for entry in found.values():
        assert entry["licenses"][0]["license"]["name"] != "not declared", entry["name"]


def test_the_table_of_licences_has_every_package_of_the_bill():
    page = (PROJECT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    table = page.partition("## Licences")[2].partition("Of the extras")[0]
    listed = set(re.findall(r"[a-z][a-z0-9-]+", table.partition("| --- | --- |")[2]))
    assert {entry["name"] for entry in bill("wager")["components"]} <= listed
