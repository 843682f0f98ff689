"""The relative rounding error that computed costs, probabilities and utilities may show."""

ROUNDING = 1e-12  # numbers that differ by less are equal except for rounding
