# Every command runs in .venv. The first one makes it; later ones reuse it until pyproject.toml or
# constraints.txt changes. Pass options on with ARGS: make hint ARGS="--dice 61"

VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
PYTHON ?= $(shell for p in python3 python3.11 python3.12 python3.13 python3.14; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
ARGS ?=

.PHONY: help hint shell test check attack bench peers cluster strength wheel clean

help:  ## list these commands
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' Makefile | expand -t 12

hint: $(INSTALLED)  ## the plays of the opening 3-1
	@$(BIN)/gnubg-py hint $(ARGS)

shell: $(INSTALLED)  ## open the shell
	@$(BIN)/gnubg-py $(ARGS)

test: $(INSTALLED)  ## run the tests
	$(BIN)/python -m pytest $(ARGS)

check: $(INSTALLED)  ## lint, formatting and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

MINUTES ?= 5

attack: $(INSTALLED)  ## attack the program with random seeds; MINUTES=60 for longer
	$(BIN)/python -m tests.attack --minutes $(MINUTES) $(ARGS)

bench: $(INSTALLED)  ## measure speed on this machine
	@$(BIN)/gnubg-py bench $(ARGS)

peers: $(INSTALLED)  ## compare with gnubg and gnubg-nn, where they are installed
	$(BIN)/python -m pytest -m peers -rs tests/peers $(ARGS)

cluster: $(INSTALLED)  ## measure workers of dask: two real ones, then up to 1,000 virtual ones
	$(BIN)/python -m tests.cluster_speed
	$(BIN)/python -m tests.cluster_scale --workers 10 100 1000

strength: $(INSTALLED)  ## measure the strength of play on benchmark decisions
	@$(BIN)/gnubg-py strength $(ARGS)

wheel: $(INSTALLED)  ## build a wheel into dist/
	$(BIN)/python -m hatchling build -t wheel

clean:  ## remove .venv, caches and builds
	rm -rf $(VENV) dist .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The build backend goes in first, so that it too is the pinned one.
$(INSTALLED): pyproject.toml constraints.txt
	@test -n "$(PYTHON)" || { echo "no Python 3.11 or later found;" \
		"name one with: make PYTHON=/path/to/python3.11" >&2; exit 1; }
	@echo "setting up $(VENV): this downloads torch and takes a while" >&2
	@$(PYTHON) -m venv $(VENV)
	@$(PIP_INSTALL) hatchling editables
	@$(PIP_INSTALL) --no-build-isolation --editable ".[cluster,dev,onnx,plots,train]"
	@$(BIN)/python -m compileall -q gnubg_py
	@touch $@
