"""What the distributions contain, and what an index page shows of them."""

from __future__ import annotations

import email
import re
import subprocess
import tarfile
import zipfile
from pathlib import Path

from tests.docs.pages import PROJECT

SOURCE = PROJECT / "src"
MUST = (
    *("wager/py.typed", "wager_studies/py.typed", "wager/cli/__init__.py"),
    *("wager/report/page/page.html", "wager/report/page/style.css"),
    *("wager/report/page/script/model.js", "wager/report/page/script/sections/profile.js"),
    *("wager/plots/_simplex.html", "wager/plots/_simplex.css", "wager/plots/_simplex.js"),
    "wager_studies/published/zaffalon2012_tables12_19.csv",
)
# code alone grows slowly: larger ones have data in them
LARGEST_FILE, LARGEST_WHEEL, LARGEST_SDIST = 100_000, 2_500_000, 8_000_000
# Links and pictures with a relative target, in Markdown and in HTML.
_RELATIVE = re.compile(r"\]\((?![a-z]+:|#)[^)]*\)|(?:src|href)=[\"'](?![a-z]+:|#)[^\"']*")


def check_wheel(wheel: Path) -> None:
    """The wheel is the two packages of ``src``, file by file, and its metadata."""
    with zipfile.ZipFile(wheel) as archive:
        sizes = {entry.filename: entry.file_size for entry in archive.infolist()}
    packed = {name for name in sizes if ".dist-info/" not in name}
    source = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    _require(packed == source, f"the wheel and src differ: {sorted(packed ^ source)}")
    _require(set(MUST) <= packed, f"the wheel lacks {sorted(set(MUST) - packed)}")
    large = {name: size for name, size in sizes.items() if size > LARGEST_FILE}
    _require(not large, f"large files in the wheel: {large}")
    _require(wheel.stat().st_size < LARGEST_WHEEL, f"{wheel.name} has grown too large")


def check_sdist(sdist: Path) -> None:
    """The source distribution has what git knows, without the settings of CI."""
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    known = _files_of_git()
    if known is not None:
        wanted = {name for name in known if not name.startswith(".ci/")} | {"PKG-INFO"}
        _require(names == wanted, f"the sdist and git differ: {sorted(names ^ wanted)}")
    _require(sdist.stat().st_size < LARGEST_SDIST, f"{sdist.name} has grown too large")


def check_description(wheel: Path) -> None:
    """The long description has no relative link or picture: an index page cannot follow them."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        metadata = email.message_from_bytes(archive.read(name))
    text = metadata.get_payload(decode=True).decode("utf-8")
    _require("pip install wager" in text, "the long description does not say how to install")
    found = _RELATIVE.findall(text)
    _require(not found, f"relative targets in the long description: {found}")


def _files_of_git() -> set[str] | None:
    if not (PROJECT / ".git").exists():
        return None
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=PROJECT, check=True, stdout=subprocess.PIPE, text=True
    )
    return set(listed.stdout.split("\0")) - {""}


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise SystemExit(otherwise)
