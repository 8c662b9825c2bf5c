# Every target builds what it needs of .venv first, from pyproject.toml and constraints.txt.
# PYTHON chooses the interpreter that .venv is made from; ARGS goes to pytest or to the benchmark.

PYTHON ?= python3
ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install --disable-pip-version-check -qq -c constraints.txt
STAMP := $(VENV)/.installed

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
# Two installations must not write to one environment at a time.
.NOTPARALLEL:
.PHONY: help install quickstart check test test-versions coverage lint docs wheel \
  bench clean distclean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' Makefile

# One installation takes a third of the time of one for each target.
install: | $(BIN)/pip ## everything that the other targets need, in .venv
	@echo "installing semipunct and what all targets need into $(VENV)"
	@$(INSTALL) -e '.[test,lint,docs]'
	@touch $(STAMP)-run $(STAMP)-test $(STAMP)-lint $(STAMP)-docs

quickstart: $(STAMP)-run ## restore a text, train, decode and draw on the bundled sample
	@$(INSTALL) --no-deps ./packages/en
	@$(BIN)/semipunct quickstart

# HYPOTHESIS_PROFILE=thorough draws eight times the examples.
test: $(STAMP)-test ## the test suite
	$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder $(ARGS)

# What can be said of a change before the suite has run.
check: lint $(STAMP)-test ## lint, types and the tests that compile nothing
	$(BIN)/python -m pytest -q tests/test_architecture.py tests/test_packaging.py $(ARGS)

# Environments of their own in .venv-versions; ARGS goes to pytest, or chooses a row: --only oldest.
test-versions: ## the test suite with the oldest and the newest versions allowed
	@$(PYTHON) tests/versions.py $(ARGS)

# Counting lines makes the tracing of jax half as slow again.
coverage: $(STAMP)-test ## the test suite, with the lines that it leaves out
	$(BIN)/python -m pytest -n 2 --dist loadfile --cov --cov-report=term $(ARGS)

lint: $(STAMP)-lint ## formatting, style and types
	$(BIN)/python -m ruff format --check .
	$(BIN)/python -m ruff check .
	$(BIN)/python -m pyright

docs: $(STAMP)-docs $(STAMP)-test ## the site, in docs/_build/html, and the examples that train
	$(BIN)/python -m sphinx -q -W --keep-going -b html docs docs/_build/html
	$(BIN)/python -m pytest -q -n 2 tests/training_pages.py
	@echo "open docs/_build/html/index.html"

wheel: $(STAMP)-run ## the wheel: built, checked, installed into an empty environment, run
	@$(BIN)/python tests/wheel.py -c constraints.txt

bench: $(STAMP)-run ## sentences per second of the inside recursion
	$(BIN)/python experiments/benchmarks/inside.py $(ARGS)

clean: ## remove reports, caches and generated pages
	rm -rf build dist htmlcov .coverage .coverage.* .hypothesis .pytest_cache .ruff_cache
	rm -rf docs/_build docs/generated
	find $(wildcard semirings semipunct experiments tests docs) -name __pycache__ -prune -exec rm -rf {} +

distclean: clean ## clean, and remove .venv as well
	rm -rf $(VENV) .venv-versions

# pip is written last when an environment is made: its presence means that the making succeeded.
$(BIN)/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and \
	  "semipunct needs Python 3.11 or newer, this is %d.%d: make PYTHON=python3.11 ..." \
	  % sys.version_info[:2])'
	@echo "making $(VENV) with $(PYTHON)"
	@$(PYTHON) -m venv $(VENV)

$(STAMP)-run: pyproject.toml constraints.txt | $(BIN)/pip
	@echo "installing semipunct and what it needs into $(VENV)"
	@$(INSTALL) -e .
	@touch $@

$(STAMP)-test $(STAMP)-lint $(STAMP)-docs: $(STAMP)-%: pyproject.toml constraints.txt | $(BIN)/pip
	@echo "installing semipunct and what '$*' needs into $(VENV)"
	@$(INSTALL) -e '.[$*]'
	@touch $@
