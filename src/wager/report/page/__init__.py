"""The interactive report: one HTML file that computes everything from tallies."""

from wager.report.page._data import report_data
from wager.report.page._empty import empty_data as empty_data

__all__ = ["report_data"]
