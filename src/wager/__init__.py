"""wager scores classifiers as bettors.

A classifier may name one class, a set of classes, a probability for each class, probability
intervals, or raw membership values.  ``wager`` says what those predictions are worth, which users
they suit, and which of several classifiers to prefer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wager._lazy import lazy_exports

# Every public name once: checkers and editors read these imports, and `lazy_exports` reads them
# from the source, so that nothing is loaded before it is used.
if TYPE_CHECKING:
    from wager import (
        compare as compare,
        costs as costs,
        credal as credal,
        experiments as experiments,
        learners as learners,
        metrics as metrics,
        partitions as partitions,
        plots as plots,
        predictions as predictions,
        prepare as prepare,
        report as report,
        rewards as rewards,
    )
    from wager.compare import (
        break_even as break_even,
        break_even_accuracy as break_even_accuracy,
        break_even_weight as break_even_weight,
        dominance as dominance,
        friedman as friedman,
        head_to_head as head_to_head,
        indeterminate_gain as indeterminate_gain,
        least_variance_winner as least_variance_winner,
        nemenyi as nemenyi,
        objective_winner as objective_winner,
        risk_profile as risk_profile,
        sequential as sequential,
        wilcoxon as wilcoxon,
    )
    from wager.costs import (
        ClassHierarchy as ClassHierarchy,
        CostMatrix as CostMatrix,
        CostTally as CostTally,
        ExtendedCosts as ExtendedCosts,
        SetRewards as SetRewards,
        audit as audit,
        complete as complete,
        evaluate_hierarchy as evaluate_hierarchy,
        evaluate_ordered as evaluate_ordered,
        evaluate_rewards as evaluate_rewards,
        evaluate_sets as evaluate_sets,
        reward_difference as reward_difference,
    )
    from wager.credal import (
        CredalVertices as CredalVertices,
        class_selective_rejection as class_selective_rejection,
        decide as decide,
        optimal_sets as optimal_sets,
        pool_judges as pool_judges,
        reject as reject,
        reject_credal as reject_credal,
    )
    from wager.experiments import (
        Plan as Plan,
        Store as Store,
        meta_metric as meta_metric,
        weka_folds as weka_folds,
    )
    from wager.experiments.run import run as run
    from wager.learners import (
        AODE as AODE,
        C45 as C45,
        TAN as TAN,
        BayesianModelAveraging as BayesianModelAveraging,
        CausalMML as CausalMML,
        Conformal as Conformal,
        CredalForest as CredalForest,
        CredalIntervals as CredalIntervals,
        CredalModelAveraging as CredalModelAveraging,
        CredalNeighbors as CredalNeighbors,
        CredalTree as CredalTree,
        EnsembleCredal as EnsembleCredal,
        KRandom as KRandom,
        LazyNaiveCredal as LazyNaiveCredal,
        NaiveBayes as NaiveBayes,
        NaiveCredal as NaiveCredal,
        NestedDichotomies as NestedDichotomies,
        NestedDichotomyForest as NestedDichotomyForest,
        Nondeterministic as Nondeterministic,
        OptimalSets as OptimalSets,
        RandomClass as RandomClass,
        Rejecting as Rejecting,
        TunedCaution as TunedCaution,
        Vacuous as Vacuous,
        VennAbers as VennAbers,
    )
    from wager.partitions import (
        standardize as standardize,
        to_memberships as to_memberships,
    )
    from wager.predictions import (
        PredictionSets as PredictionSets,
        ProbabilityIntervals as ProbabilityIntervals,
        as_sets as as_sets,
        explain_set as explain_set,
        predict_set as predict_set,
        read_predictions as read_predictions,
        robustness as robustness,
        scan_predictions as scan_predictions,
        write_predictions as write_predictions,
    )
    from wager.prepare import (
        CfsSelector as CfsSelector,
        Dataset as Dataset,
        EqualFrequencyDiscretizer as EqualFrequencyDiscretizer,
        MDLDiscretizer as MDLDiscretizer,
        ModeMeanImputer as ModeMeanImputer,
        NominalEncoder as NominalEncoder,
        load_dataset as load_dataset,
    )
    from wager.rewards import (
        PairedTally as PairedTally,
        ProbabilityTally as ProbabilityTally,
        Tally as Tally,
        caution_by_group as caution_by_group,
        coverage_report as coverage_report,
        elicit as elicit,
        evaluate_probabilities as evaluate_probabilities,
        evaluate_selective as evaluate_selective,
        get_utility as get_utility,
        human_utility as human_utility,
    )

    __version__: str
else:
    _lazy_attribute, __dir__, __all__ = lazy_exports(__name__)
    __all__ += ["__version__"]

    def __getattr__(name):
        if name == "__version__":
            from importlib.metadata import version  # takes as long to load as all the rest

            return version("wager")
        return _lazy_attribute(name)
