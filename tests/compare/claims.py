"""What the sentences of a comparison claim, and whether its own numbers support it."""

import re
from itertools import combinations

import numpy as np

from wager.compare._cost_comparison import COST
from wager.compare._utility_families import FAMILIES

NAME = r"[A-E]"
NAMES = rf"{NAME}(?:(?:, {NAME})* and {NAME})?"
NUMBER = r"[-+]?(?:\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?|inf)"
P = r"p (?:= (?P<p>[\d.]+)|< 0\.0001)"


class UnsupportedError(AssertionError):
    """A sentence claims what the numbers do not support."""


def require(condition, sentence, why):
    if not condition:
        raise UnsupportedError(f"{sentence!r}: {why}")


def named(text):
    """The names that a sentence lists."""
    return re.split(r", | and ", text)


def number(text):
    return float(text.replace(",", ""))


def shown(text):
    """Half a unit of the last digit of a number, and a little more."""
    mantissa, _, power = text.partition("e")
    digits = len(mantissa.partition(".")[2])
    return 0.51 * 10.0 ** (int(power or 0) - digits)


def require_number(text, value, sentence):
    near = abs(number(text) - value) <= shown(text) + 1e-9 * abs(value)
    require(near, sentence, f"{text} is {value}")


def require_p(said, p, sentence):
    """``p = 0.0312`` or ``p < 0.0001``."""
    if said is None:
        require(p < 1e-4, sentence, f"p is {p}")
    else:
        require_number(said, p, sentence)


# -- two or more classifiers on the same rows -----------------------------------------------------


class Facts:
    """Who is better than whom, from the tests of a comparison and nothing else."""

    def __init__(self, found):
        self.found, self.alpha = found, found.alpha
        self.utilities = {u.name: u for u in found.utilities}

    def better(self, a, b, criterion):
        """1 if a is significantly better than b by the table, -1 if worse, else 0."""
        if criterion == COST:
            test = self.found.cost_difference(a, b)
            sign = -1
        else:
            test = self.found.difference(a, b, self.utilities.get(criterion, criterion))
            sign = 1
        return sign * int(np.sign(test.effect)) if test.p < self.alpha else 0

    def better_at(self, a, b, q):
        """The same for a user with this u(0.5), by a test of its own."""
        level = self.found.adjustment(a, b, family="quadratic").level(self.alpha)
        test = self.found.paired(a, b).difference(float(q))
        low, high = test.interval(level)
        return int(low > 0) - int(high < 0)

    def all_equal(self, names, criterion):
        """Whether these are worth, or cost, the same in every row."""
        return all(self.is_zero(a, b, criterion) for a, b in combinations(names, 2))

    def is_zero(self, a, b, criterion):
        if criterion == COST:
            test = self.found.cost_difference(a, b)
            return test.effect == 0 and test.p == 1
        if self.better_at(a, b, 0.5) or self.better_at(a, b, 1.0):
            return False
        pair = self.found.paired(a, b)
        size_a, hit_a, size_b, hit_b = pair.outcomes.T
        at = pair.counts > 0
        return bool((np.where(hit_a, size_a, 0) == np.where(hit_b, size_b, 0))[at].all())


def inner(low, high):
    """Values of u(0.5) that a sentence with two decimals claims."""
    start = low if low <= 0.5 else low + 0.0051
    end = high if high >= 1 else high - 0.0051
    if start > end:
        return []
    return np.linspace(start, end, 5)


def check_recommendation(found):
    """Every part of the recommendation, and the attribute `recommended`."""
    facts, words = Facts(found), found.recommendation
    criteria = [*facts.utilities, *([] if found.costs is None else [COST])]
    best = [
        a
        for a in found.names
        if all(facts.better(a, b, c) == 1 for b in found.names if b != a for c in criteria)
    ]
    require(found.recommended == (best[0] if best else None), words, f"{best} are best")
    for clause in words.split("; "):
        _check_clause(facts, clause, words)


def _check_clause(facts, clause, words):
    found, by_cost = facts.found, clause.startswith("by cost, ") or not facts.utilities
    said = clause.removeprefix("by cost, ")
    user = re.fullmatch(rf"for the user of (\S+) \(u\(0\.5\) ({NUMBER})-({NUMBER})\): (.*)", said)
    if user:
        _check_user(facts, user, words)
    elif whom := re.fullmatch(rf"take ({NAME}): (.*)", said):
        _check_take(facts, whom[1], whom[2], by_cost, words)
    elif said == "otherwise the data do not distinguish the best of them":
        pass
    elif said.startswith("take "):
        for name, where in re.findall(rf"({NAME}) for (.*?)(?=, {NAME} for|$)", said[5:]):
            for q in inner(*_range(where)):
                for other in set(found.names) - {name}:
                    ok = facts.better_at(name, other, q) == 1
                    require(ok, words, f"{name} does not beat {other} at {q}")
    elif same := re.fullmatch(
        rf"({NAMES}) (earn|cost) the same in every row: take (either|any)", said
    ):
        criterion = COST if same[2] == "cost" else next(iter(facts.utilities))
        require(facts.all_equal(named(same[1]), criterion), words, "they differ")
        require((same[3] == "either") == (len(named(same[1])) == 2), words, same[3])
        _check_left_out(facts, named(same[1]), [criterion], words)
    elif apart := re.fullmatch(
        rf"the data do not distinguish ({NAME}) from ({NAMES}): collect more rows(, or take \w+)?",
        said,
    ):
        names = [apart[1], *named(apart[2])]
        criteria = [COST] if by_cost else list(facts.utilities)
        _check_apart(facts, names, criteria, not by_cost, words)
        if apart[3]:
            _check_left_out(facts, names, criteria, words)
    elif unclear := re.fullmatch(
        rf"(?:for no u\(0\.5\) do )?the data (?:do not )?show which of ({NAMES}) (?:is best|costs "
        r"least): collect more rows",
        said,
    ):
        for name in named(unclear[1]):
            others = [b for b in found.names if b != name]
            if by_cost:
                wins = all(facts.better(name, b, COST) == 1 for b in others)
                require(not wins, words, f"{name} costs least")
            else:
                for q in np.linspace(0.5, 1, 21):
                    wins = all(facts.better_at(name, b, q) == 1 for b in others)
                    require(not wins, words, f"{name} is best at {q}")
    else:
        raise AssertionError(f"a sentence that the grammar does not know: {clause!r} in {words!r}")


def _range(where):
    if where == "every u(0.5) from 0.5 to 1":
        return 0.5, 1.0
    numbers = [float(text) for text in re.findall(r"\d\.\d+", where.removeprefix("u(0.5)"))]
    if " below " in where:
        return 0.5, numbers[0]
    return (numbers[0], 1.0) if " above " in where else (numbers[0], numbers[1])


def _check_take(facts, name, why, by_cost, words):
    others = [other for other in facts.found.names if other != name]
    if scores := re.fullmatch(
        rf"it scores higher than ({NAMES}) under (.*?)(, and costs less)?", why
    ):
        require(named(scores[1]) == others, words, "others")
        for criterion in named(scores[2]):
            beats = all(facts.better(name, b, criterion) == 1 for b in others)
            require(beats, words, f"not under {criterion}")
        require(set(named(scores[2])) == set(facts.utilities), words, "utilities")
        cheaper = bool(scores[3])
    elif everyone := re.fullmatch(
        rf"everyone averse or neutral to risk prefers it to ({NAMES})(, and it costs less)?", why
    ):
        require(named(everyone[1]) == others, words, "others")
        for b in others:
            test = facts.found.dominance(name, b)
            ok = test.p < facts.alpha and test.details["winner"] == "a"
            require(ok, words, f"not everyone prefers it to {b}")
            for q in np.linspace(0.5, 1, 5):
                ok = facts.found.paired(name, b).difference(float(q)).mean > -1e-12
                require(ok, words, f"{b} is ahead at {q}")
        cheaper = bool(everyone[2])
    else:
        cost = re.fullmatch(rf"it costs less than ({NAMES})", why)
        require(cost is not None and by_cost, words, "unknown reason")
        require(named(cost[1]) == others, words, "others")
        cheaper = True
    if cheaper:
        require(all(facts.better(name, b, COST) == 1 for b in others), words, "not cheaper")


def _check_apart(facts, names, criteria, along, words):
    for a, b in combinations(names, 2):
        for criterion in criteria:
            require(facts.better(a, b, criterion) == 0, words, f"{a}, {b}: {criterion}")
        for q in np.linspace(0.5, 1, 11) if along else ():
            require(facts.better_at(a, b, q) == 0, words, f"{a} and {b} differ at {q}")


def _check_left_out(facts, names, criteria, words):
    """One that advice leaves out is worse than one of those that it names."""
    for name in set(facts.found.names) - set(names):
        others = [b for b in facts.found.names if b != name]
        worse = any(facts.better(b, name, c) == 1 for b in others for c in criteria)
        require(worse, words, f"{name} is left out")


def _check_user(facts, said, words):
    utility, low, high, what = said[1], float(said[2]), float(said[3]), said[4]
    low, high = (min(max(end, 0.5), 1.0) for end in (low, high))
    points = [(low + high) / 2] if high - low < 0.02 else np.linspace(low + 0.006, high - 0.006, 5)
    names = facts.found.names
    if take := re.fullmatch(rf"take ({NAME})", what):
        for q in points:
            beats = all(facts.better_at(take[1], b, q) == 1 for b in names if b != take[1])
            require(beats, words, f"not at {q}")
        worse = [b for b in names if b != take[1] and facts.better(take[1], b, utility) == -1]
        require(not worse, words, f"under {utility} {worse} are better")
    elif apart := re.fullmatch(rf"the data do not distinguish ({NAME}) from ({NAMES})", what):
        for a, b in combinations([apart[1], *named(apart[2])], 2):
            require(facts.better(a, b, utility) == 0, words, f"{a} and {b} differ under {utility}")
            for q in points:
                require(facts.better_at(a, b, q) == 0, words, f"{a} and {b} differ at {q}")
    else:
        which = re.fullmatch(rf"the data do not show which of ({NAMES}) is best", what)
        require(which is not None, words, "unknown")
        wider = np.clip(np.linspace(low - 0.006, high + 0.006, 5), 0.5, 1)  # ends are rounded
        for name in named(which[1]):
            wins = all(facts.better_at(name, b, q) == 1 for b in names if b != name for q in wider)
            require(not wins, words, f"{name} is best")


def check_criterion(found, criterion):
    """The sentence about one utility, or about the costs."""
    facts, words = Facts(found), found.verdict(criterion)
    start = "by cost" if criterion == COST else rf"under {re.escape(found_name(criterion))}"
    beats = "costs less" if criterion == COST else "scores higher"
    best = [
        a
        for a in found.names
        if all(facts.better(a, b, criterion) == 1 for b in found.names if b != a)
    ]
    if take := re.fullmatch(rf"{start}, take ({NAME}): it {beats} than ({NAMES})", words):
        require(best == [take[1]], words, f"{best} are best")
        require(named(take[2]) == [b for b in found.names if b != take[1]], words, "others")
        return
    require(not best, words, f"{best} is best")
    if apart := re.fullmatch(
        rf"{start}, the data do not distinguish ({NAME}) from ({NAMES})", words
    ):
        _check_apart(facts, [apart[1], *named(apart[2])], [criterion], False, words)
        return
    same = re.fullmatch(rf"{start}, ({NAMES}) (?:earn|cost) the same in every row", words)
    if same:
        require(facts.all_equal(named(same[1]), criterion), words, "they differ")
        return
    which = re.fullmatch(
        rf"{start}, the data do not show which of ({NAMES}) (?:is best|costs least)", words
    )
    require(which is not None, words, "unknown")


def found_name(criterion):
    return criterion if isinstance(criterion, str) else criterion.name


# -- the sentences about two ----------------------------------------------------------------------


def check_pair(found, a, b, families=FAMILIES):
    """The sentences about two classifiers: difference, break-even, dominance, saving."""
    facts = Facts(found)
    for utility in found.utilities:
        test = found.difference(a, b, utility)
        check_two_sided(test, a, b, found.alpha)
        low, high = test.interval
        if low == low and min(abs(low), abs(high)) > 1e-9:
            outside = not low <= 0 <= high
            require(outside == (test.p < found.alpha), test.verdict, f"{test.interval} {test.p}")
    if found.utilities:
        for family in families:
            check_break_even(found, a, b, family)
        check_dominance(found.dominance(a, b), found, a, b)
    if found.costs is not None:
        check_saving(found.cost_difference(a, b), a, b, found.alpha)
        even = found.cost_break_even(a, b)
        if even is not None and not even.is_draw:
            check_parts(even, a, b, "r", (0.0, 1.0), "costs less")
        elif even is not None:
            require(facts.is_zero(a, b, COST), even.verdict, "they differ")


def check_two_sided(test, a, b, alpha):
    words = test.verdict
    if none := re.fullmatch(rf"no significant difference between {a} and {b} \({P}\)", words):
        require(test.p >= alpha or test.effect == 0, words, f"p is {test.p}")
        require(test.effect != 0 or test.p >= alpha, words, f"p {test.p} without a difference")
        require_p(none["p"], test.p, words)
        return
    higher = re.fullmatch(rf"({NAME}) scores higher than ({NAME}) \({P}\)", words)
    require(higher is not None, words, "unknown")
    require(higher[1] == (a if test.effect > 0 else b), words, f"the effect is {test.effect}")
    require(test.p < alpha, words, f"p is {test.p}")
    require_p(higher["p"], test.p, words)


def check_saving(test, a, b, alpha):
    words = test.verdict
    amount = rf"({NUMBER})(?: EUR)?"
    if words.startswith("no significant difference in cost between"):
        require(test.p >= alpha or test.p != test.p, words, f"p is {test.p}")
        ends = re.search(rf"\({amount} to {amount} per case, {P}\)", words)
        if ends:
            require_p(ends["p"], test.p, words)
            for text, end in zip(ends.groups()[:2], test.interval, strict=True):
                require_number(text, end, words)
        return
    saves = re.fullmatch(
        rf"({NAME}) saves {amount} per case compared with ({NAME}) \({amount} to {amount}\)", words
    )
    require(saves is not None, words, "unknown")
    require((saves[1] == a) == (test.effect < 0), words, f"the effect is {test.effect}")
    require(test.p < alpha, words, f"p is {test.p}")
    require_number(saves[2], abs(test.effect), words)
    require(number(saves[2]) > 0, words, "saves nothing")
    for text, end in zip(saves.groups()[3:], sorted(np.abs(test.interval)), strict=True):
        require_number(text, end, words)


def check_break_even(found, a, b, family):
    even = found.break_even(a, b, family=family)
    parameter, within = FAMILIES[family].parameter, FAMILIES[family].ends
    if even.is_draw:
        require(Facts(found).is_zero(a, b, "u50"), even.verdict, "they differ")
        return
    check_parts(even, a, b, parameter, within, "scores higher")
    if family == "quadratic":
        facts = Facts(found)
        for low, high, side in even.decided:
            for q in np.linspace(low, high, 5)[1:-1] if high - low > 1e-6 else ():
                require(facts.better_at(a, b, q) == side, even.verdict, f"not at {q}")


def check_parts(even, a, b, parameter, within, beats):
    """The parts that a sentence gives to each of two are those that the data distinguish."""
    words, slack = even.verdict, 0.0051
    least, most = within
    said = {a: [], b: []}
    head = re.split(r"; | \(", words)[0]
    x = re.escape(parameter)
    if every := re.match(rf"({NAME}) {beats} than ({NAME}) for every {x} ", words):
        said[every[1]].append((least, most))
    elif both := re.match(
        rf"({NAME}) {beats} than {NAME} for {x} below ({NUMBER}) and above ({NUMBER})", words
    ):
        said[both[1]] += [(least, float(both[2])), (float(both[3]), most)]
    elif two := re.match(
        rf"({NAME}) {beats} than ({NAME}) for {x} above ({NUMBER}), ({NAME}) below ({NUMBER})",
        words,
    ):
        said[two[1]].append((float(two[3]), most))
        said[two[4]].append((least, float(two[5])))
    elif one := re.match(rf"({NAME}) {beats} than {NAME} for {x} (above|below) ({NUMBER})", words):
        edge = float(one[3])
        said[one[1]].append((edge, most) if one[2] == "above" else (least, edge))
    elif " from " in head and f" {beats} than " in head:
        for name, parts in re.findall(
            rf"({NAME}) {beats} than {NAME} for {x} (from .*?)(?=, {NAME}|$)", head
        ):
            for start, end in re.findall(rf"from ({NUMBER}) to ({NUMBER})", parts):
                said[name].append((float(start), float(end)))
    else:
        require(words.startswith("the data do not distinguish"), words, "unknown")
    for name, side in ((a, 1), (b, -1)):
        true = [(low, high) for low, high, sign in even.decided if sign == side]
        for low, high in said[name]:
            near = any(start - slack <= low and high <= end + slack for start, end in true)
            require(near, words, f"{name} is better in {true} only")
        for low, high in true:
            known = any(s - slack <= low and high <= e + slack for s, e in said[name])
            require(known or high - low < 2 * slack, words, f"{name} is better in {low}-{high}")


def check_dominance(test, found, a, b):
    words = test.verdict.split("; ")[0]
    order = f"the rewards of {a} and {b} have the same distribution in this sample"
    if words == order:
        require(test.details["winner"] == "equal", words, "not equal")
        require(test.p == 1, words, f"p {test.p}")
        for q in (0.5, 0.7, 1.0):
            require(abs(found.paired(a, b).difference(q).mean) < 1e-9, words, "means differ")
        return
    if prefers := re.fullmatch(
        rf"(in this sample )?everyone who is averse or neutral to risk prefers ({NAME}) to ({NAME})"
        rf"(, but not significantly)? \({P}\)",
        words,
    ):
        require(bool(prefers[1]) == bool(prefers[4]), words, "unknown")
        require((test.p < found.alpha) != bool(prefers[1]), words, f"p is {test.p}")
        require_p(prefers["p"], test.p, words)
        ahead = 1 if prefers[2] == a else -1
        require(test.details["winner"] == ("a" if ahead == 1 else "b"), words, "winner")
        for q in np.linspace(0.5, 1, 6):
            mean = found.paired(a, b).difference(float(q)).mean
            require(ahead * mean > -1e-9, words, f"behind at {q}")
        return
    none = re.fullmatch(
        rf"(opinions differ significantly|in this sample opinions differ): neither {a} nor {b} is "
        "preferred by all",
        words,
    )
    require(none is not None, words, "unknown")
    require(test.details["winner"] == "none", words, "someone wins")
    worst = max(test.details["p_refuted_a"], test.details["p_refuted_b"])
    require((worst < found.alpha) == ("significantly" in none[1]), words, f"p {worst}")


def check_table(found):
    """Stars, signs and intervals of the table of differences."""
    _, rows = found.difference_table()
    criteria = [*found.utilities, *([] if found.costs is None else [COST])]
    pairs = [(a, b, c) for a, b in found.shown_pairs for c in criteria]
    for (a, b, criterion), row in zip(pairs, rows, strict=True):
        is_cost = isinstance(criterion, str)
        test = found.cost_difference(a, b) if is_cost else found.difference(a, b, criterion)
        starred = row[-1].endswith("*")
        require(starred == (test.p < found.alpha), row, f"p is {test.p}")
        text = row[-1].strip("* ")
        require_p(None if text.startswith("<") else text, test.p, row) if test.p == test.p else None
        if starred:
            require(float(row[2]) * test.effect > 0, row, f"the effect is {test.effect}")
            low, high = map(float, row[3].split(" to "))
            require(low * high > 0, row, f"the interval is {test.interval}")


# -- probabilities --------------------------------------------------------------------------------

TITLES = {
    "information_reward": "information reward",
    "log_loss": "log loss",
    "brier": "Brier score",
    "accuracy": "accuracy",
}
SCORES = {title: score for score, title in TITLES.items()}
DECIDING = ("information_reward", "log_loss", "brier")


def check_probabilities(found, draws):
    """The advice, the sentences and the tables of a comparison of probabilities.

    ``draws`` says of two names whether their probabilities are equal in every row.
    """

    def better(a, b, score):
        """1 if a has the significantly better score, -1 if b has, else 0."""
        test = found.difference(a, b, score)
        sign = -1 if score in ("log_loss", "brier") else 1
        return sign * int(np.sign(test.effect)) if test.p < found.alpha else 0

    names, words = found.names, found.recommendation
    best = [
        a for a in names if all(better(a, b, s) == 1 for b in names if b != a for s in DECIDING)
    ]
    require(found.recommended == (best[0] if best else None), words, f"{best} are best")
    if take := re.fullmatch(
        rf"take ({NAME}): (in these rows )?its information reward, log loss and Brier score are "
        rf"better than those of ({NAMES})",
        words,
    ):
        require(best == [take[1]], words, f"{best} are best")
        require(named(take[3]) == [b for b in names if b != take[1]], words, "others")
    elif same := re.fullmatch(
        rf"({NAMES}) score the same in every (row|cluster): take either", words
    ):
        names = named(same[1])
        require(same[2] == "cluster" or draws(*names), words, "they differ")
        gaps = [found.difference(*names, s).effect for s in TITLES]
        require(not any(gaps), words, f"they differ by {gaps}")
    elif apart := re.fullmatch(
        rf"the data do not distinguish ({NAME}) from ({NAME}): collect more rows, or take either",
        words,
    ):
        require(not any(better(*apart.groups(), s) for s in DECIDING), words, "they differ")
    elif words.startswith("take "):
        head, _, tail = re.split(r"(; |: )", words, maxsplit=1)
        for name, which in re.findall(rf"({NAME}) for (.*?)(?=, {NAME} for|$)", head[5:]):
            other = next(n for n in names if n != name)
            for title in named(which):
                require(better(name, other, SCORES[title]) == 1, words, title)
        if rest := re.fullmatch(rf"the data do not distinguish {NAME} from {NAME} by (.*)", tail):
            for title in named(rest[1]):
                require(better(*names, SCORES[title]) == 0, words, title)
        else:
            require(tail == "the scores do not agree on one of the two", words, "unknown")
    elif words.startswith("no classifier is significantly better than every other one in"):
        require(not best, words, f"{best} is best")
    else:
        lost = any(found.infinite_rows(n, s) for n in names for s in DECIDING)
        require(words.startswith("none, because") and lost, words, "unknown")
    pairs = list(combinations(names, 2))
    for (a, b), sentence in zip(pairs, found.sentences(), strict=False):
        for part in sentence.removeprefix(f"{a} and {b}: ").split("; "):
            if won := re.fullmatch(rf"({NAME}) has the better (.*)", part):
                side = 1 if won[1] == a else -1
                for title in named(won[2]):
                    require(better(a, b, SCORES[title]) == side, sentence, title)
            elif none := re.fullmatch(r"no significant difference in (.*)", part):
                for title in named(none[1]):
                    require(better(a, b, SCORES[title]) == 0, sentence, title)
            else:
                require(part == "no difference is defined", sentence, "unknown")
        for score, title in TITLES.items():
            test = found.difference(a, b, score)
            _check_score_verdict(test, a, b, better(a, b, score), found.alpha, title)
    _, rows = found.difference_table()
    triples = [(a, b, s) for a, b in pairs for s in TITLES]
    for (a, b, score), row in zip(triples, rows, strict=True):
        test = found.difference(a, b, score)
        require(row[-1].endswith("*") == (test.p < found.alpha), row, f"p is {test.p}")
        if row[-1].endswith("*"):
            require(float(row[2]) * test.effect > 0, row, f"the effect is {test.effect}")
        if row[-1].endswith("*") and row[3] != "-":  # of one difference in all rows
            low, high = map(float, row[3].split(" to "))
            require(low * high > 0, row, f"the interval is {test.interval}")


def _check_score_verdict(test, a, b, side, alpha, title):
    words = test.verdict
    if none := re.fullmatch(
        rf"no significant difference in {title}(?: 2004)? between {a} and {b} \({P}\)", words
    ):
        require(side == 0, words, f"p is {test.p}")
        require_p(none["p"], test.p, words)
    elif found := re.match(
        rf"(?:in these rows )?({NAME}) has the (higher|lower) {title}(?: 2004)? \({P}\)", words
    ):
        require(side == (1 if found[1] == a else -1), words, f"p {test.p}, effect {test.effect}")
        require((found[2] == "lower") == (title in ("log loss", "Brier score")), words, found[2])
        require_p(found["p"], test.p, words)
    else:
        ok = "infinite in some rows" in words or "too few to compare" in words
        require(ok and test.p != test.p, words, "unknown")


# -- ranks over data sets, and tests of two lists of scores ---------------------------------------


def check_over_datasets(found):
    """The sentences and the advice of a comparison over data sets."""
    losers = {}
    for utility, sentence in zip(found.scores, found.sentences(), strict=True):
        test, mean = (
            found.test(utility),
            dict(zip(found.names, found.mean_ranks(utility), strict=True)),
        )
        pairs = found.beaten(utility)
        for better, worse in pairs:
            require(mean[better] < mean[worse], sentence, f"{better} ranks after {worse}")
        require(not pairs or test.p < found.alpha, sentence, f"p is {test.p}")
        losers[utility] = {worse for _, worse in pairs}
        said = set(re.findall(rf"({NAME}) beats ({NAME})", sentence))
        if len(found.names) > 2:
            require(said == set(pairs), sentence, f"{pairs}")
            differ = "differ over the" in sentence
            require(differ == (test.p < found.alpha), sentence, f"p is {test.p}")
            check_best(sentence, mean)
        else:
            higher = re.search(rf"({NAME}) scores higher than ({NAME})", sentence)
            require([higher.groups()] == pairs if higher else not pairs, sentence, f"{pairs}")
    advice = found.recommendation
    for clause in advice.split("; under "):
        which, words = re.fullmatch(r"(?:under )?(.*?) (take .*)", clause).groups()
        for utility in named(which):
            mean = dict(zip(found.names, found.mean_ranks(utility), strict=True))
            beaten, p = losers[utility], found.test(utility).p
            left = [name for name in found.names if name not in beaten]
            if words.startswith("take any"):
                require(p >= found.alpha and not beaten, advice, f"{beaten} are beaten, p {p}")
                require(words != "take any" or len(set(mean.values())) == 1, advice, f"{mean}")
                check_best(words, mean)
                continue
            taken = re.match(rf"take ({NAME}(?: or {NAME})*)", words)[1].split(" or ")
            best = [name for name, rank in mean.items() if rank == min(mean.values())]
            require(taken == best, advice, f"{best} rank best")
            require(p < found.alpha, advice, f"p is {p}")
            near = re.search(rf"({NAMES}) (?:is|are) not significantly worse", words)
            others = [name for name in left if name not in best]
            require((named(near[1]) if near else []) == others, advice, f"{others} are not beaten")


def check_best(words, mean):
    if found := re.search(rf"({NAMES}) ranks? best", words):
        best = [name for name, rank in mean.items() if rank == min(mean.values())]
        require(named(found[1]) == best, words, f"{best}")


def check_test(found, names, alpha, what="scores"):
    """The sentence of a two-sided test of two lists of scores."""
    a, b = names
    words = found.verdict
    if none := re.fullmatch(rf"no significant difference between {a} and {b} \({P}\)", words):
        require(not found.p < alpha, words, f"p is {found.p}")
        require_p(none["p"], found.p, words)
        return
    higher = re.fullmatch(rf"({NAME}) {what} higher than ({NAME}) \({P}\)", words)
    require(higher is not None, words, "unknown")
    require(found.p < alpha, words, f"p is {found.p}")
    require((higher[1] == a) == (found.effect > 0) or found.effect == 0, words, f"{found.effect}")
    require_p(higher["p"], found.p, words)
    low, high = found.interval
    require(low != low or low > 0 or high < 0 or high == low, words, f"{found.interval}")


# -- row by row, equivalence, plans, selection ----------------------------------------------------


def check_sequence(found, score="", unit=None):
    """The sentence of a confidence sequence, from its last bounds."""
    a, b = found.names
    words, (low, high) = found.verdict, found.state.interval
    last = found.n[-1]
    if words.startswith("no verdict after"):
        require(found.state.contradicted, words, "not contradicted")
        return
    course = re.findall(rf"(?:is|0:) ({NUMBER}) to ({NUMBER})", words)[-1]
    for text, end in zip(course, (low, high), strict=True):
        require_number(text, end, words)
    if none := re.match(r"no difference established after (\d+) rows", words):
        require(low < 0 < high, words, f"{low} to {high}")
        require(int(none[1]) == last, words, f"{last} rows")
        return
    leads = re.match(
        rf"({NAME}) (scores higher|costs less) than ({NAME})(?: under \S+)?: after (\d+) rows",
        words,
    )
    require(leads is not None, words, "unknown")
    require((low >= 0) if leads[1] == a else (high <= 0), words, f"{low} to {high}")
    require({leads[1], leads[3]} == {a, b}, words, "names")
    require((leads[2] == "costs less") == (score == "costs"), words, score)
    require(int(leads[4]) <= last, words, f"{last} rows")
    require(number(course[0]) * number(course[1]) >= 0, words, "the bounds include 0")


def check_equivalence(test, margin, alpha, a, b):
    words, (low, high) = test.verdict, test.interval
    shown = re.fullmatch(
        rf"(the data do not show that )?{a} and {b} are within (\S+)(?: EUR)? of each other "
        rf"(?:under \S+|by average cost) \({P}\)",
        words,
    )
    require(shown is not None, words, "unknown")
    require((test.p < alpha) != bool(shown[1]), words, f"p is {test.p}")
    require_p(shown["p"], test.p, words)
    require(np.isclose(number(shown[2]), margin, rtol=1e-5), words, f"the margin is {margin}")
    if low == low and abs(test.p - alpha) > 1e-6:
        within = -margin < low and high < margin
        near = min(abs(low + margin), abs(high - margin)) < 1e-6 * margin
        require(near or within == (test.p < alpha), words, f"{test.interval}, p {test.p}")


def check_plan(plan, a, b, pilot_rows):
    words = plan.verdict
    if words.startswith(f"the pilot shows no difference between {a} and {b}"):
        require(plan.difference == 0, words, f"the difference is {plan.difference}")
        return
    said = re.fullmatch(
        rf"(?:({NUMBER}) rows|rows with a total weight of ({NUMBER})) \((?:({NUMBER}) more than "
        rf"the pilot|no more than the pilot has)\) decide between {a} and {b} .* with probability "
        rf"({NUMBER})%, if the true difference is ({NUMBER}) as in the pilot; from "
        rf"(?:a weight of )?({NUMBER}) to (any number of|any weight|{NUMBER})(?: rows)?, "
        rf"as it may be ({NUMBER}) to "
        rf"({NUMBER})",
        words,
    )
    require(said is not None, words, "unknown")
    require_number(said[1] or said[2], plan.n, words)
    require((plan.more > 0) == bool(said[3]), words, f"{plan.more} more")
    if said[3]:
        require_number(said[3], plan.more, words)
    require_number(said[4], 100 * plan.power, words)
    require_number(said[5], plan.difference, words)
    least, most = plan.between
    require_number(said[6], least, words)
    require(said[7].startswith("any") == (most == np.inf), words, f"{most}")
    for text, end in zip(said.groups()[7:], plan.interval, strict=True):
        require_number(text, end, words)
    require(least <= plan.n <= most, words, f"{least} {plan.n} {most}")
    excludes = not plan.interval[0] <= 0 <= plan.interval[1]
    require(excludes == (most < np.inf), words, f"{plan.interval}")


def check_gain(gain, a, b):
    words = gain.verdict
    if "always predicts a single class" in words:
        require(gain.n == 0, words, gain.n)
    elif "neither classifier earns any utility" in words:
        require(gain.credal == gain.precise == 0, words, f"{gain.credal} {gain.precise}")
    elif nothing := re.search(rf"it earns ({NUMBER}), {b} nothing", words):
        require_number(nothing[1], gain.credal, words)
        require(gain.precise == 0, words, gain.precise)
    else:
        ends = re.search(rf"\(({NUMBER})% to (?:({NUMBER})%|any)\)", words)
        for text, end in zip(ends.groups(), gain.interval, strict=True):
            if text:
                require_number(text, 100 * end, words)
            else:
                require(end == np.inf, words, end)
        if more := re.search(rf"earns ({NUMBER})% (more|less) utility than {b}", words):
            require_number(more[1], 100 * abs(gain.value), words)
            require((more[2] == "more") == (gain.value > 0), words, gain.value)
        else:
            require(f"as much utility as {b}" in words, words, "unknown")
            require(abs(gain.credal - gain.precise) < 1e-9, words, "they differ")
    rows = re.search(rf"on the (?:rows of total weight )?({NUMBER})", words)
    if rows:
        require_number(rows[1], gain.n, words)


def check_selective(found, measure, alpha):
    words, (a, b) = found.verdict(measure, alpha), found.names
    gap = found.differences[measure]
    p = gap.p_value()
    if none := re.fullmatch(rf"no significant difference in .+ between {a} and {b} \({P}\)", words):
        require(p >= alpha, words, f"p is {p}")
        require_p(none["p"], p, words)
        return
    if words.startswith("no significant difference"):
        require(p != p, words, f"p is {p}")
        return
    lower = re.fullmatch(rf"({NAME}) has a lower .+ than ({NAME}) \({P}\)", words)
    require(lower is not None, words, "unknown")
    require(p < alpha, words, f"p is {p}")
    require((lower[1] == a) == (gap.value < 0), words, f"the gap is {gap.value}")
    require(gap.value != 0, words, "no difference")


def check_coverage(report):
    words, promised = report.verdict(), report.promised
    for part in report.parts:
        side = "below" if part.high < promised else "above" if part.low > promised else "not"
        near = min(abs(part.high - promised), abs(part.low - promised)) < 1e-9
        require(near or part.verdict.startswith(side), part.verdict, f"{part.low} {part.high}")
        if part.n_rows and part.low == part.low:
            inside = part.low - 1e-9 <= part.coverage <= part.high + 1e-9
            require(inside, part.verdict, f"{part.low} {part.coverage} {part.high}")
    if words.startswith("no part is significantly below"):
        require(not report.below, words, f"{report.below}")
        above = re.search(r"; (\d+) above it", words)
        require(int(above[1] if above else 0) == len(report.above), words, f"{report.above}")
        return
    shown = words.partition(": ")[2]
    more = re.search(r" and (\d+) more$", shown)
    parts = re.findall(rf"(?:^|; )(.+?) \(({NUMBER}), ({NUMBER}) to ({NUMBER})\)", shown)
    require(len(parts) + int(more[1] if more else 0) == len(report.below), words, "number of parts")
    by_title = {part.title: part for part in report.below}
    for title, *numbers in parts:
        part = by_title[title]
        for text, value in zip(numbers, (part.coverage, part.low, part.high), strict=True):
            require_number(text, value, words)


def check_alerts(monitor):
    for test in monitor.tests:
        words = test.sentence()
        side = "above" if test.rise else "below"
        require(f" {side} " in words, words, side)
        require(words.startswith("alert: ") == (test.alert_at is not None), words, test.alert_at)
        if test.alert_at is not None:
            require(test.e_value >= 1 / test.alpha * (1 - 1e-12), words, test.e_value)
            require(f"row {test.alert_at:,}" in words, words, test.alert_at)
        else:
            said = re.search(rf"\(e-value ({NUMBER}), an alert needs ({NUMBER})\)", words)
            require(number(said[1]) < number(said[2]), words, f"{test.e_value} {1 / test.alpha}")
        target = re.search(rf"{side} ({NUMBER})", words)[1]
        require_number(target, test.target, words)


def check_least_variance(found, tolerance):
    words = found.verdict.split("; ")[0]
    means = {name: m.mean for name, m in found.moments.items()}
    top = max(means.values())
    near = tuple(name for name, mean in means.items() if mean >= top - tolerance - 1e-11)
    require(near == found.equal, words, f"{near}")
    variances = {name: found.moments[name].variance for name in near}
    if wins := re.match(rf"({NAME}) wins", words):
        require(found.winner == wins[1], words, found.winner)
        others = [v for name, v in variances.items() if name != wins[1]]
        require(others and variances[wins[1]] < min(others), words, f"{variances}")
        if equals := re.search(rf"equals that of ({NAMES})", words):
            gap = max(abs(means[name] - means[wins[1]]) for name in named(equals[1]))
            require(gap < 1e-9, words, f"the means differ by {gap}")
        if "is the largest" in words:
            require(means[wins[1]] >= top - 1e-9, words, f"{means}")
        require_number(re.search(rf"least \(({NUMBER})\)", words)[1], variances[wins[1]], words)
    elif same := re.search(rf"the rewards of ({NAMES}) have the same variance", words):
        some = [variances[name] for name in named(same[1])]
        require(np.ptp(some) < 1e-9 and len(near) > 1, words, f"{variances}")
        require(min(some) <= min(variances.values()) + 1e-9, words, f"{variances}")
    else:
        require("the rule does not apply" in words and len(near) == 1, words, f"{near}")
        require(found.winner is None, words, found.winner)


# -- one classifier -------------------------------------------------------------------------------


def check_summary(evaluation):
    """The sentence of an evaluation of sets."""
    words, v = evaluation.sentence(), evaluation.values
    if single := re.search(
        rf"({NUMBER})% name one class and are right ({NUMBER})% of the time", words
    ):
        require_number(single[1], 100 * v["determinacy"], words)
        require_number(single[2], 100 * v["single_accuracy"], words)
    else:
        require(v["determinacy"] == 0, words, v["determinacy"])
    several = re.search(
        rf"sets of two or more classes \(({NUMBER}) on average\) contain the true class "
        rf"({NUMBER})% of",
        words,
    )
    if several:
        require_number(several[1], v["indeterminate_set_size"], words)
        require_number(several[2], 100 * v["set_accuracy"], words)
    else:
        many = 1 - v["determinacy"] - v["empty_rate"]
        require(abs(many) < 1e-9, words, f"{many} have several classes")
    if empty := re.search(rf"({NUMBER})% name no class", words):
        require_number(empty[1], 100 * v["empty_rate"], words)
    else:
        require(v["empty_rate"] == 0, words, v["empty_rate"])
    if price := re.search(rf"A prediction costs ({NUMBER})(?: EUR)? on average", words):
        require_number(price[1], v["average_cost"], words)
    if ends := re.search(rf"\(95% interval ({NUMBER}) to ({NUMBER})\)", words):
        for text, end in zip(
            ends.groups(), evaluation.estimates["average_cost"].interval(), strict=True
        ):
            require_number(text, end, words)
