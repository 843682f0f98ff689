"""Words of outputs that are neither measures nor results: verdicts, rules, columns and runs."""

from __future__ import annotations

from wager.report._topic import Topic

_ZAFFALON = "Zaffalon, Corani & Mauá (2012)"
_YANG = "Yang, Destercke & Masson (2017)"
_TROFFAES = "Troffaes (2007)"
_OURS = "this library"


def _term(
    group: str, name: str, meaning: str, formula: str, use: str, source: str, *aliases: str
) -> Topic:
    return Topic(name, meaning, formula, use, source, group, aliases=aliases)


TERMS: tuple[Topic, ...] = (
    # -- utilities --------------------------------------------------------------------------------
    _term(
        "utilities", "utility",
        "What a reward is worth to a person: a hit by a set of k classes has the reward 1/k.",
        "a function u with u(0) = 0 and u(1) = 1; if it is concave, the person is averse to risk",
        "Choose one with -u: u50 if a set of two is worth half a right class, u65 or u80 if "
        "caution has a value; `wager elicit` finds yours.",
        f"{_ZAFFALON}, Section 5",
        "utilities", "expected_utility", "utility_of_a_hit_by_a_set", "mean_utility", "under",
    ),
    _term(
        "utilities", "u(0.5)",
        "The value of a set of two classes that contains the true one; a right class alone is "
        "worth 1.",
        "u(0.5) determines the quadratic utility: u(x) = (4 q - 1) x - (4 q - 2) x^2 with "
        "q = u(0.5)",
        "0.5 for someone neutral to risk; the larger, the more caution is worth. Comparisons say "
        "for which u(0.5) a classifier is better.",
        f"{_ZAFFALON}, Section 9",
        "u_half", "u0.5", "utility_of_a_correct_set_of_two_classes", "risk_attitude",
    ),
    _term(
        "utilities", "human utility",
        "The value of a set from which a person chooses: the accuracy of the person minus the "
        "price of asking.",
        "u(1/k) = a(k) - cost, where a(k) is how often the person finds the true class in a set "
        "of k classes that contains it",
        "`human_utility` makes it from measured accuracies, whose uncertainty is part of the "
        "intervals; `human_score` also charges the price of asking about sets that miss.",
        _OURS,
        "human", "human_score", "value_with_a_person", "person",
    ),
    # -- selective classification ------------------------------------------------------------------
    _term(
        "sets", "risk_coverage",
        "A curve: the mean loss of the predictions that are accepted, against the share accepted, "
        "the most confident ones first.",
        "selective risk R(c) = mean loss of the accepted rows; generalized risk G(c) = c R(c), the "
        "loss of accepted rows as a share of all rows",
        "`plot_risk_coverage` draws it. Here coverage is the share of rows that are accepted; of "
        "sets, it is the share that contain the true class.",
        "El-Yaniv & Wiener (2010)",
        "selective_risk", "generalized_risk", "risk", "selective", "selective_classification",
        "accuracy_at_coverage", "risk_at_coverage", "coverage_at_risk", "accuracy_of_accepted_rows",
        "evaluate_selective", "confidence_score",
    ),
    _term(
        "sets", "aurc",
        "The area below the curve of selective risk against coverage; smaller is better.",
        "the integral of R(c) over c from 0 to 1, the mean of -ln(u) times the loss, where u is "
        "the coverage at which a row is accepted",
        "Errors among the most confident rows weigh very much; AUGRC is easier to interpret.",
        "Geifman, Uziel & El-Yaniv (2019)",
        "area_under_the_risk_coverage_curve",
    ),
    _term(
        "sets", "e_aurc",
        "How much larger AURC is than that of the best ranking of the same predictions.",
        "AURC - AURC of a confidence that falls with the loss; for errors of rate r the latter is "
        "r + (1 - r) ln(1 - r)",
        "Compare confidence scores of one model with it: 0 if every error is less confident than "
        "every right answer.",
        "Geifman, Uziel & El-Yaniv (2019)",
        "excess_aurc", "eaurc",
    ),
    _term(
        "sets", "augrc",
        "The area below the curve of generalized risk against coverage; smaller is better.",
        "the integral of G(c) over c from 0 to 1; for errors of rate r it is (1 - AUROC) r (1 - r) "
        "+ r^2 / 2, where AUROC is that of right answers against errors",
        "The mean risk of an accepted error over all thresholds, and the default of "
        "`compare_selective`.",
        "Traub et al. (2024)",
        "area_under_the_generalized_risk_coverage_curve",
    ),
    _term(
        "costs", "abstention",
        "Giving no answer, at a cost.",
        "G(c) + cost (1 - c) at coverage c; with probabilities, answer if the largest one is at "
        "least 1 - cost (Chow's rule)",
        "`evaluate_selective(...).abstain(cost)` finds the best threshold; predicting all K "
        "classes is an abstention of cost 1 - u(1/K).",
        "Chow (1970)",
        "abstain", "chow", "chows_rule", "cost_of_an_abstention", "break_even_cost",
    ),
    # -- sets --------------------------------------------------------------------------------------
    _term(
        "sets", "coverage report",
        "The coverage of all rows, of each class, and of each part that features define, with "
        "intervals that are right together.",
        "share of hits in each part; m intervals of level 1 - (1 - level) / m (Bonferroni)",
        "`coverage_report` says which parts are significantly below the promised coverage, and "
        "`plot_coverage` draws them.",
        _OURS,
        "coverage_report", "promised_coverage", "below", "above", "not_significantly_different",
        "simultaneous_intervals",
    ),
    _term(
        "sets", "caution by group",
        "Which groups of rows are answered with larger sets, single classes less often, or "
        "answers worth less.",
        "mean set size, determinacy, coverage and utility of each group, and the pairs of groups "
        "whose difference has an interval that excludes 0, adjusted for all pairs and measures",
        "Equal coverage of two groups can hide that one gets vague answers: `caution_by_group` "
        "shows it.",
        "intervals of differences: Newcombe (1998)",
        "caution_by_group", "fairness_of_caution", "gap",
    ),
    _term(
        "sets", "worst slice",
        "The part of the rows between two parallel planes in the space of the features that is "
        "covered least often.",
        "the rows with a <= v'x <= b; found in some of the rows, measured in the others",
        "`worst_slice` has its interval; if that excludes 1 - alpha, coverage depends on the "
        "features.",
        "Cauchois, Gupta & Duchi (2021)",
        "worst_slice", "slice", "direction",
    ),
    # -- p-values ----------------------------------------------------------------------------------
    _term(
        "p-values", "conformal p-value",
        "How well a class of a row agrees with the calibration rows: small if it does not.",
        "share of calibration scores that are at least as large as the score of the class, "
        "counting the row itself",
        "A class is predicted if its p-value exceeds alpha. `pvalue_efficiency` says how small the "
        "p-values of false classes are.",
        "Vovk, Gammerman & Shafer (2005)",
        "p_values", "pvalue_efficiency", "efficiency", "conformal_p_values",
    ),
    _term(
        "p-values", "uniformity of p-values",
        "Whether the p-values of the true classes are uniform, as those of a valid conformal "
        "predictor are.",
        "Kolmogorov-Smirnov distance from the uniform distribution; without smoothing only an "
        "excess of small p-values counts",
        "`pvalue_uniformity` tests it; give the number of calibration rows, because all p-values "
        "depend on the same ones.",
        "Kolmogorov (1933); Vovk, Gammerman & Shafer (2005)",
        "pvalue_uniformity", "smoothed", "validity", "ks_test",
    ),
    # -- probabilities ----------------------------------------------------------------------------
    _term(
        "probabilities", "reliability diagram",
        "A plot of how often predictions came true against the probability that was reported.",
        "rows are grouped by the reported probability; a calibrated classifier is on the diagonal",
        "`plot_reliability` draws it: below the diagonal the classifier is overconfident.",
        "Murphy & Winkler (1977)",
        "observed_frequency", "reported_probability", "reported_probability_of_the_true_class",
        "calibration", "reliability",
    ),
    _term(
        "probabilities", "clip",
        "Probabilities of 0 and 1 are moved a little inwards before logarithms are taken.",
        "max(clip, min(p, 1 - clip)), in every class",
        "Without it, one row whose true class got probability 0 makes log loss and information "
        "reward infinite; `infinite_rows` counts such rows.",
        "common usage",
        "infinite_rows", "clipped", "infinite",
    ),
    _term(
        "probabilities", "bits",
        "The unit of information rewards: one bit is the answer to a yes-or-no question with equal "
        "chances.",
        "logarithms to base 2; log loss is in nats, with natural logarithms (1 nat = 1.4427 bits)",
        "Compare only numbers in the same unit.",
        "common usage",
        "bit", "nats", "base",
    ),
    _term(
        "probabilities", "brier_within_bins",
        "The part of the Brier score that is lost by putting rows with different probabilities "
        "into the same bin.",
        "Brier score - (reliability - resolution + uncertainty)",
        "Near 0, the other three parts explain the score; else more bins would.",
        "Stephenson, Coelho & Jolliffe (2008)",
        "within_bins",
    ),
    # -- costs ------------------------------------------------------------------------------------
    _term(
        "costs", "cost matrix",
        "What each prediction costs for each true class.",
        "a table with one row per predicted class or set and one column per true class; costs of "
        "single classes are extended to sets by a rule",
        "`wager costs new` writes such a file, and --costs reads it. The table of errors shows "
        "which mistakes cost most.",
        f"{_YANG}, Section II",
        "costs", "cost", "expected_cost", "errors", "error_costs", "share", "total", "saving",
        "mean_saving_per_case", "saves", "empty_cost",
    ),
    # -- verdicts ---------------------------------------------------------------------------------
    _term(
        "verdicts", "significant",
        "The difference is larger than chance explains: its interval excludes 0.",
        "the adjusted p-value is below 1 minus the level; tables mark it by a star",
        "It says nothing about the size of the difference: read the interval as well.",
        "common usage",
        "star", "*", "significantly", "significantly_better", "significance", "is_better",
        "costs_less",
    ),
    _term(
        "verdicts", "no significant difference",
        "The data do not show which of the two classifiers is better.",
        "the interval of the difference contains 0",
        "It does not mean that they are equally good: `wager compare --plan` says how many rows "
        "would decide, and --margin tests whether they are equivalent.",
        "common usage",
        "the_data_do_not_distinguish", "do_not_distinguish", "not_distinguished", "undecided",
        "tie", "ties", "not_significantly",
    ),
    _term(
        "verdicts", "opinions differ",
        "Some users who are averse or neutral to risk prefer one classifier, and some the other.",
        "neither of the two dominates the other: the integrals of the distribution functions of "
        "their rewards cross",
        "The choice depends on what a set is worth to you: see the break-even point.",
        "Zaffalon, Corani & Mauá (2012), Section 7",
        "opinions_differ_significantly", "neither_is_preferred_by_all",
    ),
    _term(
        "verdicts", "adjusted",
        "Intervals and p-values are widened so that all statements of a report hold together.",
        "the chance that any of them is wrong is at most 1 minus the level",
        "With more utilities or classifiers, each difference must be larger to be significant: "
        "compare by the few that matter.",
        "common usage",
        "adjustment", "hold_together", "adjusted_p",
    ),
    _term(
        "verdicts", "identical",
        "The classifiers predict the same in every row that was compared.",
        "the predictions are the same, so every difference is 0",
        "More rows of this kind decide nothing; check that the files are not the same by mistake.",
        "common usage",
        "identical_predictions", "same_in_every_row", "the_same_distribution",
    ),
    _term(
        "verdicts", "decided",
        "In a comparison row by row: which classifier is better, or that it is still open.",
        "a classifier is better as soon as the confidence sequence excludes 0",
        "The verdict stays valid however often you look; `no verdict` means that the rows do not "
        "fit a constant difference.",
        "Waudby-Smith & Ramdas (2024)",
        "no_verdict", "rows_seen", "confidence_sequence", "e_value", "e_values", "evidence",
    ),
    _term(
        "verdicts", "practically equal",
        "The difference is smaller than you care about: it is within the region of practical "
        "equivalence.",
        "the posterior probability that the difference is between -rope and rope; Bayesian tests "
        "decide at 0.95",
        "Choose the region before you look at the results.",
        "Benavoli, Corani, Demšar & Zaffalon (2017)",
        "rope", "p_rope", "p_a", "p_b", "probability",
    ),
    _term(
        "verdicts", "holds",
        "The verdict on a property of costs, or on a conclusion of a paper.",
        "a property holds for all sets or fails with a counterexample; a conclusion holds, does "
        "not hold, or is open if the numbers do not decide it",
        "The column `because` shows the numbers behind the verdict.",
        _OURS,
        "fails", "does_not_hold", "open", "because", "verdict", "conclusion", "conclusions",
        "witness", "witnesses", "verdicts", "counterexample",
    ),
    _term(
        "verdicts", "filtering",
        "A use of sets: rule out the classes that are not needed for the next, more expensive "
        "step.",
        "costs fit filtering if they have all properties that it needs (N), and lack none of them",
        "`wager costs audit` lists the properties: N necessary, D desirable, A analyst's choice, U "
        "undesirable.",
        f"{_YANG}, Table VIII",
        "fits", "does_not_fit", "necessary", "desirable", "undesirable", "analysts_choice",
    ),
    _term(
        "verdicts", "choice",
        "A use of costs: choose between classifiers that predict sets.",
        "costs fit choice if they have all properties that it needs (N)",
        "`wager costs audit` says so; `wager costs complete --properties choice` finds such costs.",
        f"{_YANG}, Table VIII",
    ),
    _term(
        "verdicts", "drift",
        "The mean of coverage or utility is no longer what it was, or what was promised.",
        "an e-value that bets against `the mean is at least the target`; it ever reaches 1/alpha "
        "with probability at most alpha if that is true",
        "`wager monitor` raises an alert, with exit status 1. It does not say why: look at the "
        "windows of the table.",
        "Waudby-Smith & Ramdas (2024); Shin, Ramdas & Rinaldo (2024)",
        "alert", "monitor", "no_evidence", "target", "windows", "window", "alert_at",
    ),
    # -- decision rules ---------------------------------------------------------------------------
    _term(
        "rules", "maximality",
        "Keep a class unless another one costs less for every probability of the credal set.",
        "drop j if the lower expectation of cost(j) - cost(i) is above 0 for some i",
        "The usual rule for credal classifiers, and the default of --rule.",
        f"{_TROFFAES}; {_YANG}, Section II-C",
        "maximal", "credal_dominance",
    ),
    _term(
        "rules", "e-admissibility",
        "Keep a class if it is the best one for some probability of the credal set.",
        "a linear program for each class",
        "Keeps no more classes than maximality, and takes longer.",
        f"{_TROFFAES}; Levi (1980)",
        "e_admissible",
    ),
    _term(
        "rules", "interval-dominance",
        "Keep a class unless its smallest expected cost is above the largest one of another class.",
        "drop j if the lower expected cost of j is above the upper expected cost of some i",
        "Fast, but keeps more classes than maximality.",
        f"{_TROFFAES}; Zaffalon (2002)",
    ),
    _term(
        "rules", "gamma-maximin",
        "Keep the class with the smallest expected cost in the worst case.",
        "the least upper expected cost over the credal set",
        "For one class per row, by someone who expects the worst.",
        _TROFFAES,
        "gamma_minimax",
    ),
    _term(
        "rules", "gamma-maximax",
        "Keep the class with the smallest expected cost in the best case.",
        "the least lower expected cost over the credal set",
        "For one class per row, by an optimist.",
        _TROFFAES,
        "gamma_minimin",
    ),
    _term(
        "rules", "credal set",
        "A set of probability distributions: what is known where one distribution would claim too "
        "much.",
        "probability intervals for the classes, or the distributions of an ensemble",
        "A decision rule such as maximality turns it into a set of classes.",
        "Walley (1991)",
        "credal", "credal_classifier", "probability_intervals", "imprecise_probabilities",
    ),
    # -- rules for costs of sets ------------------------------------------------------------------
    _term(
        "extensions", "discounted",
        "The cost of a set is the mean cost of its classes.",
        "sum of the costs of the members, divided by their number",
        "Someone neutral to risk; caution is not rewarded.",
        f"{_YANG}, Section III",
        "discounted_costs",
    ),
    _term(
        "extensions", "p-discounted",
        "The cost of a set is a generalized mean of the costs of its classes.",
        "p-th mean with p = 1 - r; a set without the true class has the same mean (mode cautious) "
        "or the exponent 1 + r (mode mistake-averse)",
        "The default of --costs; r = 0 is discounted, and the larger r, the more caution is "
        "rewarded.",
        f"{_YANG}, Definition 3 and Equations 12 to 16",
        "p_discounted_costs", "mode", "cautious", "epsilon",
    ),
    _term(
        "extensions", "r",
        "How much you reward caution: with r = 0 a set costs the plain mean of its classes, and "
        "the larger r is, the less a set with the true class costs.",
        "the exponent of the p-discounted costs is 1 - r",
        "Write it under [extension] in a cost file, or pass --r to `wager costs`; 0.5 if you give "
        "none.",
        f"{_YANG}, Equations 14 to 16",
        "reward_for_caution", "reward_of_caution",
    ),
    _term(
        "extensions", "mistake-averse",
        "The mode of p-discounted costs in which a set that misses the true class costs at least "
        "the mean of its classes.",
        "exponent 1 - r for sets with the true class, 1 + r for sets without it; the mode cautious "
        "has 1 - r for both",
        "Write mode = \"mistake-averse\" under [extension] in a cost file, if a large wrong set is "
        "worse than a wrong guess. The property of costs with this name is `property_6`.",
        f"{_YANG}, Equations 14 to 16",
        "mistake_averse_mode",
    ),
    _term(
        "extensions", "ha",
        "A set costs something for missing the true class, and something for every class beyond "
        "the first.",
        "eta(true class) if the set misses it, plus delta times (size - 1)",
        "For class-selective rejection, where each further class has a price.",
        "Ha (1997)",
        "class_selective", "delta", "eta",
    ),
    _term(
        "extensions", "abellan-masegosa",
        "Costs of sets from the cost of errors and the size of the set, with a charge that "
        "balances guessing.",
        "the sum over errors of Abellán & Masegosa, shifted so that the true class alone is free",
        "To compare with papers on credal decision trees; `wager costs audit` shows that it lacks "
        "properties.",
        "Abellán & Masegosa (2012), as in Yang, Destercke & Masson (2017)",
    ),
    _term(
        "extensions", "utility-discounted",
        "The cost of a set is 1 minus the utility of a hit by a set of its size.",
        "1 - u(1/k) if the set contains the true class, and 1 if not",
        "For 0/1 costs only: it makes costs agree with u65, u80 and others. The option is --rule "
        "utility.",
        f"{_YANG}, Section III",
        "rule_utility", "utility_discounted_costs",
    ),
    # -- columns ----------------------------------------------------------------------------------
    *(
        _term("columns", name, meaning, formula, use, _OURS, *aliases)
        for name, meaning, formula, use, *aliases in (
            (
                "y_true", "The true class of each row.", "a label",
                "Every file needs it; --truth names another column.", "truth", "true_class",
            ),
            (
                "y_pred", "One predicted class per row.", "a label",
                "For ordinary classifiers; --pred names another column.", "predicted",
            ),
            (
                "set", "The predicted set of classes of each row.",
                r"labels joined by |, as in cat|dog (a | inside a label is written \|), or a list; "
                "an empty cell is the empty set",
                "For classifiers that predict sets; --set names another column.",
                "sets", "prediction_set",
            ),
            (
                "mask", "The predicted set as an unsigned integer.",
                "bit i is 1 if the set contains class i, in the order of --classes",
                "For large files with up to 64 classes.", "bit_mask",
            ),
            (
                "in:", "The predicted set as one column per class.",
                "1 in the column in:<class> if the set contains the class, and 0 if not",
                "For sets that other programs write as indicators.", "in", "indicator",
            ),
            (
                "p:", "The predicted probability of each class, one column per class.",
                "numbers in the columns p:<class> that sum to 1",
                "For classifiers with probabilities; --proba-prefix names another beginning.",
                "probabilities", "proba",
            ),
            (
                "class_1", "The most probable classes with their probabilities.",
                "columns class_1, p_1, class_2, p_2, ...; the classes not listed share the rest "
                "evenly",
                "For many classes, of which only the top k are kept.", "p_1", "top_k", "class_",
            ),
            (
                "lower:", "The lower and upper probability of each class.",
                "numbers in the columns lower:<class> and upper:<class>",
                "For credal classifiers; --rule says how they become sets.", "upper:", "intervals",
            ),
            (
                "m:", "A membership or score of each class, which need not be a probability.",
                "numbers in the columns m:<class>, made memberships by --memberships",
                "For decision values of any classifier.", "memberships", "m", "softmax", "shift",
                "decision_values", "sharpness", "depth", "accuracy_by_scale", "depends_on_scale",
                "zero",
            ),
            (
                "id", "What identifies a row, so that two files can be matched.",
                "a value that occurs once per file",
                "Without it, rows are compared in their order; --id names another column.",
            ),
            (
                "weight", "The importance of a row.", "a number that is not negative",
                "For samples in which some rows stand for more of the population than others; "
                "--weight names another column.", "weights", "importance_weights",
            ),
            (
                "count", "How many equal rows a row stands for.", "a whole number",
                "For files in which equal rows are counted; --count names another column.",
                "counts",
            ),
            (
                "cluster", "Which rows may depend on each other.",
                "the same value for the rows of one cluster, such as the visits of one patient",
                "Intervals are too narrow without it if rows repeat; --cluster names another "
                "column.", "clusters",
            ),
            (
                "group", "Which rows are also scored separately.",
                "the same value for the rows of one group",
                "--by names another column.", "groups", "subgroups",
            ),
        )
    ),
    # -- learners ---------------------------------------------------------------------------------
    _term(
        "learners", "npi",
        "Nonparametric predictive inference: intervals for the class of the next row that assume "
        "nothing but that the rows are exchangeable.",
        "[max(0, n(c) - 1), min(n, n(c) + 1)] / n for n(c) of n rows; for ordered classes "
        "[max(0, n(c) - 1), n(c) + 1] / (n + 1)",
        "CredalTree(model=\"npi\"), or \"npi-approx\" and \"npi-ordinal\": there is no strength "
        "s to choose.",
        "Coolen & Augustin (2009); Coolen et al. (2013)",
        "npi-approx", "npi-ordinal", "nonparametric_predictive_inference", "NPI-M", "A-NPI-M",
    ),
    _term(
        "learners", "idm",
        "The imprecise Dirichlet model: s rows of unknown class are added to those seen.",
        "[n(c), n(c) + s] / (n + s) for n(c) of n rows",
        "The strength s of NaiveCredal, CredalTree and others: larger values are more cautious.",
        "Walley (1996)",
        "imprecise_dirichlet_model", "strength",
    ),
    _term(
        "learners", "robustness",
        "The largest strength at which the prediction of a row stays the same single class.",
        "sup {s > 0 : for all t <= s the prediction at strength t is the same single class}",
        "How far a prediction depends on the prior, not how probable it is: rank predictions by "
        "their probability. `estimator.robustness(X)` has it, and `robustness(X, of=\"missing\")` "
        "asks the same of missing values.",
        f"{_OURS}; Mauá et al. (2018) for contaminations",
        "robust", "largest_strength",
    ),
    _term(
        "learners", "explain_set",
        "Why a set has the classes it has: the pair that is undecided, and the feature, zero count "
        "or small lead that keeps it so.",
        "the least ratio of two classes as a product of one factor per feature, at the prior where "
        "it is least; in trees and among neighbours the class counts and s; in forests the votes; "
        "in nested dichotomies the interval where two classes part",
        "`estimator.explain_set(x)` says it in a paragraph, `plot_explanation` draws it.",
        f"{_OURS}; Zaffalon (2001) for the ratio",
        "explanation", "plot_explanation",
    ),
    _term(
        "learners", "mvdm",
        "Modified value difference metric: two values are close if the classes are distributed "
        "alike among their rows.",
        "d(x, z) = sum over features j and classes c of |P(c | x_j) - P(c | z_j)|",
        "LazyNaiveCredal(metric=\"mvdm\"): irrelevant features do not count in the distance.",
        "Stanfill & Waltz (1986); Cost & Salzberg (1993)",
        "modified_value_difference_metric", "value_difference_metric", "vdm",
    ),
    _term(
        "memberships", "certainty",
        "How closely the scaled memberships of a region gather around its rate of correct "
        "assignments.",
        "alpha + beta of their Beta distribution: min(N, alpha + beta of the values), or searched",
        "standardize(certainty=\"searched\") takes the whole number for which most objects are "
        "right, and then accuracy largest, as klaR's dis=TRUE does.",
        "Sondhauss & Weihs (2001), Section 4; the R package klaR",
        "searched", "fitted", "dis", "concentration",
    ),
    # -- runs -------------------------------------------------------------------------------------
    _term(
        "runs", "unit",
        "The smallest piece of a run: one learner, trained and tested on one split of one data "
        "set.",
        "data sets x splits x learners",
        "A unit that is stored is never run again; `wager results --failures` shows those that "
        "failed.",
        _OURS,
        "units", "planned", "done", "failed", "failures",
    ),
    _term(
        "runs", "split",
        "A training set and a test set made from one data set.",
        "the folds of a cross-validation, the halves of 5x2, or random samples, as the plan says",
        "Scores of splits depend on each other, which the corrected t-test allows for.",
        "common usage",
        "splits", "fold", "folds", "repeat", "repeats", "scheme", "cross_validation", "5x2",
    ),
    _term(
        "runs", "fit_seconds",
        "How long a learner was trained on a split.",
        "seconds of wall-clock time; prepare_seconds and predict_seconds for the other steps",
        "A measure of plans and of `wager results -m`. Times depend on the machine and on what "
        "else it does.",
        "common usage",
        "predict_seconds", "prepare_seconds", "seconds", "time", "minutes",
    ),
    _term(
        "runs", "true:",
        "A measure under the true probabilities of generated data, instead of the drawn classes.",
        "the expectation of the measure over the true class of each test row, as in true:u65",
        "A measure of plans with the scheme `generate`: it has less noise than the plain measure.",
        _OURS,
        "true_probabilities", "true",
    ),
    _term(
        "runs", "cost:",
        "The measure by which a plan tunes parameters if costs are given, as in cost:0.5.",
        "minus the average p-discounted cost with this r; cost:0.5:mistake-averse for the other "
        "mode",
        "A value of tune_measure in a plan.",
        f"{_YANG}, Section VII-C",
        "tune_measure",
    ),
    _term(
        "runs", "published and ours",
        "The numbers that a paper prints beside those that a study computes again.",
        "the same table cells, and how many agree to the printed digits",
        "`wager study report NAME` prints it; docs/readings.md lists misprints of the papers.",
        "the paper of the study",
        "published", "ours", "study", "studies", "data_sets", "missing",
    ),
)  # fmt: skip
