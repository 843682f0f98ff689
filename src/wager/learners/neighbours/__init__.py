"""Nearest neighbours as a credal classifier."""

from wager.learners.neighbours._credal import CredalNeighbors

__all__ = ["CredalNeighbors"]
