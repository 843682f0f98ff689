"""Plots of results: one function per plot, which takes a result and an `ax`, and returns it.

Without ``ax`` the figure is made through pyplot, so that notebooks and ``plt.show()`` show it.
"""

from wager.plots._caution import plot_caution
from wager.plots._confidence_sequence import plot_confidence_sequence
from wager.plots._costs import plot_costs
from wager.plots._coverage import plot_coverage
from wager.plots._credal import plot_credal
from wager.plots._critical_difference import plot_critical_difference
from wager.plots._decision import plot_decision
from wager.plots._explanation import plot_explanation
from wager.plots._labels import (
    label_lines as label_lines,
    legend_above_lines as legend_above_lines,
)
from wager.plots._nemenyi_segments import plot_nemenyi_segments
from wager.plots._network import plot_network
from wager.plots._random_vs_vacuous import plot_random_vs_vacuous
from wager.plots._reliability import plot_reliability
from wager.plots._reward_curves import plot_reward_curves
from wager.plots._risk_coverage import plot_risk_coverage
from wager.plots._risk_profile import plot_risk_profile
from wager.plots._scatter import plot_scatter
from wager.plots._simplex import plot_simplex
from wager.plots._simplex_axes import simplex_axes
from wager.plots._simplex_geometry import simplex_coordinates
from wager.plots._simplex_html import (
    SimplexPage as SimplexPage,
    simplex_html,
    simplex_script as simplex_script,
)
from wager.plots._standardization import plot_standardization
from wager.plots._style import (
    axes_or_new as axes_or_new,
    plain_figure as plain_figure,
    save,
    series_colour as series_colour,
    series_line as series_line,
    series_marker as series_marker,
    style_axes as style_axes,
    text_colour as text_colour,
)
from wager.plots._tree import plot_tree
from wager.plots._utilities import plot_utilities

# for other packages, not in __all__: figures, labels, the styles of axes and series, simplex_script
__all__ = [
    "plot_caution",
    "plot_confidence_sequence",
    "plot_costs",
    "plot_coverage",
    "plot_credal",
    "plot_critical_difference",
    "plot_decision",
    "plot_explanation",
    "plot_nemenyi_segments",
    "plot_network",
    "plot_random_vs_vacuous",
    "plot_reliability",
    "plot_reward_curves",
    "plot_risk_coverage",
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
