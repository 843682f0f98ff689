"""One function a picture: it takes a result and an `ax`, and returns the Axes."""

from wager.plots._bets import plot_random_vs_vacuous
from wager.plots._costs import plot_costs, plot_decision, plot_utilities
from wager.plots._credal import plot_credal
from wager.plots._networks import plot_network
from wager.plots._ranks import plot_critical_difference, plot_nemenyi_segments
from wager.plots._reliability import plot_reliability
from wager.plots._rewards import plot_reward_curves
from wager.plots._risk import plot_risk_profile
from wager.plots._scatter import plot_scatter
from wager.plots._sequential import plot_confidence_sequence
from wager.plots._simplex_geometry import simplex_coordinates
from wager.plots._simplex_html import simplex_html
from wager.plots._style import axes, colour, line, marker, plain, save
from wager.plots._trees import plot_tree
from wager.plots.simplex import plot_simplex, plot_standardization, simplex_axes

__all__ = [
    "plot_confidence_sequence",
    "plot_costs",
    "plot_credal",
    "plot_critical_difference",
    "plot_decision",
    "plot_nemenyi_segments",
    "plot_network",
    "plot_random_vs_vacuous",
    "plot_reliability",
    "plot_reward_curves",
    "plot_risk_profile",
    "plot_scatter",
    "plot_simplex",
    "plot_standardization",
    "plot_tree",
    "plot_utilities",
    "save",
    "simplex_axes",
    "simplex_coordinates",
    "simplex_html",
]
