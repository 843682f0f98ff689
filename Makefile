# Every target makes what it needs: a virtual environment in .venv, then the work.
PYTHON ?= python3
BIN := .venv/bin
JOBS ?= 2
INTERFACES := src/wager/metrics.py src/wager/_lazy.py $(shell find src/wager -name __init__.py)
unexport PYTHONDONTWRITEBYTECODE  # byte-code caching keeps start-up and compiled kernels fast

BROWSERS := chromium chromium-browser google-chrome google-chrome-stable microsoft-edge microsoft-edge-stable

.PHONY: demo test lint types unit browser bench simulate docs clean

.venv/.core: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable .
	touch $@

.venv/.test: .venv/.core
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[test]'
	touch $@

.venv/.bench: .venv/.test
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[test,bench]'
	touch $@

.venv/.docs: .venv/.core
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[docs]'
	touch $@

demo: .venv/.core  ## the main job: train, score and compare on bundled data
	$(BIN)/wager demo

test: lint types unit  ## everything CI checks

lint: .venv/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: .venv/.test
	$(BIN)/mypy
	$(BIN)/mypy --strict --follow-imports=silent --cache-dir .mypy_cache/strict $(INTERFACES)

unit: .venv/.test browser
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal

browser:  ## the tests of the report page need one; without it they are skipped by name
	@for name in $(BROWSERS); do command -v $$name >/dev/null 2>&1 && exit 0; done; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then \
	  { apt-get install -y -q --no-install-recommends chromium || \
	    { apt-get update -q && apt-get install -y -q --no-install-recommends chromium; }; } >/dev/null 2>&1 && exit 0; \
	fi; \
	echo "no Chromium, Chrome or Edge was found: install one (such as Debian's chromium) to test the report page in it"

bench: .venv/.bench  ## ratios against peers and lower bounds, one run
	$(BIN)/python -m bench

simulate: .venv/.test  ## coverage and error rates of all intervals and tests, about 20 minutes
	$(BIN)/python -m simulations

docs: .venv/.docs
	$(BIN)/mkdocs build --strict

clean:
	rm -rf .venv site wager-demo build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
