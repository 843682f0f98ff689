"""Conformal against credal sets: a study beyond the papers."""
