"""Progress of a run on a terminal."""

import io
import time

from rich.console import Console
from rich.text import Text

from wager.cli import _progress
from wager.cli._progress import late_bar, run_bar, step_progress
from wager.experiments import Plan, Progress


def test_a_terminal_gets_a_bar_with_rate_time_left_and_failures():
    (unit, *_) = Plan(datasets=["iris"], learners={"all[s=1]": "vacuous"}).units()
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, width=200)
    with run_bar(console) as report:
        report(Progress(total=10))
        report(Progress(total=10, done=3, failed=2, latest=unit, seconds=8.0))
    shown = Text.from_ansi(screen.getvalue()).plain
    assert "3 of 10 units" in shown
    for part in ("0.5 per second", "10.0 seconds left", "2 failed", "all[s=1] on iris"):
        assert part in shown


def shown_by(seconds, work):
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, width=100)
    with late_bar(console, "a[x].csv, b.csv", seconds) as report:
        work(report)
    return Text.from_ansi(screen.getvalue()).plain


def test_reading_files_for_long_shows_a_bar_whatever_their_size():
    def long_work(report):
        time.sleep(0.3)
        report(0.25)
        time.sleep(0.3)

    shown = shown_by(0.05, long_work)
    assert "a[x].csv, b.csv" in shown
    assert "25%" in shown


def test_reading_files_quickly_shows_nothing():
    assert "csv" not in shown_by(30, lambda report: report(1.0))


def test_brackets_in_names_are_shown_and_are_not_markup(monkeypatch):
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, width=100)
    monkeypatch.setattr(_progress, "_terminal", lambda quiet=False: console)
    with step_progress() as report:
        report("reading [/x].csv")
    (unit, *_) = Plan(datasets=[{"source": "iris", "name": "[/x]"}], learners={"a": "c45"}).units()
    with run_bar(console) as state:
        state(Progress(total=2, done=1, latest=unit))
    shown = Text.from_ansi(screen.getvalue()).plain
    for part in ("reading [/x].csv", "a on [/x]"):
        assert part in shown
