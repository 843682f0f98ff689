"""Studies: experiments of papers, with the published numbers and conclusions beside ours."""

from wager.experiments.study._claim import Claim, Finding, Verdict, left_open, listed
from wager.experiments.study._comparison import Comparison, rank_correlation
from wager.experiments.study._differences import CellDifference, Differences, differences
from wager.experiments.study._overview import write_overview
from wager.experiments.study._report import StudyReport
from wager.experiments.study._runs import STORED_SEED, StudyRun, read_runs, record_run
from wager.experiments.study._study import Findings, Study, finished_scores, open_until_done
from wager.experiments.study._table import StudyTable, slug

__all__ = [
    "STORED_SEED",
    "CellDifference",
    "Claim",
    "Comparison",
    "Differences",
    "Finding",
    "Findings",
    "Study",
    "StudyReport",
    "StudyRun",
    "StudyTable",
    "Verdict",
    "differences",
    "finished_scores",
    "left_open",
    "listed",
    "open_until_done",
    "rank_correlation",
    "read_runs",
    "record_run",
    "slug",
    "write_overview",
]
