"""Nested dichotomies."""
