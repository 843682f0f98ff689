"""Figures are shown where a person looks, colours differ, and files are the same each time."""

from __future__ import annotations

import subprocess
import sys
from itertools import combinations

import numpy as np
import pytest
from matplotlib import pyplot as plt, rcParams
from matplotlib.colors import to_rgb

from tests.plots.test_legible import CASES
from wager.plots import plain_figure, plot_risk_profile, plot_utilities, save, simplex_axes
from wager.plots._labels import label_lines, text_width, wrapped
from wager.plots._style import COLOURS, series_colour, series_line, series_marker, text_colour
from wager.rewards import Tally


@pytest.mark.parametrize("plot", CASES)
def test_a_plot_without_axes_is_known_to_pyplot(plot):
    """So that a notebook and ``plt.show()`` show it."""
    ax = next(iter(CASES[plot].values()))()
    assert [plt.figure(number) for number in plt.get_fignums()] == [ax.figure]


def test_axes_for_several_simplexes_are_known_to_pyplot():
    every = simplex_axes(2, 3)
    assert plt.gcf() is every[0].figure


def test_plots_on_given_axes_open_no_figure_and_change_no_style():
    before = dict(rcParams)
    plot_utilities(ax=plain_figure((4, 3)).subplots())
    assert plt.get_fignums() == []
    assert dict(rcParams) == before


def test_importing_the_library_does_not_load_pyplot():
    code = "import sys, wager, wager.plots; print('matplotlib.pyplot' in sys.modules)"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "False"


# Colour-blind readers: the linear simulation of Machado, Oliveira & Fernandes (2009), severity 1
VISION = {
    "full": np.eye(3),
    "no green": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
                 [-0.01182, 0.04294, 0.968881]],
    "no red": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
               [-0.003882, -0.048116, 1.051998]],
    "no blue": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
                [0.004733, 0.691367, 0.3039]],
}  # fmt: skip


def linear(colour):
    rgb = np.array(to_rgb(colour))
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def lab(rgb):
    """CIE L*a*b*, in which distances are about those that a person sees."""
    matrix = [[0.4125, 0.3576, 0.1804], [0.2127, 0.7152, 0.0722], [0.0193, 0.1192, 0.9503]]
    x, y, z = matrix @ np.clip(rgb, 0, 1) / [0.9505, 1, 1.089]
    x, y, z = (np.cbrt(t) if t > 0.008856 else 7.787 * t + 16 / 116 for t in (x, y, z))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("vision", VISION)
def test_all_colours_differ_also_to_colour_blind_readers(vision):
    seen = [lab(np.array(VISION[vision]) @ linear(colour)) for colour in COLOURS]
    assert min(np.linalg.norm(a - b) for a, b in combinations(seen, 2)) > 15


def test_forty_series_differ_in_colour_and_line_and_in_colour_and_marker():
    assert len({(series_colour(i), series_line(i)) for i in range(40)}) == 40
    assert len({(series_colour(i), series_marker(i)) for i in range(40)}) == 40


@pytest.mark.parametrize("i", range(len(COLOURS)))
def test_text_in_the_colour_of_a_series_has_enough_contrast_on_white(i):
    luminance = [0.2126, 0.7152, 0.0722] @ linear(text_colour(i))
    assert 1.05 / (luminance + 0.05) >= 4.5 - 0.02


def test_an_svg_file_has_text_and_is_the_same_each_time(tmp_path):
    for name in ("a.svg", "b.svg"):
        save(plot_utilities(ax=plain_figure((4, 3)).subplots()), tmp_path / name)
    first, second = ((tmp_path / name).read_text() for name in ("a.svg", "b.svg"))
    assert first == second
    assert "The utility of a hit by a set</text>" in first
    assert "<dc:date>" not in first
    assert "fill: #ffffff" in first  # dark pages do not show through


def test_wrapped_text_is_not_wider_than_its_limit():
    for text in ("some words of a long title", "onewordwithoutanyspaceinit", "two\nlines of text"):
        lines = wrapped(text, 0.8)
        assert text_width(lines) <= 0.8
        assert "".join(lines.split()) == "".join(text.split())


def test_long_words_are_wrapped_without_measuring_every_part(monkeypatch):
    from wager.plots import _labels

    widths = []

    def counted(text, *style):
        widths.append(len(text))
        return text_width(text, *style)

    monkeypatch.setattr(_labels, "text_width", counted)
    lines = wrapped("Wi" * 1500, 1.0).split("\n")
    assert "".join(lines) == "Wi" * 1500
    assert max(map(text_width, lines)) <= 1 < text_width(lines[0] + lines[1][0])
    assert sum(widths) < 200_000


def test_lines_are_named_in_the_order_in_which_they_end():
    ax = plain_figure((4, 3)).subplots()
    ax.set(xlim=(0, 1), ylim=(0, 1))
    label_lines(ax, ["low", "high", "middle"], [1, 1, 1], [0.1, 0.9, 0.12])
    places = {text.get_text(): text.get_position()[1] for text in ax.texts}
    assert places["low"] < places["middle"] < places["high"]


def test_names_with_control_codes_and_formulas_are_drawn_as_text(tmp_path):
    names = ["\x1b[2J", r"$\frac{a$", "a_b$c$"]
    tally = Tally.of([0, 1], [[0], [0, 1]], classes=[0, 1, 2])
    save(plot_risk_profile(dict.fromkeys(names, tally)), tmp_path / "names.svg")
    drawn = (tmp_path / "names.svg").read_text()
    assert r"\x1b[2J" in drawn
    assert all(name in drawn for name in names[1:])
