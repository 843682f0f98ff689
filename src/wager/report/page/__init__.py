"""The interactive report: one HTML file that computes everything from tallies."""

from wager.report.page._data import empty_data as empty_data, report_data

__all__ = ["report_data"]
