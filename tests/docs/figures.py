"""Figures of the documentation beside the files that are stored of them."""

from __future__ import annotations

import re
from contextlib import contextmanager
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from io import StringIO

from matplotlib import rc_context
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.backends.backend_svg import RendererSVG

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


def texts(svg):
    """What is written on a drawing in SVG, without the indentation of its lines."""
    found = re.findall(r"<text[^>]*>(.*?)</text>", svg, re.DOTALL)
    return [re.sub(r"\n\s*", "\n", text) for text in found]


def saved_texts(figure, folder):
    """What is written on the file of a figure."""
    save(figure, folder / "again.svg")
    return texts((folder / "again.svg").read_text(encoding="utf-8"))


@contextmanager
def also_in_svg():
    """Everything that is written on a bitmap in this block, as it would be written on an SVG file.

    To draw a figure takes seconds, and to save it as SVG draws it twice more.
    """
    written = StringIO()
    beside = RendererSVG(100, 100, written)
    draw = RendererAgg.draw_text

    def draw_text(self, *args, **options):
        beside.draw_text(*args, **options)
        return draw(self, *args, **options)

    RendererAgg.draw_text = draw_text
    try:
        with rc_context({"svg.fonttype": "none"}):
            yield written
    finally:
        RendererAgg.draw_text = draw


def check(figure, stored):
    """A figure can be read, and the stored file shows the same words and numbers."""
    with also_in_svg() as written:
        assert faults(figure) == []  # as it is drawn for the first time
    assert texts(written.getvalue()) == texts(stored.read_text(encoding="utf-8"))


def check_figures_of(study, figures):
    """The figures of a study, by their titles, are the stored ones and no others."""
    found = dict(script("studies").files(study, figures))
    stored = {path.name: path for path in stored_figures() if study_of(path) == study}
    assert found.keys() == stored.keys()
    for name, draw in found.items():
        check(draw(), stored[name])


def stored_figures():
    return (IMAGES / "studies").iterdir()


def study_of(path):
    """The study with the longest name that the name of a figure begins with."""
    begin = [study for study in script("studies").DRAWN if path.name.startswith(f"{study}-")]
    return max(begin, key=len, default=None)
