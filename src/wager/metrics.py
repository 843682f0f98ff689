"""Every measure as a function of ``(y_true, y_pred)``, in scikit-learn's argument order.

The functions live in the rooms ``rewards``, ``costs`` and ``partitions``; this is their front door.
"""

from __future__ import annotations

from wager._lazy import lazy_names

_ROOMS: dict[str, tuple[str, ...]] = {
    "wager.costs": ("average_cost", "evaluate_costs"),
    "wager.rewards": (
        "area_of_ignorance",
        "brier_decomposition",
        "certainty_equivalent",
        "class_coverage",
        "classwise_calibration_error",
        "coverage",
        "coverage_gap",
        "determinacy",
        "discounted_accuracy",
        "empty_rate",
        "evaluate_probabilities",
        "evaluate_sets",
        "good_reward",
        "indeterminate_set_size",
        "information_reward",
        "information_reward_2002",
        "information_reward_bound",
        "kl_divergence",
        "kononenko_bratko",
        "make_set_scorer",
        "mean_set_size",
        "optimal_report_2002",
        "prior_from_counts",
        "prior_from_labels",
        "reward_variance",
        "set_accuracy",
        "set_confusion",
        "single_accuracy",
        "size_stratified_coverage",
        "top_label_calibration_error",
        "utility_discounted_accuracy",
    ),
    "wager.partitions": (
        "correctness_rate",
        "non_resemblance",
        "partition_accuracy",
        "precision",
        "separability",
        "separation",
    ),
}
_HOMES = {name: room for room, names in _ROOMS.items() for name in names}

__all__ = sorted(_HOMES)
__getattr__, __dir__ = lazy_names(__name__, _HOMES)
