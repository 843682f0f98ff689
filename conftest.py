"""Options of the test run."""

from pathlib import Path


def pytest_addoption(parser):
    """Let the reference values come from another folder."""
    parser.addoption(
        "--reference",
        type=Path,
        default=None,
        metavar="DIR",
        help="folder of reference values laid out as golden/, klar/, weka/, ncc_peer/, imptree/ "
        "(default: tests/golden, and ../shared/reference where it is present)",
    )
