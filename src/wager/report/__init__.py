"""Results for readers: scores of prediction files, tables, and explanations of measures."""

from wager.report._costs import (
    FileCosts as FileCosts,
    error_table as error_table,
    price_file as price_file,
)
from wager.report._explain import MEASURES, explain, search_topics, topics
from wager.report._groups import GroupScores, score_groups
from wager.report._memberships import MembershipChoice
from wager.report._monitor import LogMonitor, monitor_log
from wager.report._score import FileScores, Score, score_file
from wager.report._score_words import comparison_words
from wager.report._tables import latex_note, markdown_text, to_csv, to_latex, to_markdown
from wager.report._topic import GROUPS as GROUPS, Topic
from wager.report.page import Page, page, report_data, reproduction as reproduction
from wager.rewards import Measure

__all__ = [
    "MEASURES",
    "FileScores",
    "GroupScores",
    "LogMonitor",
    "Measure",
    "MembershipChoice",
    "Page",
    "Score",
    "Topic",
    "comparison_words",
    "explain",
    "latex_note",
    "markdown_text",
    "monitor_log",
    "page",
    "report_data",
    "score_file",
    "score_groups",
    "search_topics",
    "to_csv",
    "to_latex",
    "to_markdown",
    "topics",
]
