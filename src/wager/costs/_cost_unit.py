"""The unit that costs are counted in, and amounts of it in sentences and tables."""

from __future__ import annotations

from typing import Any

from wager._visible import brief

__all__ = ["check_unit", "format_amount", "in_unit", "short_amount"]


def check_unit(unit: Any) -> str | None:
    """The unit, if it is one line of text; None stays None."""
    if unit is None:
        return None
    if not isinstance(unit, str) or not unit.strip() or len(unit.splitlines()) > 1:
        raise ValueError(f"unit must be a short text such as 'EUR', got {brief(unit)}")
    return unit.strip()


def format_amount(amount: float, unit: str | None = None, least: float = 1e-9) -> str:
    """An amount in a sentence, with at least two significant digits, and with its unit.

    Amounts up to ``least`` are taken as rounding errors and shown as 0.00.

    Examples
    --------
    >>> format_amount(0.4163, "EUR"), format_amount(12345.678), format_amount(0.00041, "h")
    ('0.42 EUR', '12,345.68', '0.00041 h')
    """
    shown = f"{amount:,.2f}"
    if least < abs(amount) < 0.1:
        shown = f"{amount:.2g}"
    return shown if unit is None else f"{shown} {unit}"


def short_amount(amount: float, digits: int = 4) -> str:
    """An amount with so many significant digits, or without decimals if it is larger.

    Examples
    --------
    >>> short_amount(0.123456), short_amount(4480.49), short_amount(33140.4)
    ('0.1235', '4480', '33,140')
    """
    if 10**digits <= abs(amount) < 1e15:
        return f"{amount:,.0f}"
    return f"{amount:.{digits}g}"


def in_unit(title: str, unit: str | None) -> str:
    """The title of a column or an axis with its unit.

    Examples
    --------
    >>> in_unit("average cost", "EUR"), in_unit("average cost", None)
    ('average cost (EUR)', 'average cost')
    """
    return title if unit is None else f"{title} ({unit})"
