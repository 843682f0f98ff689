"""Check a release: ``make release-check``.

Builds the source distribution and the wheel in ``dist/``, looks into both, installs each into an
empty environment without any extra, and runs there, outside the tree, the lines of README and a
few commands.  The unpacked source distribution runs its own examples.  A bill of materials of what
the wheel installs is written beside them.  Stops at the first fault.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from pathlib import Path

from tests.docs.pages import PROJECT
from tests.release.contents import check_description, check_sdist, check_wheel
from tests.release.readme import run_readme

DIST = PROJECT / "dist"
CONSTRAINTS = PROJECT / "constraints.txt"
IRIS = """
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB
import wager

X, y = load_iris(return_X_y=True)
part = wager.standardize(y, GaussianNB().fit(X, y).predict_proba(X))
wager.plots.simplex_html(part, "simplex.html")
for name, first in ("train", 0), ("test", 1):
    lines = [",".join([*map(str, x), f"kind {k}"]) for x, k in zip(X[first::2], y[first::2])]
    with open(f"{name}.csv", "w") as file:
        file.write("\\n".join(["a,b,c,d,kind", *lines]))
"""


def main() -> None:
    """Build, look into, install and try the distributions."""
    parser = argparse.ArgumentParser(prog="make release-check", description=__doc__)
    parser.add_argument("--no-build", action="store_true", help="check what dist/ already contains")
    if not parser.parse_args().no_build:
        build()
    settings = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))
    version = settings["project"]["version"]
    wheel = DIST / f"wager-{version}-py3-none-any.whl"
    sdist = DIST / f"wager-{version}.tar.gz"
    step("metadata and contents")
    call(sys.executable, "-m", "twine", "check", "--strict", wheel, sdist)
    check_wheel(wheel)
    check_sdist(sdist)
    check_description(wheel)
    for distribution in (wheel, sdist):
        with tempfile.TemporaryDirectory(prefix="wager-release-") as folder:
            home = Path(folder)
            python = install(distribution, home / "env")
            try_out(python, version, home / "work")
            if distribution == wheel:
                write_bill(python, DIST / f"wager-{version}.cdx.json")
            if distribution == sdist:
                run_its_examples(python, sdist, home)
    for file in (wheel, sdist):
        print(f"{file.relative_to(PROJECT)}: {file.stat().st_size / 1e6:.1f} MB, ready")


def build() -> None:
    """Build the source distribution, and the wheel from it."""
    step("build")
    shutil.rmtree(DIST, ignore_errors=True)
    call(sys.executable, "-m", "build", "--outdir", DIST, PROJECT)


def install(distribution: Path, folder: Path) -> Path:
    """Install a distribution without extras into an empty environment; return its Python."""
    step(f"install {distribution.name}")
    call(sys.executable, "-m", "venv", folder)
    python = folder / "bin" / "python"
    call(python, "-m", "pip", "install", "--quiet", "--constraint", CONSTRAINTS, distribution)
    return python


def write_bill(python: Path, file: Path) -> None:
    """Write what was installed with the wheel, with versions and licences, as CycloneDX."""
    step("bill of materials")
    file.write_text(output(python, PROJECT / "tests" / "release" / "sbom.py", cwd=DIST))


def try_out(python: Path, version: str, folder: Path) -> None:
    """README's lines, then each kind of command, in a folder outside the tree."""
    step("README and the commands")
    folder.mkdir()
    wager = python.with_name("wager")
    assert output(wager, "--version", cwd=folder) == f"wager {version}\n"
    assert output(python, "-c", "import wager; print(wager.__version__)", cwd=folder) == (
        f"{version}\n"
    )
    run_readme(python, folder)
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    call(python, "-c", IRIS, cwd=folder)
    assert "</script>" in (folder / "simplex.html").read_text(encoding="utf-8")
    fit = (
        "fit",
        "naive-credal",
        "train.csv",
        "test.csv",
        "--target",
        "kind",
        "--discretize",
        "mdl",
    )
    call(wager, *fit, "-o", "iris.csv", cwd=folder)
    assert "u65" in output(wager, "score", "iris.csv", cwd=folder)
    assert "yang-2017-tables" in output(wager, "study", "list", cwd=folder)
    call(wager, "study", "report", "yang-2017-tables", cwd=folder)
    call(wager, "demo", cwd=folder)
    assert (folder / "wager-demo" / "risk-profile.png").stat().st_size > 0


def run_its_examples(python: Path, sdist: Path, folder: Path) -> None:
    """The source distribution runs the examples that need no extra."""
    step("examples of the source distribution")
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    tree = folder / sdist.name.removesuffix(".tar.gz")
    pip = (python, "-m", "pip", "install", "--quiet", "--constraint", CONSTRAINTS)
    call(*pip, f"{tree}[examples]")
    call(
        python,
        "-m",
        "pytest",
        "-n",
        "2",
        "--examples",
        "core",
        "tests/docs",
        "tests/notebooks",
        "src",
        cwd=tree,
    )


def step(what: str) -> None:
    print(f"== {what}", flush=True)


def call(*command: str | Path, cwd: Path | None = None) -> None:
    """Run a command, and stop with its status if it fails."""
    subprocess.run([*map(str, command)], cwd=cwd, env=environment(), check=True)


def output(*command: str | Path, cwd: Path) -> str:
    """What a command prints."""
    found = subprocess.run(
        [*map(str, command)],
        cwd=cwd,
        env=environment(),
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return found.stdout


def environment() -> dict[str, str]:
    """The surroundings of a stranger: no path to this tree."""
    return {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}


if __name__ == "__main__":
    main()
