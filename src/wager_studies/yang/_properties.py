"""Which of the ten properties each extension of costs to sets has, in the paper and by our check.

Yang, Destercke & Masson (2017), Sections IV to VI.  An extension has a property if all our example
matrices have it; where one does not, a set that violates the property is shown as a witness.
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
class Extension:
    """An extension of costs to sets: example matrices, and its properties by the paper."""

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
        """The share of the matrices that have a property."""
        return sum(report.holds[number] for report in self.reports) / len(self.reports)

    def agrees(self, number: int) -> bool:
        """Whether our check agrees with the paper; true if the paper makes no statement."""
        if number in self.has:
            return self.share(number) == 1
        return number not in self.lacks or self.share(number) < 1

    def proof(self, number: int) -> str:
        """A set that contradicts the paper."""
        for report in self.reports:
            if report.holds[number] != (number in self.has):
                witness = report.witnesses.get(number)
                return f"{report.title}: {witness or 'no set violates it'}"
        return ""

    def row(self) -> tuple[str, ...]:
        """A row of the table, with an exclamation mark where the paper says otherwise."""
        words = {0.0: "no", 1.0: "yes"}
        return self.name, *(
            words.get(self.share(n), "not always") + ("" if self.agrees(n) else " !")
            for n in NUMBERS
        )

    def claim(self) -> Claim:
        """The paper's statement about the extension, checked."""
        said = [f"properties {_listing(self.has)}"] if self.has else []
        said += [f"not {_listing(self.lacks)}"] if self.lacks else []
        wrong = [number for number in NUMBERS if not self.agrees(number)]
        proofs = "; ".join(f"Property {number}, {self.proof(number)}" for number in wrong)
        matrices = "matrix" if len(self.matrices) == 1 else "matrices"
        checked = f"checked for {len(self.matrices)} {matrices}"
        return Claim(self.where, f"{self.name}: {'; '.join(said)}", not wrong, proofs or checked)


def property_findings(
    obstacles: CostMatrix, tables: Mapping[str, ExtendedCosts]
) -> tuple[StudyTable, list[Claim]]:
    """The table of properties, and the paper's statements about them."""
    extensions = _extensions(obstacles, tables)
    headers = ("extension", *(str(number) for number in NUMBERS))
    title = "Properties 1 to 10 (! where the paper says otherwise)"
    shown = StudyTable(title, headers, [each.row() for each in extensions])
    return shown, [*(each.claim() for each in extensions), *_setting_claims(obstacles)]


def _extensions(obstacles: CostMatrix, tables: Mapping[str, ExtendedCosts]) -> list[Extension]:
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
        Extension("discounted costs", "IV-A", [c.extend("discounted") for c in general], (), (1,)),
        Extension("Example 6", "IV-C", [obstacles.extend(pair, mode=averse)], (1, 2, 3, 4, 5, 6)),
        Extension("Table VI", "IV-C", [tables["VI"]], (2, 3, 8)),
        Extension("Table VII", "IV-C", [tables["VII"]], (2, 3, 9)),
        Extension("utility-discounted accuracy", "V a",
            [c.extend("utility", utility=u) for c in plain for u in ("u65", "u80", "f1")],
            every[:8] + every[9:], (9,)),
        Extension("Ha's costs, delta < eta/2", "V b",
            ha(([1, 1, 1], 0.3), ([1, 2, 4], 0.3), ([1, 1, 1], 0.4)), (2, 3, 4, 5, 6, 8), (10,)),
        Extension("Ha's costs, delta < eta/n (corrected)", "V b",
            ha(([1, 1], 0.45), ([1, 1, 1], 0.3), ([1, 2, 4], 0.3), ([1] * 5, 0.19)),
            (2, 3, 4, 5, 6, 8), (10,)),
        Extension("Abellán and Masegosa's costs", "V c",
            [c.extend("abellan-masegosa") for c in (*plain, *general)], (4, 5, 6, 8, 10), (2, 3)),
        Extension("the same, original costs of single classes", "V c",
            [_beside_original(c) for c in general], (4, 5, 6, 8, 10), (2, 3)),
        Extension("cautious, 0 < r < 1", "VI", p_discounted(*inside), (2, 3, 4, 5, 7, 9, 10)),
        Extension("mistake-averse, 0 < r < 1", "VI", p_discounted(*inside, mode=averse),
            (2, 3, 4, 5, 6, 9, 10)),
        Extension("p-discounted, r = 0", "VI", p_discounted(0), (2, 3, 4, 5, 7, 9, 10)),
        Extension("p-discounted, r = 1", "VI", p_discounted(1), (2, 3, 4, 5, 7, 9, 10)),
    ]  # fmt: skip


def _beside_original(costs: CostMatrix) -> ExtendedCosts:
    """Abellán and Masegosa's costs of sets, without their change to the costs of single classes."""
    changed = costs.extend("abellan-masegosa")
    cells = zip(changed.subsets(), changed.matrix(), strict=True)
    return costs.extend({labels: row for labels, row in cells if len(labels) > 1})


def _setting_claims(obstacles: CostMatrix) -> list[Claim]:
    """The use that each extension suits, by Table VIII."""
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
    """The numbers of missing necessary properties and of other unmet requirements."""
    verdict = report.verdicts[setting]
    others = len(verdict.lacks_desirable) + len(verdict.has_undesirable)
    return len(verdict.lacks_necessary), others


def _listing(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))
