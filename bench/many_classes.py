"""A few of very many classes: CPU time and peak memory of each path from predictions to numbers.

A matrix of 1,000,000 rows and 100,000 classes takes 12 GB as bits and 800 GB as probabilities, so
every path has to keep the few classes of each row.  Each one runs in a separate process, on data
that are loaded, or written to a file, before the clock starts.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.measure import Row, process, python

N_ROWS, N_CLASSES, N_LISTED = 1_000_000, 100_000, 5
SECONDS, MEMORY_MB = 3, 1000
REPEAT = 2

MAKE = f"""
import numpy as np, pyarrow as pa, pyarrow.csv, pyarrow.parquet as pq
n, K, k = {N_ROWS}, {N_CLASSES}, {N_LISTED}
rng = np.random.default_rng(0)
codes = rng.integers(0, K // k, (n, k)) * k + rng.permuted(np.tile(np.arange(k), (n, 1)), axis=1)
named = codes[np.arange(n), rng.integers(0, k, n)]
y = np.where(rng.random(n) < 0.8, named, rng.integers(0, K, n))
proba = -np.sort(-rng.dirichlet(np.ones(k), n), axis=1)
for name, array in (("codes", codes.astype(np.int32)), ("y", y), ("proba", proba)):
    np.save(f"{{folder}}/{{name}}.npy", array)
ends = pa.array(np.arange(0, n * k + 1, k, dtype=np.int32))
lists = pa.ListArray.from_arrays(ends, pa.array(codes.ravel()))
pq.write_table(pa.table(dict(y_true=y, set=lists)), f"{{folder}}/sets.parquet")
texts = ["|".join(map(str, row)) for row in codes.tolist()]
pyarrow.csv.write_csv(pa.table(dict(y_true=y, set=texts)), f"{{folder}}/sets.csv")
columns = dict(y_true=y)
for j in range(k):
    columns |= {{f"class_{{j + 1}}": codes[:, j], f"p_{{j + 1}}": 0.9 * proba[:, j]}}
pq.write_table(pa.table(columns), f"{{folder}}/top-k.parquet")
pyarrow.csv.write_csv(pa.table(columns), f"{{folder}}/top-k.csv")
with open(f"{{folder}}/classes.txt", "w") as out:
    out.writelines(f"{{label}}\\n" for label in range(K))
"""
LOAD = f"""
import numpy as np
from scipy.sparse import csr_array
n, K, k = {N_ROWS}, {N_CLASSES}, {N_LISTED}
codes, y, proba = (np.load(f"{{folder}}/{{name}}.npy") for name in ("codes", "y", "proba"))
def sparse(values, codes):
    return csr_array((values.ravel(), codes.ravel(), np.arange(0, n * k + 1, k)), shape=(n, K))
def sets():
    return sparse(np.ones((n, k), dtype=bool), codes)
"""
TIME = """
import json, resource, time
start = time.process_time()
job()
spent = time.process_time() - start
print(json.dumps([spent, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))
"""
LISTED = """
from wager.predictions import TopKProbabilities
given = TopKProbabilities(codes, 0.9 * proba, range(K))
"""
SPARSE = """
given = sparse(proba, codes)
"""
OPTIMAL = """
from wager.credal import optimal_sets
job = lambda: optimal_sets(given, "u65")
"""
REJECT = """
from wager.credal import reject
job = lambda: reject(given, 0.3)
"""
FUNCTIONS = {
    "evaluate_sets": """
from wager.metrics import evaluate_sets
given = sets()
job = lambda: evaluate_sets(y, given)
""",
    "PairedTally": """
from wager.rewards import PairedTally
pair = sets(), sparse(np.ones((n, k), dtype=bool), (codes + 1) % K)
job = lambda: PairedTally.of(y, *pair)
""",
    "evaluate_costs, a cost per class": """
from wager.costs import CostMatrix, evaluate_costs
given, costs = sets(), CostMatrix.ha(np.linspace(1, 2, K)).extend("p-discounted", r=0.5)
job = lambda: evaluate_costs(y, given, costs)
""",
    "optimal_sets, sparse": SPARSE + OPTIMAL,
    "optimal_sets, TopKProbabilities": LISTED + OPTIMAL,
    "reject, sparse": SPARSE + REJECT,
    "reject, TopKProbabilities": LISTED + REJECT,
    "evaluate_probabilities, TopKProbabilities": """
from wager.metrics import evaluate_probabilities
"""
    + LISTED
    + """
job = lambda: evaluate_probabilities(y, given)
""",
}
FILES = {
    "set strings in CSV": "sets.csv",
    "lists in Parquet": "sets.parquet",
    "top-k in CSV": "top-k.csv",
    "top-k in Parquet": "top-k.parquet",
}
SCORE = f"""
from wager import scan_predictions
from wager.report import score_file
from wager.rewards import get_utility
utilities = [get_utility(name) for name in ("u50", "u65", "u80")]
job = lambda: score_file(scan_predictions({{path!r}}, range({N_CLASSES})), "file", utilities)
"""
TOP_K_NOTE = (
    "2 s map six columns of labels to 100,000 classes inside DuckDB, 1.7 s add up seven rewards "
    "and the 1,500,000 calibration bins of 100,000 classes"
)
COMMAND = "from wager.cli import main; main()"


def rows() -> Iterator[Row]:
    with TemporaryDirectory(prefix="wager-bench-") as folder:
        where = f"folder = {folder!r}\n"
        python(where + MAKE)
        for what, code in FUNCTIONS.items():
            runs = [python(where + LOAD + code + TIME) for _ in range(REPEAT)]
            seconds, megabytes = min(json.loads(run.printed.splitlines()[-1]) for run in runs)
            yield from limits(what, seconds, megabytes)
        classes = f"@{Path(folder) / 'classes.txt'}"
        for what, name in FILES.items():
            path = str(Path(folder) / name)
            runs = [python(SCORE.format(path=path) + TIME) for _ in range(REPEAT)]
            seconds, megabytes = min(json.loads(run.printed.splitlines()[-1]) for run in runs)
            note = TOP_K_NOTE if "top-k" in name else ""
            yield from limits(f"score a file, {what}", seconds, megabytes, note)
            words = ("score", path, "--classes", classes, "--quiet")
            whole = process(sys.executable, "-c", COMMAND, *words)
            job = f"wager score, {what}: the whole command"
            yield Row(job, whole.seconds, seconds, "scoring alone")


def limits(what: str, seconds: float, megabytes: float, note: str = "") -> Iterator[Row]:
    what = f"{what}: {N_ROWS:,} x {N_LISTED} of {N_CLASSES:,}"
    note = note if seconds > SECONDS else ""
    yield Row(what, seconds, SECONDS, f"a limit of {SECONDS} s", 1.0, note=note)
    memory = f"a limit of {MEMORY_MB} MB"
    yield Row(f"{what}: peak memory", megabytes, MEMORY_MB, memory, 1.0, unit="MB")
