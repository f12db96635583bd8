# The commands of this checkout. Each makes or reuses the virtual environment in .venv by itself.

SHELL := /bin/sh
VENV ?= .venv
BIN := $(VENV)/bin
# Two more than the cores: a fifth of the time tests wait, for servers and for programs that start.
JOBS ?= $(shell expr $$(nproc 2>/dev/null || echo 2) + 2)
PYTEST_ARGS ?=
# The tests of a file share servers and containers, so they run on one worker, in the order of tests/conftest.py.
TOGETHER := -n $(JOBS) --dist loadfile --no-loadscope-reorder
PYTEST := $(BIN)/pytest $(TOGETHER)
ROUNDS ?= 500
LOCK_ARGS ?= --upgrade

# pyright would otherwise ask a registry whether there is a newer one.
export PYRIGHT_PYTHON_IGNORE_WARNINGS := 1

test_with = tools/make-venv .venv-$(1) $(1) && tools/real-parts && \
	.venv-$(1)/bin/pytest $(TOGETHER) $(PYTEST_ARGS)

.DEFAULT_GOAL := help
.PHONY: help demo demo-graph demo-fleet test lint format docs unit torture torture-fleet bench mutants compat clean
.PHONY: style mypy pyright venv venv-runtime venv-postgres real-parts what test-oldest test-newest lock

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: venv-runtime ## one apply: start a machine, configure it over SSH, fetch what came of it
	@tools/demo $(BIN) derived

demo-graph: venv-postgres ## a platform: Score files, definitions, a PostgreSQL server of its own, manifests
	@tools/demo $(BIN) platform

demo-fleet: ## a Salt master and three minions: a value of one minion on the others, in one apply
	@tools/make-venv .venv-salt salt
	@.venv-salt/bin/python tools/demo_fleet.py

test: what ## everything: linters, types, floors, documentation, tests
	@$(MAKE) --no-print-directory -j2 real-parts venv
	@$(MAKE) --no-print-directory -j2 unit lint docs

test-oldest: ## the tests with the lowest versions that pyproject.toml allows, in .venv-oldest
	@$(call test_with,oldest)

test-newest: ## the tests with the newest versions that pyproject.toml allows, in .venv-newest
	@$(call test_with,newest)

unit: venv ## the tests alone (PYTEST_ARGS="-k name")
	@$(PYTEST) $(PYTEST_ARGS)

torture: venv ## cut runs short in every way and resume them, 500 random rounds (ROUNDS=n)
	@ENSUE_TORTURE_ROUNDS=$(ROUNDS) $(BIN)/pytest -n $(JOBS) tests/torture $(PYTEST_ARGS)

torture-fleet: venv ## kill coordinator, ensue, minion and master of runs over minions, thirty rounds each
	@ENSUE_TORTURE_ROUNDS=30 $(BIN)/pytest -n 0 tests/salt/fleet/test_kills.py $(PYTEST_ARGS)

lint: style mypy pyright ## style, types and the import contract

style: venv
	$(BIN)/ruff check --quiet
	$(BIN)/ruff format --check --quiet
	$(BIN)/lint-imports

mypy pyright: venv
	$(BIN)/$@

format: venv ## rewrite the sources in the one style
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

docs: venv ## the documentation, warnings as errors, into docs/_build/html
	$(BIN)/sphinx-build -q -b html -W --keep-going -n docs docs/_build/html

lock: ## the newest allowed versions of all packages into requirements/ (LOCK_ARGS= keeps those that are allowed)
	@tools/make-venv .venv-lock lock
	@tools/lock .venv-lock/bin $(LOCK_ARGS)

bench: venv-runtime ## measure ensue beside Salt, Idem, Terraform and pyinfra (BENCH_ARGS="--help")
	@$(BIN)/python bench/run.py $(BENCH_ARGS)

mutants: venv ## change the sources at random, 300 times, and name the changes that no test notices (MUTANTS_ARGS="--help")
	@nice $(BIN)/python -m tools.mutants $(MUTANTS_ARGS)

compat: venv ## run tests/compat beside Salt and Idem and record what they give (COMPAT_ARGS="--help")
	@$(BIN)/python -m tests.compat.record $(COMPAT_ARGS)
	@$(BIN)/python -m tests.compat.random_compare
	@$(BIN)/python -m tests.compat.record_expressions
	@$(BIN)/python -m tests.compat.record_targets
	@$(BIN)/python -m tests.compat.record_idem
	@tools/test-bridge $(BIN) .compat/salt

clean: ## remove what the commands above made, the virtual environment included
	rm -rf $(VENV) .venv-oldest .venv-newest .venv-lock .venv-salt .bench .mutants .compat .demo docs/_build docs/reference dist .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache

venv:
	@tools/make-venv $(VENV) develop

venv-runtime:
	@tools/make-venv $(VENV) runtime

venv-postgres:
	@tools/make-venv $(VENV) postgres

what:
	@tools/make-venv $(VENV) develop --what
	@tools/real-parts --what

real-parts:
	@tools/real-parts
