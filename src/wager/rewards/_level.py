"""The confidence level of an interval."""

from wager._tables import real_number

__all__ = ["check_level"]


def check_level(level: float) -> None:
    """Refuse a confidence level outside (0, 1).

    Examples
    --------
    >>> check_level(95)
    Traceback (most recent call last):
    ValueError: the confidence level must lie strictly between 0 and 1, got 95
    """
    if not 0 < real_number(level, "level") < 1:
        raise ValueError(f"the confidence level must lie strictly between 0 and 1, got {level}")
