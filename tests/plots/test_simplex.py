"""Pictures of a partition: where points lie, what their colours say, and the page to turn."""

import base64
import hashlib
import html
import json
import re
from io import BytesIO

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from wager.partitions import standardize
from wager.plots import (
    plot_simplex,
    plot_standardization,
    save,
    simplex_axes,
    simplex_coordinates,
    simplex_html,
)
from wager.plots._simplex_geometry import corners, region_borders, second_borders
from wager.plots._style import series_colour


def objects_of(ax):
    """The groups of markers, of objects assigned right and wrong."""
    return [group for group in ax.collections if hasattr(group, "get_sizes")]


def partition_of(n_classes, n_rows=60, seed=0, labels=None):
    rng = np.random.default_rng(seed)
    memberships = rng.dirichlet(np.full(n_classes, 0.7), n_rows)
    lots = rng.random((n_rows, 1))
    truth = (memberships.cumsum(axis=1) < lots).sum(axis=1).clip(max=n_classes - 1)
    labels = [f"class {c}" for c in range(n_classes)] if labels is None else labels
    return standardize(np.array(labels)[truth], memberships, classes=labels)


# Geometry --------------------------------------------------------------------------------------


@given(st.integers(2, 4), st.integers(0, 50))
def test_distances_in_the_plot_are_those_of_the_memberships(n_classes, seed):
    """The simplex is regular: one factor turns distances of memberships into those drawn."""
    points = np.random.default_rng(seed).dirichlet(np.ones(n_classes), 6)
    places = simplex_coordinates(points)
    drawn = np.linalg.norm(places[:, None] - places, axis=-1)
    meant = np.linalg.norm(points[:, None] - points, axis=-1)
    ends = np.linalg.norm(corners(n_classes)[0] - corners(n_classes)[1])
    np.testing.assert_allclose(drawn, meant * ends / np.sqrt(2), atol=1e-12)


@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_borders_are_where_the_first_or_the_second_class_changes(n_classes):
    for centre, end in region_borders(n_classes):
        between = np.sort((centre + end) / 2)[::-1]
        assert between[0] == pytest.approx(between[1])
    for centre, end in second_borders(n_classes):
        between = np.sort((centre + end) / 2)[::-1]
        assert between[0] > between[1]
        np.testing.assert_allclose(between[1:], between[1])


@pytest.mark.parametrize("n_classes", [1, 5])
def test_other_numbers_of_classes_cannot_be_drawn(n_classes):
    with pytest.raises(ValueError, match=f"for 2 to 4 classes, got {n_classes}"):
        simplex_coordinates(np.eye(n_classes))


def test_coordinates_without_names_are_not_made_of_columns_in_another_order():
    frame = pd.DataFrame({"b": [0.2], "a": [0.7], "c": [0.1]})
    np.testing.assert_array_equal(
        simplex_coordinates(frame[["a", "b", "c"]]), simplex_coordinates([[0.7, 0.2, 0.1]])
    )
    with pytest.raises(ValueError, match="'b', 'a', 'c': sort the columns of memberships"):
        simplex_coordinates(frame)


# Pictures --------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_classes", [2, 3, 4])
@pytest.mark.parametrize("lines", [None, "true", "assigned"])
def test_fill_is_the_true_class_and_ring_the_assigned_one(n_classes, lines):
    partition = partition_of(n_classes)
    ax = plot_simplex(partition, lines=lines)
    ax.figure.savefig(BytesIO())  # a 3-D picture sorts its colours as it is drawn
    pairs = [
        (to_hex(group.get_facecolor()[0]), to_hex(group.get_edgecolor()[0]))
        for group in objects_of(ax)
        for _ in group.get_offsets()
    ]
    meant = [
        (to_hex(series_colour(t)), to_hex(series_colour(a)))
        for t, a in zip(partition.truth, partition.assigned, strict=True)
    ]
    assert sorted(pairs) == sorted(meant)


@pytest.mark.parametrize("scaled", [True, False])
def test_points_lie_at_their_memberships(scaled):
    partition = partition_of(3)
    ax = plot_simplex(partition, scaled=scaled)
    drawn = np.concatenate([group.get_offsets() for group in objects_of(ax)])
    points = simplex_coordinates(partition.scaled if scaled else partition.memberships)
    np.testing.assert_allclose(sorted(drawn.tolist()), sorted(points.tolist()), atol=1e-12)


@pytest.mark.parametrize(("lines", "sign"), [("true", "Ac"), ("assigned", "AS")])
def test_lines_run_to_the_corner_and_their_measure_is_printed(lines, sign):
    partition = partition_of(3)
    ax = plot_simplex(partition, lines=lines, title="a rule")
    value = partition.accuracy if lines == "true" else partition.separation
    assert ax.get_title() == f"a rule\n{sign} = {value:.2f}"
    target = partition.truth if lines == "true" else partition.assigned
    segments = next(
        group.get_segments()
        for group in ax.collections
        if hasattr(group, "get_segments") and len(group.get_segments()) == len(target)
    )
    ends = np.array([segment[-1] for segment in segments])
    np.testing.assert_allclose(ends, corners(3)[target], atol=1e-12)


def test_corners_carry_the_class_and_its_correctness_rate():
    partition = partition_of(3, labels=["low", "middle", "high"])
    texts = [text.get_text() for text in plot_simplex(partition).texts]
    rates = {region.assigned[0]: region.correctness for region in partition.regions}
    assert texts == [f"{label}\nCR {rates[label]:.2f}" for label in ("low", "middle", "high")]


def test_bare_memberships_are_drawn_without_rates_or_lines():
    memberships = np.array([[0.2, 0.3, 0.5], [0.6, 0.3, 0.1]])
    ax = plot_simplex(memberships)
    assert [text.get_text() for text in ax.texts] == ["0", "1", "2"]
    assert ax.get_legend() is None
    with pytest.raises(ValueError, match="needs true classes"):
        plot_simplex(memberships, lines="true")


def test_a_class_that_is_never_assigned_has_no_rate():
    partition = standardize([0, 1, 2], [[0.6, 0.3, 0.1], [0.1, 0.8, 0.1], [0.5, 0.1, 0.4]])
    assert plot_simplex(partition).texts[2].get_text() == "2"


def test_before_and_after_are_shown_beside_the_true_probabilities(tmp_path):
    partition = partition_of(3)
    every = plot_standardization(partition, partition.memberships, lines="true")
    assert [ax.get_title().split("\n")[0] for ax in every] == [
        "true probabilities",
        "before scaling",
        "scaled",
    ]
    assert len(plot_standardization(partition)) == 2
    save(every[0].figure, tmp_path / "picture.png")
    assert (tmp_path / "picture.png").stat().st_size > 1000


def test_plots_are_drawn_on_the_given_axes():
    figure = Figure()
    every = simplex_axes(3, 4, figure)
    assert len(every) == 3
    assert plot_simplex(partition_of(4), every[1]) is every[1]
    flat = Figure().subplots()
    with pytest.raises(ValueError, match="four classes need 3-D Axes"):
        plot_simplex(partition_of(4), flat)


def test_five_thousand_objects_are_fainter_and_smaller_than_fifty():
    few, many = (objects_of(plot_simplex(partition_of(3, n)))[0] for n in (50, 5000))
    assert many.get_alpha() < few.get_alpha()
    assert many.get_sizes()[0] < few.get_sizes()[0]


# The page --------------------------------------------------------------------------------------


def content(page):
    stored = re.search(r'id="simplex-data">(.*?)</script>', page, re.DOTALL)
    return json.loads(stored.group(1))


def digest(text):
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def test_control_codes_in_names_and_in_the_title_of_the_page_are_spelt_out():
    names = ["a\x1b[2J", "b\x9b2J", "c\u202e"]
    partition = standardize(names, np.eye(3) * 0.7 + 0.1, classes=names)
    page = simplex_html(partition, title="\x1b]0;owned\x07")
    assert "<h1><bdi>\\x1b]0;owned\\x07</bdi></h1>" in page
    assert not re.search("[\x07\x1b\x9b\u202e]", page)


def test_the_page_is_self_contained_and_its_policy_forbids_everything_else():
    page = simplex_html(partition_of(4))
    body = page.replace("http://www.w3.org/2000/svg", "")  # the name of SVG, not an address
    assert not re.search(r"(src|href)\s*=|https?:|@import|fetch\(|XMLHttpRequest|innerHTML", body)
    assert page.count("<script>") == 1
    policy = html.unescape(re.search(r'Policy" content="([^"]*)"', page).group(1))
    script = re.search(r"<script>(.*?)</script>", page, re.DOTALL).group(1)
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL).group(1)
    assert policy.startswith("default-src 'none'; ")
    assert f"script-src 'sha256-{digest(script)}'; style-src 'sha256-{digest(style)}'" in policy


@pytest.mark.parametrize("n_classes", [3, 4])
def test_the_page_has_the_memberships_and_measures_of_the_partition(n_classes, tmp_path):
    partition = partition_of(n_classes)
    page = simplex_html(partition, tmp_path / "page.html", title="four kinds")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == page
    data = content(page)
    np.testing.assert_allclose(data["kinds"]["scaled"]["points"], partition.scaled, atol=1e-4)
    np.testing.assert_allclose(data["kinds"]["before"]["points"], partition.memberships, atol=1e-4)
    assert data["truth"] == partition.truth.tolist()
    assert data["assigned"] == partition.assigned.tolist()
    assert data["kinds"]["before"]["measures"]["accuracy"] == partition.measures_before.accuracy
    assert "<h1><bdi>four kinds</bdi></h1>" in page


def test_names_of_classes_cannot_break_out_of_the_page():
    evil = ["</script><script>alert(1)", "a&b", 'quo"te', "__TITLE__"]
    page = simplex_html(partition_of(4, labels=evil), title="<b>__DATA__</b>")
    assert page.count("</script>") == 2  # the data and the script
    assert "<b>" not in page
    assert content(page)["classes"] == evil
    assert "&lt;b&gt;__DATA__&lt;/b&gt;" in page


def test_a_notebook_shows_the_page_in_a_frame_of_its_own():
    page = simplex_html(partition_of(3), title='a "rule"')
    assert isinstance(page, str)
    shown = page._repr_html_()
    assert shown.startswith("<iframe srcdoc=")
    assert 'sandbox="allow-scripts"' in shown  # without the origin of the notebook
    assert html.unescape(re.search(r'srcdoc="([^"]*)"', shown).group(1)) == page


def test_the_page_is_for_three_or_four_classes():
    with pytest.raises(ValueError, match="needs 3 or 4 classes, got 2"):
        simplex_html(partition_of(2))
