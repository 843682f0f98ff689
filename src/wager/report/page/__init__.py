"""The interactive report: one HTML file that computes everything from tallies."""

from wager.report.page._data import report_data
from wager.report.page._empty import empty_data as empty_data
from wager.report.page._page import Page, page
from wager.report.page._reproduce import reproduction as reproduction

__all__ = ["Page", "page", "report_data"]
