"""Decision trees: C4.5, credal trees and forests of credal trees."""

from wager.learners.trees._c45 import C45
from wager.learners.trees._credal import CredalTree
from wager.learners.trees._explain import (
    LeafExplanation as LeafExplanation,
    VoteExplanation as VoteExplanation,
)
from wager.learners.trees._forest import CredalForest
from wager.learners.trees._tree_node import TreeNode

__all__ = ["C45", "CredalForest", "CredalTree", "TreeNode"]
