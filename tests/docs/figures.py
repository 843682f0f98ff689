"""Figures of the documentation beside the files that are stored of them."""

from __future__ import annotations

import re
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location

from tests.docs.pages import DOCS
from tests.plots.legible import faults
from wager.plots import save

IMAGES = DOCS / "images"


@cache
def script(name):
    """A script of the folder of images, as a module."""
    spec = spec_from_file_location(name, IMAGES / f"{name}.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def texts(path):
    """What is written on an SVG file."""
    return re.findall(r"<text[^>]*>(.*?)</text>", path.read_text(encoding="utf-8"), re.DOTALL)


def check(figure, stored, folder):
    """A figure can be read, and the stored file shows the same words and numbers."""
    assert faults(figure) == []  # as it is drawn for the first time
    save(figure, folder / "again.svg")
    assert texts(folder / "again.svg") == texts(stored)


def check_figures_of(study, figures, folder):
    """The figures of a study, by their titles, are the stored ones and no others."""
    found = dict(script("studies").files(study, figures))
    assert found.keys() == {path.name for path in stored_figures() if study_of(path) == study}
    for name, draw in found.items():
        check(draw(), IMAGES / "studies" / name, folder)


def stored_figures():
    return (IMAGES / "studies").iterdir()


def study_of(path):
    """The study with the longest name that the name of a figure begins with."""
    begin = [study for study in script("studies").DRAWN if path.name.startswith(f"{study}-")]
    return max(begin, key=len, default=None)
