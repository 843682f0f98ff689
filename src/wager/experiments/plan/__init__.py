"""Plans: which learners an experiment runs on which splits of which data sets."""

from wager.experiments.plan._check_data import SourceSize as SourceSize
from wager.experiments.plan._code import (
    code_of as code_of,
    modules_in as modules_in,
    versions as versions,
)
from wager.experiments.plan._keys import (
    canonical as canonical,
    key_of as key_of,
    random_state_of as random_state_of,
)
from wager.experiments.plan._learners import (
    ORDINAL as ORDINAL,
    first_column_of_numbers as first_column_of_numbers,
    scorer_of as scorer_of,
)
from wager.experiments.plan._measures import (
    AVERAGE_COST as AVERAGE_COST,
    CERTAIN as CERTAIN,
    StoredMeasure as StoredMeasure,
    check_measure as check_measure,
)
from wager.experiments.plan._plan import Plan
from wager.experiments.plan._prepare import (
    Preparation,
    PreparedTable as PreparedTable,
    Step as Step,
    cut_numbers as cut_numbers,
    learn_steps as learn_steps,
    make_discretizer as make_discretizer,
    prepare_fold as prepare_fold,
    prepare_once as prepare_once,
)
from wager.experiments.plan._sources import (
    DataSource as DataSource,
    data_folders as data_folders,
    find_generator,
    is_found as is_found,
)
from wager.experiments.plan._units import (
    Keep as Keep,
    Limits as Limits,
    Task as Task,
    Unit as Unit,
)

__all__ = ["Plan", "Preparation", "find_generator"]
