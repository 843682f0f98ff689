"""The rules that extend costs of single classes to sets of classes, one module per rule."""

from wager.costs.extensions._abellan_masegosa import AbellanMasegosa
from wager.costs.extensions._cells import Cells, EveryTruth, ListedMembers, OneTruth
from wager.costs.extensions._class_selective import ClassSelective
from wager.costs.extensions._p_discounted import PDiscounted, check_exponent
from wager.costs.extensions._rule import ExtensionRule
from wager.costs.extensions._tabulated import TabulatedCosts
from wager.costs.extensions._utility_discounted import UtilityDiscounted

__all__ = [
    "AbellanMasegosa",
    "Cells",
    "ClassSelective",
    "EveryTruth",
    "ExtensionRule",
    "ListedMembers",
    "OneTruth",
    "PDiscounted",
    "TabulatedCosts",
    "UtilityDiscounted",
    "check_exponent",
]
