"""What Yang, Destercke & Masson (2017) say of properties of costs of sets, with our verdicts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from wager._typing import Floats
from wager.costs import CostMatrix, ExtendedCosts, audit
from wager.experiments.study import Claim, Finding, Verdict
from wager_studies.yang._properties import Search

__all__ = ["property_claims", "property_findings"]

ON_DIAGONAL = "only correct predictions are free, as in all cost matrices of the paper"
MODIFIED = (
    "compared with the costs of single classes as the extension modifies them; beside the original "
    "costs Properties 4, 6 and 10 fail for some matrices"
)
BY_TABLE = (
    "fewer missing necessary properties by Table VIII, then fewer other unmet requirements; that "
    "all necessary ones hold is another question"
)


def property_claims(
    found: dict[str, Search], tables: dict[str, ExtendedCosts], obstacles: CostMatrix
) -> Iterator[Claim]:
    """The statements of Sections IV to VI about properties."""
    yield from _definitions()
    yield from _examples(tables, obstacles)
    yield from _utility(found["utility"])
    yield from _ha(found["ha"], found["ha-n"])
    yield from _abellan_masegosa(found["am"], found["am-original"])
    yield from _p_discounted(found)
    yield Claim(
        "2017, IV, Table VIII",
        "which properties each setting needs",
        Verdict.UNCHECKABLE,
        "an opinion, as the paper says; the verdicts on settings rest on it",
        "should be considered as indicative of a general case",
    )


def _definitions() -> Iterator[Claim]:
    """Places where a definition and its use disagree."""
    yield Claim(
        "2017, IV-A, Property 2",
        "every set satisfies the condition without which it is impossible",
        Verdict.CONTRADICTION,
        "the sentence before Property 2 requires that the cost is not everywhere at least the mean "
        "(c not >= mean); Property 2 prints that it is not everywhere at most the mean (c not <= "
        "mean), which Table V satisfies nowhere and Example 5's impossible costs satisfy",
        "every possible indeterminate prediction to satisfy the necessary condition",
        "c not >= mean for sets of two or more classes; a single class equals its mean",
    )
    yield Claim.checked(
        "2017, IV-B, Property 3",
        "Property 3 bounds the cost of {h, b} by 1/2",
        True,
        "the mean cost of h and b is 1/2 if h is true; Property 3 asks for less than that, so at "
        "most 1/2 follows, as its example says",
        "For example, Property 3 imposes",
    )
    zero_one = CostMatrix.zero_one(["a", "b", "c"]).extend("utility", utility="u65")
    hit, miss = (zero_one.cost(["a", "b"], truth) for truth in "ac")
    yield Claim(
        "2017, IV-C, Property 9",
        "0/1 costs never have Property 9",
        Verdict.CONTRADICTION,
        "Property 9 is about any two classes; then 0/1 costs have it, since by Eq. (8) {a, b} "
        f"costs {hit:.2f} if a is true and {miss:.0f} if c is; Section V a says they never have it",
        "Property 9 which does not happen in case of 0/1 costs",
        "the two classes are inside the set, as in Property 8",
    )


def _examples(tables: dict[str, ExtendedCosts], obstacles: CostMatrix) -> Iterator[Claim]:
    pair = {("h", "b"): {"h": 0.25, "b": 0.25, "n": 3}}
    six = audit(obstacles.extend(pair, mode="mistake-averse")).holds
    yield Claim.checked(
        "2017, IV-C, Example 6",
        "the costs 1/4, 1/4, 3 of {h, b} satisfy Properties 1 to 6",
        all(six[number] for number in range(1, 7)),
        _held(six, range(1, 7)),
        "which satisfy all previous properties as well as Property 6",
        "the other sets, for which the example has no costs, get mistake-averse p-discounted ones, "
        "which satisfy the six properties themselves",
    )
    for table, numbers, quote in (
        ("VI", (2, 3, 8), "The cost matrix given in Table VI satisfies properties 2, 3 and 8."),
        ("VII", (2, 3, 9), "which now follows properties 2, 3 and 9"),
    ):
        holds = audit(tables[table]).holds
        yield Claim.checked(
            f"2017, IV-C, Table {table}",
            f"Table {table} has Properties {', '.join(map(str, numbers))}",
            all(holds[number] for number in numbers),
            f"{_held(holds, numbers)}; the matrix has one set, which was checked",
            quote,
        )


def _utility(utility: Search) -> Iterator[Claim]:
    yield Claim.checked(
        "2017, V a",
        "utility-discounted accuracy has every property but 9",
        utility.always(*utility.has) and utility.count(9) == 0,
        f"{utility.counts(*utility.has)} (2 to 5 classes, six utilities); Property 9 in "
        f"{utility.count(9)}",
        "it satisfies absolutely all our proposed properties (apart from Property 9",
        "the utility exceeds 1/k for every k > 1; with equality, which Section III-A allows, it is "
        "the discounted accuracy, without Properties 1 to 3",
    )


def _ha(printed: Search, corrected: Search) -> Iterator[Claim]:
    where = "2017, V b"
    yield Claim.checked(
        where,
        "delta < eta(y)/2 is enough for Properties 2 and 3",
        printed.always(2, 3),
        f"{printed.counts(2, 3)}; the simplest counterexample is {printed.counterexample(3)}. "
        f"delta < eta(y)/n for n classes is enough: then {corrected.counts(2, 3)}. A set of k "
        "classes costs delta (k - 1) and its classes on average eta (k - 1)/k, so eta/2 is "
        "enough for pairs only",
        "ensures that Properties 2 and 3 are satisfied",
    )
    yield Claim.checked(
        where,
        "Ha's costs have Properties 4 and 5",
        printed.always(4, 5),
        printed.counts(4, 5),
        "the proposal also satisfies basic properties 4 and 5",
    )
    yield Claim.checked(
        where,
        "Ha's costs have Properties 6 and 8",
        printed.always(6, 8),
        printed.counts(6, 8),
        "this proposal satisfies Properties 8 and 6",
    )
    several = printed.of(lambda case: case.extended.n_classes > 2)
    yield Claim.checked(
        where,
        "Ha's costs lack Property 10",
        several.count(10) == 0,
        f"none of {several.n} matrices of three or more classes has it, all "
        f"{printed.n - several.n} of two classes do; {printed.counterexample(10)}",
        "does not satisfy Property 10",
        "three or more classes: with two, the only set contains every true class",
    )
    yield Claim.checked(
        f"{where}, Table VIII",
        "Ha's costs suit filtering better than choice",
        corrected.suits("filtering") == corrected.n and printed.suits("filtering") == printed.n,
        f"so for all {printed.n} matrices; every property that filtering needs holds for "
        f"{corrected.fits('filtering')} of {corrected.n} if delta < eta/n, and for "
        f"{printed.fits('filtering')} of {printed.n} under the printed condition",
        "better fitted to the filtering than to the choice setting",
        BY_TABLE,
    )


def _abellan_masegosa(am: Search, original: Search) -> Iterator[Claim]:
    where = "2017, V c"
    yield Claim.checked(
        where,
        "Abellán and Masegosa's costs have Properties 4, 5 and 10",
        am.always(4, 5, 10),
        f"{am.counts(4, 5, 10)}; beside the original costs {original.counts(4, 5, 10)}, for "
        f"example {original.counterexample(10)}",
        "This satisfies basic Properties 4, 10 and 5",
        MODIFIED,
    )
    yield Claim.checked(
        where,
        "they need not have Properties 2 and 3",
        not am.always(2) and not am.always(3),
        f"{am.counts(2, 3)}; 0/1 costs of any number of classes have neither, since the full set "
        "costs exactly its mean",
        "no guarantee that Properties 2 and 3 will be satisfied",
    )
    yield Claim.checked(
        where,
        "they have Properties 6 and 8",
        am.always(6, 8),
        f"{am.counts(6, 8)}; beside the original costs {original.counts(6, 8)}",
        "It satisfies Properties 6 and 8",
        MODIFIED,
    )
    yield Claim.checked(
        f"{where}, Table VIII",
        "they suit filtering better than choice",
        am.suits("filtering") == am.n,
        f"so for all {am.n} matrices, because of Properties 8 and 9; but every property that "
        f"filtering needs holds for {am.fits('filtering')} of {am.n} only: Property 3 fails for "
        f"{am.n - am.count(3)} and Property 1 for {am.n - am.count(1)}. The simplest is "
        f"{am.counterexample(3)}",
        "it is more fitted to a filtering setting",
        BY_TABLE,
    )


def _p_discounted(found: dict[str, Search]) -> Iterator[Claim]:
    cautious, averse, free = found["cautious"], found["averse"], found["free errors"]
    zero, one = found["r = 0"], found["r = 1"]
    both, where = (cautious, averse), "2017, VI"
    yield Claim.checked(
        where,
        "p-discounted costs have Properties 2, 3 and 5",
        all(each.always(2, 3, 5) for each in (*both, one, found["nothing free"])),
        f"for 0 < r <= 1 {cautious.counts(2, 3, 5)}, in both modes; with r = 0, the discounted "
        f"costs of Definition 3, {zero.counts(2, 3)}; if some errors are free, "
        f"{free.counts(2, 3, 5)}, for example {free.counterexample(3)}",
        "This naturally satisfies basic Properties 2, 3 and 5",
        f"r > 0, since the paper says itself that r = 0 gives no reward, and {ON_DIAGONAL}, or at "
        "least cheaper than every error",
    )
    yield Claim.checked(
        where,
        "p-discounted costs have Properties 4 and 10 for every r",
        all(each.always(4, 10) for each in (*both, zero, one, free, found["nothing free"])),
        f"{cautious.counts(4, 10)}, and so in both modes, for r = 0 and r = 1, and wherever the "
        "zeros are: a mean lies between the smallest and the largest value",
        "are also naturally satisfied for any choice of r",
    )
    other = [found[key] for key in ("utility", "ha", "ha-n", "am")]
    differ = cautious.of(lambda case: not _equal_errors(case.extended))
    yield Claim.checked(
        where,
        "p-discounted costs have Property 9, unlike the other extensions",
        differ.always(9) and all(each.count(9) == 0 for each in other),
        f"Property 9 in {cautious.count(9)} of {cautious.n} matrices, and in all {differ.n} in "
        "which not all errors cost the same, for both modes; in none of the other extensions. With "
        "equal errors no set has true classes of different costs, and with r = 1 every set with "
        f"the true class is free: {one.count(9)} of {one.n}",
        "we satisfy Property 9 (in contrast with other solutions)",
        f"0 < r < 1, not all errors cost the same, and {ON_DIAGONAL}",
    )
    yield Claim.checked(
        where,
        "the cautious mode has Property 7, the mistake-averse one Property 6",
        cautious.always(7) and averse.always(6),
        f"{cautious.counts(7)}; {averse.counts(6)}",
        "each instantiation either satisfy Property 7 or 6",
    )
    kept = [each.of(lambda case: not _equal_errors(case.extended)) for each in both]
    yield Claim.checked(
        f"{where}, Table VIII",
        "p-discounted costs suit choice better than filtering",
        all(each.suits("choice") == each.n for each in kept),
        f"so for all {kept[0].n} matrices in which not all errors cost the same, in both modes; "
        f"for the other {cautious.n - kept[0].n} filtering is before choice. Every property that "
        f"choice needs holds for {cautious.fits('choice')} and {averse.fits('choice')} of "
        f"{cautious.n} (cautious, mistake-averse), every one that filtering needs for "
        f"{cautious.fits('filtering')} and {averse.fits('filtering')}",
        "this proposal is more adapted to a choice setting",
        f"not all errors cost the same; {BY_TABLE}",
    )


def property_findings(found: dict[str, Search], obstacles: CostMatrix) -> Iterator[Finding]:
    """Questions of our own about the extensions."""
    am, averse = found["am"], found["averse"]
    dear = am.of(lambda case: _errors(case.extended).min() > 1)
    cheap = am.of(lambda case: _mean_error(case.extended) <= 1)
    half = CostMatrix(obstacles.costs / 2, obstacles.classes).extend("abellan-masegosa")
    yield Finding(
        "When do Abellán and Masegosa's costs reward caution (Property 3)?",
        "if errors are expensive: the unit of the costs decides",
        f"Property 3 holds if every error costs more than 1 ({dear.count(3)} of {dear.n} such "
        "matrices), and fails on the full set if for some true class errors cost at most 1 on "
        f"average ({cheap.count(3)} of {cheap.n} have it). Proof: a set of k of n classes costs "
        "log k, its classes on average (k - 1)/k log n (1 + m/(n - 1)), with m the mean cost of "
        "its errors; k log k/(k - 1) grows with k, and at k = n the condition is m > 1. Table I "
        f"has Property 3, Table I in half its unit {'has' if audit(half).holds[3] else 'has not'}",
    )
    yield Finding(
        "Do Abellán and Masegosa's costs have every property that filtering needs?",
        "depends on the matrix",
        f"{am.fits('filtering')} of {am.n} matrices; of the 0/1 costs, none",
    )
    yield Finding(
        "Which extension has every property that both settings need?",
        "mistake-averse p-discounted costs, and utility-discounted accuracy for 0/1 costs",
        f"filtering {averse.fits('filtering')} and choice {averse.fits('choice')} of {averse.n} "
        f"matrices; utility-discounted accuracy {found['utility'].fits('filtering')} and "
        f"{found['utility'].fits('choice')} of {found['utility'].n}",
    )


def _errors(extended: ExtendedCosts) -> Floats:
    """The costs of errors, one row per true class."""
    costs = extended.determinate.costs.T
    k = len(costs)
    return costs[~np.eye(k, dtype=bool)].reshape(k, k - 1)


def _mean_error(extended: ExtendedCosts) -> float:
    """The mean cost of errors for the true class for which it is smallest."""
    return float(_errors(extended).mean(axis=1).min())


def _equal_errors(extended: ExtendedCosts) -> bool:
    errors = _errors(extended)
    return bool(errors.min() == errors.max())


def _held(holds: dict[int, bool], numbers: Sequence[int]) -> str:
    kept = [str(n) for n in numbers if holds[n]]
    lost = [str(n) for n in numbers if not holds[n]]
    return f"Properties {', '.join(kept)} hold" + (f", {', '.join(lost)} fail" if lost else "")
