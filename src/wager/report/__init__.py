"""Tables for the terminal, Markdown, LaTeX and CSV, and the words beside the numbers."""

from wager.report._measures import MEASURES, Measure, explain
from wager.report._score import FileScores, Score, score_file
from wager.report._score_words import comparison_words
from wager.report._tables import markdown_text, to_csv, to_latex, to_markdown

__all__ = [
    "MEASURES",
    "FileScores",
    "Measure",
    "Score",
    "comparison_words",
    "explain",
    "markdown_text",
    "score_file",
    "to_csv",
    "to_latex",
    "to_markdown",
]
