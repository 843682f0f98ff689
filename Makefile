# Every target makes what it needs: a virtual environment in .venv, then the work.
PYTHON ?= python3
BIN := .venv/bin
CORE := .venv-core/bin
PEERS := .venv-peers/bin
JOBS ?= 2
TESTERS ?= $(shell expr $(JOBS) + 1)# processes that run tests: some of them wait for others
DATA ?= $(or $(WAGER_DATA),openml)# a folder of data sets
SEED ?=# another seed for make reproduce, which then compares verdicts only
STUDIES := build/studies
MINUTES ?= 10
SAMPLE ?= 300# mutants per package
CASES ?= 1000
ROWS ?= 1e8
INTERFACES := src/wager/metrics.py src/wager/_lazy.py $(shell find src/wager -name __init__.py)
unexport PYTHONDONTWRITEBYTECODE  # byte-code caching keeps start-up and compiled kernels fast

BROWSERS := chromium chromium-browser google-chrome google-chrome-stable microsoft-edge microsoft-edge-stable

.PHONY: demo test lint types unit core browser peers bench simulate fuzz arguments reproduce figures notebooks docs compat audit release-check types-source types-interfaces checks long coverage mutants twins soak fire clean

.venv/.core: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable .
	touch $@

.venv/.test: .venv/.core
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[test]'
	touch $@

.venv-core/.examples: pyproject.toml constraints.txt
	test -x $(CORE)/python || $(PYTHON) -m venv .venv-core
	$(CORE)/python -m pip install --quiet --no-compile --constraint constraints.txt --editable '.[examples]'
	touch $@

.venv/.release: .venv/.core
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[release]'
	touch $@

.venv-audit/.audit: pyproject.toml
	test -x .venv-audit/bin/python || $(PYTHON) -m venv .venv-audit
	.venv-audit/bin/python -m pip install --quiet 'bandit>=1.8' 'pip-audit>=2.9'
	touch $@

.venv-nox/.compat: pyproject.toml
	test -x .venv-nox/bin/python || $(PYTHON) -m venv .venv-nox
	.venv-nox/bin/python -m pip install --quiet 'nox>=2025.2.9'
	touch $@

.venv/.bench: .venv/.test
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[test,bench]'
	touch $@

.venv/.docs: .venv/.core
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[docs]'
	touch $@

# The measures of torchcp, covmetrics and probly need torch at most, and the sets of
# setvaluedprediction not even that; their other dependencies are large, and torchsort needs a
# compiler.  The tests of a peer that is not there are skipped by name.
.venv-peers/.peers: pyproject.toml constraints.txt
	test -x $(PEERS)/python || $(PYTHON) -m venv .venv-peers
	$(PEERS)/python -m pip install --quiet --constraint constraints.txt --editable '.[peers]'
	for name in torchcp covmetrics probly setvaluedprediction; do \
	  $(PEERS)/python -m pip install --quiet --no-deps --constraint constraints.txt $$name || \
	    echo "$$name cannot be installed here: its comparisons are skipped"; \
	done
	touch $@

demo: .venv/.core  ## the main job: train, score and compare on bundled data
	$(BIN)/wager demo

test: .venv/.test .venv-core/.examples browser  ## everything CI checks
	$(MAKE) --no-print-directory checks
	$(MAKE) --no-print-directory unit

checks: .venv/.test .venv-core/.examples  ## lint, types and the examples of a core install at the same time: types use one core
	$(MAKE) --no-print-directory --output-sync=target --jobs=$(JOBS) core lint types

lint: .venv/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: types-source types-interfaces

types-source: .venv/.test
	$(BIN)/mypy

types-interfaces: .venv/.test
	$(BIN)/mypy --strict --follow-imports=silent --cache-dir .mypy_cache/strict $(INTERFACES)

unit: .venv/.test browser
	$(BIN)/python -m pytest -n $(TESTERS) --dist worksteal --examples extras -m 'not long'

long: .venv/.test browser  ## the tests that take longest: single studies, most pages, simulations, larger forms of others
	$(BIN)/python -m pytest -n $(TESTERS) --dist worksteal -m long

core: .venv-core/.examples  ## the examples of README, docs, notebooks and docstrings after a core install
	$(CORE)/python -m pytest -n $(JOBS) --dist worksteal --examples core tests/docs tests/notebooks src

coverage: .venv/.test browser  ## branches of src/wager that the tests reach; the tests take longer so
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest -n $(TESTERS) --dist worksteal
	-$(BIN)/coverage combine --quiet  # a process that a test kills can leave a damaged file
	$(BIN)/coverage report

browser:  ## the tests of the report page need one; without it they are skipped by name
	@for name in $(BROWSERS); do command -v $$name >/dev/null 2>&1 && exit 0; done; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then \
	  { apt-get install -y -q --no-install-recommends chromium || \
	    { apt-get update -q && apt-get install -y -q --no-install-recommends chromium; }; } >/dev/null 2>&1 && exit 0; \
	fi; \
	echo "no Chromium, Chrome or Edge was found: install one (such as Debian's chromium) to test the report page in it"

peers: .venv-peers/.peers  ## compare with other libraries that are installed for this only
	$(PEERS)/python -m pytest tests/peers

bench: .venv/.bench  ## ratios against peers and lower bounds, one run
	$(BIN)/python -m bench

simulate: .venv/.test  ## coverage and error rates of all intervals and tests, about 20 minutes
	$(BIN)/python -m simulations

fire: .venv/.test  ## kill and disturb runs, damage stores, and do 50,000 units: under an hour on a quiet core
	$(BIN)/python -m hardening --kills 100 --faults 10 --cluster 10 --damage 400 --soak 50000

# NumPy's functions for AVX-512 round the fifth digit of a network's results in another way.
reproduce: export NPY_DISABLE_CPU_FEATURES = X86_V4 AVX512_ICL AVX512_SPR
reproduce: .venv/.test  ## run all studies and compare with docs/results; over an hour on two cores
	mkdir -p $(STUDIES)
	$(BIN)/wager study data --data $(DATA) --against docs/results/data-sets.csv -o $(STUDIES)/data-sets.csv
	$(BIN)/wager study run --all --data $(DATA) --jobs $(JOBS) --out $(STUDIES) --against docs/results \
	  --record docs/results/runs.csv $(if $(SEED),--seed $(SEED))

twins: .venv/.test  ## measures, rules and intervals beside slow twins in exact arithmetic, on CASES cases of each topic
	$(BIN)/python -m tests.twins $(CASES)

soak: .venv/.test  ## the monitor over ROWS rows beside an exact recomputation
	$(BIN)/python -m hardening.monitor $(ROWS)

fuzz: .venv/.test  ## damaged files and hostile calls for MINUTES minutes
	$(BIN)/python -m tests.fuzz $(MINUTES)

arguments: .venv/.test  ## every argument of every public function, wrong in every way: about an hour on one core
	$(BIN)/python -m tests.fuzz.one_by_one

mutants: .venv/.test  ## small changes of the code that a test has to notice; hours on two cores
	for package in $(or $(PACKAGE),rewards costs credal partitions compare predictions prepare learners experiments); do \
	  $(BIN)/python -m hardening.mutants $$package --sample $(SAMPLE) --seed $(or $(SEED),1) || exit 1; \
	done

figures: .venv/.test  ## the figures of the documentation, from code and from docs/results
	$(BIN)/python docs/images/make.py
	$(BIN)/python docs/images/studies.py

notebooks: .venv/.test .venv/.docs  ## execute the notebooks of the documentation again
	$(BIN)/python docs/notebooks/execute.py

docs: .venv/.docs browser  ## the site in build/site/, then a look at every page in a browser
	rm -rf build/site docs/api/generated docs/auto_gallery
	$(BIN)/sphinx-build --fail-on-warning --keep-going --quiet --jobs $(JOBS) -d build/doctrees docs build/site
	$(BIN)/python docs/check.py

compat: .venv-nox/.compat  ## the oldest and newest versions of the dependencies, on every Python found
	.venv-nox/bin/nox --envdir .venv-nox/sessions $(if $(SESSION),--session $(SESSION))

# Worker processes exchange pickles with the run that started them, through pipes of their own:
# the module that does so is looked at without those four checks.  pip-audit needs a network, and
# --strict lets it fail where it could look nothing up.
PICKLES := src/wager/experiments/run/_process.py
audit: .venv-audit/.audit  ## unsafe calls in the code, then known faults of the dependencies
	.venv-audit/bin/bandit --quiet --configfile pyproject.toml --recursive src --exclude $(PICKLES)
	.venv-audit/bin/bandit --quiet --skip B101,B301,B403,B404,B603 $(PICKLES)
	.venv-audit/bin/pip-audit --strict --no-deps --disable-pip --requirement constraints.txt

release-check: .venv/.release  ## build the distributions in dist/ and try them in empty environments
	$(BIN)/python -m tests.release

clean:
	rm -rf .venv .venv-core .venv-peers .venv-audit .venv-nox docs/api/generated docs/api/backreferences docs/auto_gallery wager-demo build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage .coverage.*
