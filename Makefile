# Every target sets itself up in .venv and may be run again at any time.
PYTHON ?= python3.11
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: help setup demo test test-slow bench check lint types format wheel clean

help:
	@echo "make demo       render rollouts of known memory, score them, print the table, write demo/report.html"
	@echo "make test       lint, types and tests (what .ci/run runs)"
	@echo "make test-slow  the tests marked slow"
	@echo "make bench      speed against the release's access pattern and the floor; peak memory"
	@echo "make check      lint and types only"
	@echo "make wheel      build the wheel into dist/"
	@echo "make clean      remove .venv and everything built"

# torch and torchvision first and together: a matching pair is what pip resolves worst when they come one by one
$(STAMP): pyproject.toml
	@echo "==> setting up $(VENV) (torch and its companions: a few minutes the first time)"
	@command -v $(PYTHON) >/dev/null || { echo "$(PYTHON) not found: run make with PYTHON=python3.12, say"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "==> torch"
	@$(BIN)/pip install --quiet --disable-pip-version-check "torch>=2.4" "torchvision>=0.19"
	@echo "==> revisit-metric and its tools"
	@$(BIN)/pip install --quiet --disable-pip-version-check -e ".[controls,judge,dev]"
	@touch $@

setup: $(STAMP)

demo: $(STAMP)
	@$(BIN)/r2m demo --out demo

test: check
	@echo "==> tests"
	@$(BIN)/python -m pytest -m "not gpu and not slow"

test-slow: $(STAMP)
	@$(BIN)/python -m pytest -m "slow and not gpu"

bench: $(STAMP)
	@OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python benchmarks/reuse.py
	@OMP_NUM_THREADS=1 $(BIN)/python benchmarks/memory.py

check: lint types

lint: $(STAMP)
	@echo "==> lint"
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .

types: $(STAMP)
	@echo "==> types"
	@$(BIN)/mypy

format: $(STAMP)
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

wheel: $(STAMP)
	@$(BIN)/pip wheel --quiet --no-deps --wheel-dir dist .

clean:
	rm -rf $(VENV) dist demo .pytest_cache .mypy_cache .ruff_cache
