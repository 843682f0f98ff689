"""Which of the ten properties each way to cost sets has, as the paper says and as we find.

Yang, Destercke & Masson (2017), Sections IV to VI.  A property holds of a way to cost sets when it
holds of every matrix looked at; where it fails, a set that breaks it is the proof.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from wager.costs import CostMatrix, ExtendedCosts, PropertyReport, audit
from wager.experiments.study import Claim, StudyTable

__all__ = ["property_findings"]

NUMBERS = range(1, 11)


@dataclass(frozen=True)
class Way:
    """A way to cost sets: some matrices made so, and what the paper says of it."""

    name: str
    where: str
    matrices: Sequence[ExtendedCosts]
    has: tuple[int, ...] = ()
    lacks: tuple[int, ...] = ()

    @cached_property
    def reports(self) -> list[PropertyReport]:
        """The properties of each matrix."""
        return [audit(costs) for costs in self.matrices]

    def share(self, number: int) -> float:
        """Of how many of the matrices a property holds."""
        return sum(report.holds[number] for report in self.reports) / len(self.reports)

    def right(self, number: int) -> bool:
        """Whether it is as the paper says; what it says nothing of is right."""
        if number in self.has:
            return self.share(number) == 1
        return number not in self.lacks or self.share(number) < 1

    def proof(self, number: int) -> str:
        """A set that shows where the paper is wrong."""
        for report in self.reports:
            if report.holds[number] != (number in self.has):
                witness = report.witnesses.get(number)
                return f"{report.title}: {witness or 'no set shows it'}"
        return ""

    def row(self) -> tuple[str, ...]:
        """A line of the table; an exclamation mark where the paper says otherwise."""
        words = {0.0: "no", 1.0: "yes"}
        return self.name, *(
            words.get(self.share(n), "not always") + ("" if self.right(n) else " !")
            for n in NUMBERS
        )

    def claim(self) -> Claim:
        """What the paper says of it."""
        said = [f"properties {_listing(self.has)}"] if self.has else []
        said += [f"not {_listing(self.lacks)}"] if self.lacks else []
        wrong = [number for number in NUMBERS if not self.right(number)]
        proofs = "; ".join(f"Property {number}, {self.proof(number)}" for number in wrong)
        matrices = "matrix" if len(self.matrices) == 1 else "matrices"
        looked = f"so for {len(self.matrices)} {matrices}"
        return Claim(self.where, f"{self.name}: {'; '.join(said)}", not wrong, proofs or looked)


def property_findings(
    obstacles: CostMatrix, tables: Mapping[str, ExtendedCosts]
) -> tuple[StudyTable, list[Claim]]:
    """The table of properties, and the paper's statements about them."""
    ways = _ways(obstacles, tables)
    headers = ("costs of sets", *(str(number) for number in NUMBERS))
    title = "Properties 1 to 10 (! where the paper says otherwise)"
    shown = StudyTable(title, headers, [way.row() for way in ways])
    return shown, [*(way.claim() for way in ways), *_setting_claims(obstacles)]


def _ways(obstacles: CostMatrix, tables: Mapping[str, ExtendedCosts]) -> list[Way]:
    few, some = (CostMatrix.zero_one(list("abcde"[:k])) for k in (2, 3))
    ordered = CostMatrix.ordinal(list("abcde"))
    plain, general = (few, some), (obstacles, ordered)

    def p_discounted(*r: float, mode: str = "cautious") -> list[ExtendedCosts]:
        return [c.extend("p-discounted", r=each, mode=mode) for c in general for each in r]

    def ha(*given: tuple[list[float], float]) -> list[ExtendedCosts]:
        return [CostMatrix.ha(eta).extend("ha", delta=delta) for eta, delta in given]

    inside, averse = (0.1, 0.5, 0.9), "mistake-averse"
    pair = {("h", "b"): {"h": 0.25, "b": 0.25, "n": 3}}
    every = tuple(NUMBERS)
    return [
        Way("discounted costs", "IV-A", [c.extend("discounted") for c in general], (), (1,)),
        Way("Example 6", "IV-C", [obstacles.extend(pair, mode=averse)], (1, 2, 3, 4, 5, 6)),
        Way("Table VI", "IV-C", [tables["VI"]], (2, 3, 8)),
        Way("Table VII", "IV-C", [tables["VII"]], (2, 3, 9)),
        Way("utility-discounted accuracy", "V a",
            [c.extend("utility", utility=u) for c in plain for u in ("u65", "u80", "f1")],
            every[:8] + every[9:], (9,)),
        Way("Ha's costs, delta < eta/2", "V b",
            ha(([1, 1, 1], 0.3), ([1, 2, 4], 0.3), ([1, 1, 1], 0.4)), (2, 3, 4, 5, 6, 8), (10,)),
        Way("Ha's costs, delta < eta/n (corrected)", "V b",
            ha(([1, 1], 0.45), ([1, 1, 1], 0.3), ([1, 2, 4], 0.3), ([1] * 5, 0.19)),
            (2, 3, 4, 5, 6, 8), (10,)),
        Way("Abellán and Masegosa's costs", "V c",
            [c.extend("abellan-masegosa") for c in (*plain, *general)], (4, 5, 6, 8, 10), (2, 3)),
        Way("the same, single classes at their original costs", "V c",
            [_beside_original(c) for c in general], (4, 5, 6, 8, 10), (2, 3)),
        Way("cautious, 0 < r < 1", "VI", p_discounted(*inside), (2, 3, 4, 5, 7, 9, 10)),
        Way("mistake-averse, 0 < r < 1", "VI", p_discounted(*inside, mode=averse),
            (2, 3, 4, 5, 6, 9, 10)),
        Way("p-discounted, r = 0", "VI", p_discounted(0), (2, 3, 4, 5, 7, 9, 10)),
        Way("p-discounted, r = 1", "VI", p_discounted(1), (2, 3, 4, 5, 7, 9, 10)),
    ]  # fmt: skip


def _beside_original(costs: CostMatrix) -> ExtendedCosts:
    """Abellán and Masegosa's costs of sets, without their change to the costs of single classes."""
    changed = costs.extend("abellan-masegosa")
    cells = zip(changed.subsets(), changed.matrix(), strict=True)
    return costs.extend({labels: row for labels, row in cells if len(labels) > 1})


def _setting_claims(obstacles: CostMatrix) -> list[Claim]:
    """For which use each is made, by Table VIII."""
    reports = {
        "Ha's costs": audit(CostMatrix.ha([1, 1, 1]).extend("ha", delta=0.3)),
        "Abellán and Masegosa's costs": audit(obstacles.extend("abellan-masegosa")),
        "p-discounted costs": audit(obstacles.extend("p-discounted", r=0.5)),
    }
    wheres = ("V b, Table VIII", "V c, Table VIII", "VI, Table VIII")
    found = []
    for where, (name, report) in zip(wheres, reports.items(), strict=True):
        wanted = "choice" if name.startswith("p-") else "filtering"
        other = "filtering" if wanted == "choice" else "choice"
        faults = {setting: _faults(report, setting) for setting in (wanted, other)}
        found.append(
            Claim(
                where,
                f"{name} suit {wanted} better than {other}",
                report.verdicts[wanted].fits and faults[wanted] < faults[other],
                "; ".join(f"{setting}: {report.verdicts[setting]}" for setting in faults),
            )
        )
    return found


def _faults(report: PropertyReport, setting: str) -> tuple[int, int]:
    """How many necessary properties it lacks, then how many other wishes it does not meet."""
    verdict = report.verdicts[setting]
    others = len(verdict.lacks_desirable) + len(verdict.has_undesirable)
    return len(verdict.lacks_necessary), others


def _listing(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))
