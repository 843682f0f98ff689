"""Tables for the terminal, Markdown, LaTeX and CSV, and the words beside the numbers."""

from wager.report._measures import MEASURES, Measure, explain

__all__ = ["MEASURES", "Measure", "explain"]
