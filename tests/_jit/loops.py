"""Small loops to try the choice between plain and compiled code on."""

from wager._jit import as_lists, entry, floats, kernel, spend, widened

FACTOR = 3


@kernel
def scaled(x):
    return FACTOR * x


@entry(label="sums of the test")
def add_up(values):
    total = 0.0
    for i in range(len(values)):
        total += scaled(values[i])
    return total


def _doubled_in_lists(values):
    lists = as_lists(values)
    double_by_loop(lists)
    values[:] = lists


def double_by_loop(values):
    """Double the values, after counting a second of plain work for each."""
    for i in range(len(values)):
        spend(1.0)
        values[i] *= 2


double = entry(double_by_loop, plain=_doubled_in_lists, label="doubles of the test")


@entry(label="squares of the test")
def squares_up_to(n):
    """The squares below n, in an array that grows."""
    found = floats(1)
    for i in range(n):
        found = widened(found, i + 1)
        found[i] = i * i
    return found


@entry(label="words of the test")
def not_for_numba(values):
    return ", ".join(str(value) for value in sorted(values.tolist()))


@kernel
def at(values, place):
    return values[place]


@entry(label="picks of the test")
def picked(values, places):
    """The sum of the values at some places, which a kernel looks up."""
    total = 0.0
    for i in range(len(places)):
        total += at(values, places[i])
    return total
