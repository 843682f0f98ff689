"""Every measure as a function of ``(y_true, y_pred)``, in scikit-learn's argument order.

The functions are defined in the packages ``rewards``, ``costs`` and ``partitions``.  A measure
that is added with `wager.rewards.register` is available here as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wager._lazy import lazy_exports
from wager._visible import brief

# Every function once: checkers and editors read these imports, and `lazy_exports` reads them from
# the source, so that nothing is loaded before it is used.
if TYPE_CHECKING:
    from wager.costs import (
        average_cost as average_cost,
        average_reward as average_reward,
        contiguity_rate as contiguity_rate,
        correct_at_depth as correct_at_depth,
        evaluate_costs as evaluate_costs,
        evaluate_hierarchy as evaluate_hierarchy,
        evaluate_ordered as evaluate_ordered,
        evaluate_rewards as evaluate_rewards,
        evaluate_sets as evaluate_sets,
        hierarchical_utility as hierarchical_utility,
        mean_distance_to_set as mean_distance_to_set,
        mean_node_depth as mean_node_depth,
        mean_width as mean_width,
        node_error as node_error,
        ordinal_interval_score as ordinal_interval_score,
    )
    from wager.partitions import (
        correctness_rate as correctness_rate,
        non_resemblance as non_resemblance,
        partition_accuracy as partition_accuracy,
        precision as precision,
        separability as separability,
        separation as separation,
    )
    from wager.rewards import (
        area_of_ignorance as area_of_ignorance,
        brier_decomposition as brier_decomposition,
        caution_by_group as caution_by_group,
        certainty_equivalent as certainty_equivalent,
        class_coverage as class_coverage,
        classwise_calibration_error as classwise_calibration_error,
        classwise_calibration_error_debiased as classwise_calibration_error_debiased,
        classwise_calibration_error_if_calibrated as classwise_calibration_error_if_calibrated,
        conditional_coverage_error as conditional_coverage_error,
        coverage as coverage,
        coverage_gap as coverage_gap,
        coverage_report as coverage_report,
        determinacy as determinacy,
        difficulty_violation as difficulty_violation,
        discounted_accuracy as discounted_accuracy,
        empty_rate as empty_rate,
        evaluate_probabilities as evaluate_probabilities,
        evaluate_selective as evaluate_selective,
        good_reward as good_reward,
        indeterminate_set_size as indeterminate_set_size,
        information_reward as information_reward,
        information_reward_2002 as information_reward_2002,
        information_reward_bound as information_reward_bound,
        kl_divergence as kl_divergence,
        kononenko_bratko as kononenko_bratko,
        make_set_scorer as make_set_scorer,
        mean_set_size as mean_set_size,
        optimal_report_2002 as optimal_report_2002,
        prior_from_counts as prior_from_counts,
        prior_from_labels as prior_from_labels,
        pvalue_efficiency as pvalue_efficiency,
        pvalue_uniformity as pvalue_uniformity,
        reward_variance as reward_variance,
        set_accuracy as set_accuracy,
        set_confusion as set_confusion,
        single_accuracy as single_accuracy,
        singleton_hit_ratio as singleton_hit_ratio,
        size_coverage_hsic as size_coverage_hsic,
        size_stratified_coverage as size_stratified_coverage,
        size_stratified_violation as size_stratified_violation,
        top_label_calibration_error as top_label_calibration_error,
        top_label_calibration_error_debiased as top_label_calibration_error_debiased,
        top_label_calibration_error_if_calibrated as top_label_calibration_error_if_calibrated,
        utility_discounted_accuracy as utility_discounted_accuracy,
        violated_classes as violated_classes,
        worst_size_coverage as worst_size_coverage,
        worst_slice as worst_slice,
        worst_slice_coverage as worst_slice_coverage,
    )
else:

    def _registered(name):
        """The function of a measure that was registered."""
        from wager.rewards import MEASURES

        metric = MEASURES[name].metric if name in MEASURES else None
        if metric is None:
            raise AttributeError(f"module {__name__!r} has no attribute {brief(name)}")
        return metric

    __getattr__, __dir__, __all__ = lazy_exports(__name__, _registered)
