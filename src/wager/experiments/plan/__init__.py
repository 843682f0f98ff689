"""Plans: which learners an experiment runs on which splits of which data sets."""

from wager.experiments.plan._keys import canonical, random_state_of  # for other packages
from wager.experiments.plan._learners import ORDINAL, scorer_of  # for other packages
from wager.experiments.plan._measures import (
    CERTAIN,  # for other packages
    StoredMeasure,  # for other packages
    check_measure,  # for other packages
)
from wager.experiments.plan._plan import Plan
from wager.experiments.plan._prepare import (
    Preparation,
    PreparedTable,  # for other packages
    prepare_fold,  # for other packages
    prepare_once,  # for other packages
)
from wager.experiments.plan._sources import (
    DataSource,  # for other packages
    find_generator,
)
from wager.experiments.plan._units import Keep, Limits, Task, Unit  # for other packages

__all__ = ["Plan", "Preparation", "find_generator"]
