"""What the project says about itself: dependencies, links, citation."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from functools import cache
from importlib.metadata import packages_distributions

import pytest

from tests.docs.pages import PROJECT

SETTINGS = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
README = (PROJECT / "README.md").read_text(encoding="utf-8")
CORE = {re.split(r"[<>=\[]", line)[0] for line in SETTINGS["dependencies"]}
EXTRAS = {
    re.split(r"[<>=\[]", line)[0]
    for name in ("dask", "conformal", "venn", "frames", "mlflow")
    for line in SETTINGS["optional-dependencies"][name]
}
# Libraries that belong to another one: fsspec comes with Dask, mpl_toolkits with matplotlib.
PART_OF = {
    "fsspec": "dask",
    "mpl_toolkits": "matplotlib",
    "PIL": "pillow",
    "mlflow": "mlflow-skinny",
    "venn_abers": "venn-abers",
}


@cache
def imported_libraries() -> set[str]:
    """The libraries that the source imports anywhere, by the names they are installed under."""
    modules = set()
    for path in (PROJECT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                modules |= {name.name.partition(".")[0] for name in node.names}
            elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
                modules.add(node.module.partition(".")[0])
    # `compression` is in the standard library from Python 3.14 on.
    modules -= {"wager", "wager_studies", "compression", *sys.stdlib_module_names}
    known = packages_distributions()
    return {PART_OF.get(name) or known.get(name, [name])[0].lower() for name in modules}


@pytest.mark.long
def test_every_required_library_is_imported():
    assert imported_libraries() >= CORE


def test_every_imported_library_is_declared():
    assert imported_libraries() <= CORE | EXTRAS


@pytest.mark.parametrize("target", sorted(set(re.findall(r"\]\((?!https?:)([^)#]+)", README))))
def test_links_of_readme_lead_to_files(target):
    assert (PROJECT / target).is_file()


def test_readme_names_the_command_that_ci_runs():
    commands = (PROJECT / ".ci" / "run").read_text(encoding="utf-8").split("\n")
    assert "make test" in commands
    assert "\n$ make test " in README
    assert "\n$ make demo " in README


def test_the_version_is_written_once():
    version = SETTINGS["version"]
    texts = [*(PROJECT / "src").rglob("*.py"), PROJECT / "CITATION.cff", PROJECT / "README.md"]
    quoted = f'"{version}"'
    assert [path for path in texts if quoted in path.read_text(encoding="utf-8")] == []


def test_the_citation_has_the_papers_that_readme_names():
    citation = (PROJECT / "CITATION.cff").read_text(encoding="utf-8")
    years = re.findall(r"^    year: (\d{4})$", citation, re.MULTILINE)
    assert years == ["2011", "2012", "2017", "2004", "2001"]
    for name in ("Zaffalon", "Corani", "Mauá", "Yang", "Destercke", "Masson", "Hope", "Korb"):
        assert f"family-names: {name}," in citation
        assert name in README
