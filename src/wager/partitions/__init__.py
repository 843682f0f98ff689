"""Standardized partition spaces: the memberships of any classifier on a common scale."""

from wager.partitions._beta_scaling import BetaMoments, beta_moments
from wager.partitions._class_frequencies import ClassFrequencies, class_frequencies
from wager.partitions._estimate import PartitionEstimate
from wager.partitions._measured_partition import MeasuredPartition, MeasuredRegion
from wager.partitions._measures import (
    PartitionMeasures,
    correctness_rate,
    non_resemblance,
    precision,
    separability,
)
from wager.partitions._memberships import to_memberships
from wager.partitions._partition import Region, RegionStep, StandardizedPartition
from wager.partitions._standardize import (
    partition_accuracy,
    separation,
    standardize,
    standardize_rows as standardize_rows,
)
from wager.partitions._storage import DiskStorage as DiskStorage

__all__ = [
    "BetaMoments",
    "ClassFrequencies",
    "MeasuredPartition",
    "MeasuredRegion",
    "PartitionEstimate",
    "PartitionMeasures",
    "Region",
    "RegionStep",
    "StandardizedPartition",
    "beta_moments",
    "class_frequencies",
    "correctness_rate",
    "non_resemblance",
    "partition_accuracy",
    "precision",
    "separability",
    "separation",
    "standardize",
    "to_memberships",
]
