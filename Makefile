# `make demo` and `make test` do all the set-up on a fresh machine.

PYTHON ?= python3
BIN := .venv/bin
OUT ?= demo
# What is installed is what constraints.txt says; CONTRIBUTING.md tells how it is renewed.
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
CHROMIUM := $(shell command -v chromium || command -v chromium-browser || command -v google-chrome)

.PHONY: install demo test test-all check docs bench fuzz lock clean

install: .venv/dev

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "factchain needs Python 3.11 or newer: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv .venv

.venv/user: .venv/bin/python pyproject.toml constraints.txt
	@echo "Installing factchain into .venv (about a minute)"
	$(PIP) -e '.[eval]'
	@touch $@

.venv/dev: .venv/user
	@echo "Installing what the tests need"
	$(PIP) --upgrade 'pip>=25.1'
	$(PIP) -e '.[eval,publish]'
	$(PIP) --group dev
	@touch $@

.venv/all: .venv/dev
	@echo "Installing the extras that the slow tests need (torch, ray)"
	$(PIP) -e '.[dense,eval,publish,ray,rebel]'
	$(PIP) --group models
	@touch $@

demo: .venv/user
	$(BIN)/factchain build --out $(OUT) --workers 2

test: .venv/dev
	$(BIN)/python -m pytest -n 2 --dist loadgroup -m "not slow and not browser and not torch"

test-all: .venv/all
ifeq ($(CHROMIUM),)
	@if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		apt-get update -qq && apt-get install -qq -y --no-install-recommends chromium >/dev/null; \
	else \
		echo "no Chromium here: install it to run the browser tests"; \
	fi
endif
	$(BIN)/python -m pytest -n 2 --dist loadgroup -m "slow or browser or torch"

check: .venv/dev
	$(BIN)/ruff format --check src tests benchmarks docs
	$(BIN)/ruff check src tests benchmarks docs
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: .venv/dev
	$(BIN)/python docs/generate.py

bench: .venv/all
	$(PIP) --group bench
	$(BIN)/python benchmarks/build.py
	$(BIN)/python benchmarks/ingest.py
	$(BIN)/python benchmarks/diff.py
	$(BIN)/python benchmarks/extract.py
	$(BIN)/python benchmarks/sample.py
	$(BIN)/python benchmarks/linearize.py
	$(BIN)/python benchmarks/retrieval.py
	$(BIN)/python benchmarks/llm.py
	$(BIN)/python benchmarks/eval.py
	$(BIN)/python benchmarks/report.py

fuzz: .venv/dev
	$(PIP) --group fuzz
	$(BIN)/python tests/fuzz/fuzz_dump.py -max_total_time=60

# A local build tag (torch) would tie the lock to one machine's packages.
lock: .venv/all
	$(PIP) --group bench --group fuzz
	$(BIN)/python -m pip freeze --exclude-editable | sed 's/+cpu//' > constraints.txt

clean:
	rm -rf .venv demo dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
