"""How results are shown: lines on a terminal, and the tables and picture of docs/performance.md."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from math import ceil, log
from pathlib import Path
from typing import Any

import numpy as np

from bench.measure import Curve, Row, as_result

# rows of bench/dask.py, by name
COUNT_ROW = "count one row of masks on a worker: CPU time"
MERGE = "add the counts of two parts: CPU time"
SCHEDULE = "schedule a part and add up its counts on two workers: wall time"
PART_ROWS, MOST_PARTS, FAN_IN = 8_000_000, 1024, 8  # as `wager` divides files

_PART = re.compile(r"(<!-- (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def row_line(row: Row) -> str:
    """A result on the terminal."""
    aim = "" if row.at_most is None else f"at most {row.at_most:.3g}  {_verdict(row.met)}"
    ours, other = (_amount(value, row.unit) for value in (row.ours, row.other))
    return f"{row.what:62} {ours:>10} {other:>10}  x{row.ratio:<7.3g} {row.other_name:40} {aim}"


def curve_line(curve: Curve) -> str:
    """A growth curve on the terminal."""
    ends = f"{curve.sizes[0]:,} to {curve.sizes[-1]:,} {curve.axis}"
    return (
        f"{curve.what + ', ' + ends:85}  ^{curve.exponent:<7.2f} "
        f"{'':40} at most {curve.at_most:g}  {_verdict(curve.met)}"
    )


def _verdict(met: bool | None) -> str:
    return "met" if met else "MISSED"


def _amount(value: float, unit: str) -> str:
    if unit != "s":
        return f"{value:,.0f} {unit}"
    for factor, name in ((1, "s"), (1e3, "ms"), (1e6, "µs")):
        if value * factor >= 1:
            return f"{value * factor:.3g} {name}"
    return f"{value * 1e9:.3g} ns"


def fill(page: Path, source: Path) -> None:
    """Write the machine's facts, the table of ratios and the growth curves into the page."""
    stored = json.loads(source.read_text(encoding="utf-8"))
    results: dict[str, list[Any]] = defaultdict(list)
    for record in stored["results"]:
        results[record["kind"]].append((record["module"], as_result(record)))
    curves = [curve for _, curve in results["curves"]]
    parts = {
        "machine": machine_sentence(stored["machine"]),
        "ratios": ratio_table(results["rows"]),
        "growth": growth_table(curves),
        "cluster": extrapolation({row.what: row for _, row in results["rows"]}),
    }
    if curves:
        draw(curves, source.with_name("growth.png"))
    text = page.read_text(encoding="utf-8")
    filled = _PART.sub(lambda found: f"{found[1]}\n{parts[found[2]]}\n\n{found[3]}", text)
    page.write_text(filled, encoding="utf-8")


def machine_sentence(facts: dict[str, Any]) -> str:
    """One paragraph about the machine and the versions."""
    versions = ", ".join(f"{name} {number}" for name, number in facts["versions"].items())
    return (
        f"Measured on {facts['date']}: {facts['cores']} cores of {facts['processor']}, "
        f"{facts['memory']} of memory, {facts['system']}, load {facts['load before']} before the "
        f"start; Python {facts['python']}, {versions}."
    )


def ratio_table(rows: list[tuple[str, Row]]) -> str:
    """All ratios in one table; what explains a miss stands below it."""
    heads = ["subject", "what", "ours", "other", "the other is", "ratio", "target", ""]
    lines, notes = _table_head(heads), []
    for module, row in rows:
        target = "-" if row.at_most is None else f"{row.at_most:.3g}"
        mark = "" if row.at_most is None else "met" if row.met else "missed"
        if row.note and row.met is False:
            notes.append(f"{len(notes) + 1}. {row.what}: {row.note}")
            mark = f"missed ({len(notes)})"
        ours, other = (_amount(value, row.unit) for value in (row.ours, row.other))
        cells = [module.replace("_", " "), row.what, ours, other, row.other_name]
        lines.append(_line([*cells, f"{row.ratio:.3g}", target, mark]))
    return "\n".join(lines) + "\n" + ("\n" + "\n".join(notes) if notes else "")


def growth_table(curves: list[Curve]) -> str:
    """One line per curve, with its fitted exponent."""
    lines = _table_head(["what", "grows with", "from", "to", "exponent", "target", ""])
    for c in curves:
        first, last = (
            f"{size:,} in {_amount(s, 's')}"
            for size, s in ((c.sizes[0], c.seconds[0]), (c.sizes[-1], c.seconds[-1]))
        )
        mark = "met" if c.met else f"missed: {c.note}" if c.note else "missed"
        lines.append(
            _line([c.what, c.axis, first, last, f"{c.exponent:.2f}", f"{c.at_most:g}", mark])
        )
    return "\n".join(lines)


def extrapolation(rows: dict[str, Row], n_rows: float = 1e11, n_workers: int = 100) -> str:
    """The time to count a file on a cluster, from what a row, a merge and a part were measured."""
    if not {COUNT_ROW, MERGE, SCHEDULE} <= rows.keys():
        return "Not measured: `python -m bench dask --store`."
    row, merge, part = (rows[what].ours for what in (COUNT_ROW, MERGE, SCHEDULE))
    parts = min(ceil(n_rows / PART_ROWS), MOST_PARTS)
    rounds, steps = ceil(parts / n_workers), ceil(log(parts, FAN_IN))
    counting = rounds * n_rows / parts * row
    merging, scheduling = (ceil(parts / n_workers) + steps * FAN_IN) * merge, parts * part
    whole = counting + merging + scheduling
    each = f"{parts:,} parts of {n_rows / parts / 1e6:,.0f} million rows"
    row_cost, merge_cost, part_cost = (_amount(seconds, "s") for seconds in (row, merge, part))
    lines = [
        f"For {n_rows:,.0f} rows of masks on {n_workers} workers of one thread:",
        "",
        *_table_head(["step", "from", "seconds"]),
        _line(["counting", f"{each}, {row_cost} a row, {rounds} rounds", f"{counting:,.0f}"]),
        _line(["adding up", f"{merge_cost} for two tallies, {steps} levels", f"{merging:.2g}"]),
        _line(["scheduling", f"{part_cost} a part, one after the other", f"{scheduling:.2g}"]),
        _line(["**in all**", "", f"**{whole:,.0f}**"]),
        "",
        "Workers count while others are scheduled, so this is an upper bound as far as processors "
        f"go: {n_rows * row / n_workers / whole:.0%} of it is the work itself, divided evenly; the "
        "rest is scheduling and the wait for the last round. Reading must keep up: a row of such a "
        f"file takes about 2 bytes, so each worker reads {2 / row / 1e6:,.0f} MB a second, and all "
        f"of them {2 * n_workers / row / 1e9:.2g} GB a second from shared storage. What travels "
        "back is one tally per part, a few kilobytes.",
    ]
    return "\n".join(lines)


def _table_head(heads: list[str]) -> list[str]:
    return [_line(heads), _line(["---"] * len(heads))]


def _line(cells: list[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def draw(curves: list[Curve], path: Path) -> None:
    """Draw one panel per axis: measured times as points, the fitted power as a line."""
    from matplotlib import pyplot as plt
    from matplotlib.ticker import FuncFormatter, NullFormatter

    axes_of: dict[str, list[Curve]] = defaultdict(list)
    for curve in curves:
        axes_of[curve.axis].append(curve)
    panels = sorted(axes_of.items(), key=lambda item: -len(item[1]))
    pairs = [panels[i : i + 2] for i in range(0, len(panels), 2)]
    # below each panel there is space for the names of its curves
    heights = [3.2 + 0.2 * max(len(members) for _, members in pair) for pair in pairs]
    figure = plt.figure(figsize=(10, sum(heights)), layout="constrained")
    for part, pair in zip(
        np.atleast_1d(figure.subfigures(len(pairs), 1, height_ratios=heights)), pairs, strict=True
    ):
        for axes, (axis, members) in zip(part.subplots(1, 2, squeeze=False)[0], pair, strict=False):
            for curve, mark in zip(members, "osD^vP*Xhd", strict=False):
                label = f"{curve.what}: {curve.exponent:.2f}"
                (points,) = axes.plot(curve.sizes, curve.seconds, mark, markersize=5, label=label)
                fitted = [curve.at(size) for size in curve.sizes]
                axes.plot(curve.sizes, fitted, color=points.get_color(), linewidth=1)
            axes.set(xscale="log", yscale="log", xlabel=axis, ylabel="CPU seconds")
            sizes = sorted({size for curve in members for size in curve.sizes})
            axes.set_xticks(
                sizes
                if len(sizes) < 6
                else [10**k for k in range(1, 9) if sizes[0] / 2 <= 10**k <= sizes[-1] * 2]
            )
            axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,.0f}"))
            axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:g}"))
            axes.xaxis.set_minor_formatter(NullFormatter())
            axes.yaxis.set_minor_formatter(NullFormatter())
            axes.grid(alpha=0.25)
            axes.spines[["top", "right"]].set_visible(False)
            axes.legend(loc="upper left", bbox_to_anchor=(-0.1, -0.2), fontsize=8, frameon=False)
    figure.savefig(path, dpi=110)
    plt.close(figure)
