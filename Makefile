# Each target makes what it needs: `make chat` from a fresh checkout installs, prepares, builds and opens the page.
PYTHON ?= python3
PY := .venv/bin/python
POSTS := $(shell find corpus -name '*.md' 2>/dev/null)
HOST ?= 127.0.0.1
PORT ?= 7860

.PHONY: chat ask test check eval index clean help
.DEFAULT_GOAL := help

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "make %-8s %s\n", $$1, $$2}' Makefile

chat: var/index/CURRENT ## open the chat page
	$(PY) -m app --host $(HOST) --port $(PORT)

ask: var/index/CURRENT ## answer Q in the terminal: make ask Q="…"
	@test -n "$(Q)" || { echo 'usage: make ask Q="How much faster is eigh in 2.12?"' >&2; exit 2; }
	@$(PY) -m app.ask "$(Q)"

test: var/index/CURRENT .venv/dev ## run all tests
	$(PY) -m pytest

check: .venv/dev ## ruff and mypy
	$(PY) -m ruff format --check .
	$(PY) -m ruff check .
	$(PY) -m mypy

eval: var/index/CURRENT ## measure retrieval, answers and refusals
	$(PY) -m eval

index: var/index/CURRENT ## build the search index

var/index/CURRENT: $(POSTS) $(wildcard ingest/*.py index/*.py) | .venv/app
	$(PY) -m index
	@touch $@

.venv/app: pyproject.toml constraints.txt
	test -x $(PY) || $(PYTHON) -m venv .venv
	$(PY) -m pip install --quiet --disable-pip-version-check -e . -c constraints.txt
	@touch $@

.venv/dev: .venv/app
	$(PY) -m pip install --quiet --disable-pip-version-check -e '.[dev]' -c constraints.txt
	@touch $@

clean: ## remove what was built (not the model in the user's cache)
	rm -rf var .venv build *.egg-info
