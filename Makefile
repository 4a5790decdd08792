# Every target works from a fresh clone: it makes .venv first, with the files that constraints*.txt lock.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/installed

.DEFAULT_GOAL := help
.PHONY: help install demo test test-operations test-interpreters test-busy check format docs site golden cluster bench chaos \
  drills lock clean

help:  ## Show the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 20

$(INSTALLED): pyproject.toml constraints.txt constraints-dev.txt scripts/install
	@scripts/install $(VENV) $(PYTHON)

install: $(INSTALLED)  ## Make .venv and install the project into it

demo: $(INSTALLED)  ## Two VASPs and a hub on this machine; ONCE=1 ends after the scenarios
	@$(BIN)/travelrule demo $(if $(ONCE),--once)

test: $(INSTALLED)  ## The whole suite, with a real Kafka, PostgreSQL and Chromium
	$(BIN)/python -m tests.services.helm
	$(BIN)/python -m pytest -n 2 --dist loadfile -m "not chaos and not shared and not operations" --ignore=tests/e2e
	$(BIN)/python -m pytest -m "not chaos and not shared and not operations" tests/e2e

test-operations: $(INSTALLED)  ## What takes long: outages, drills, builds, clients in other languages
	$(BIN)/python -m pytest -m operations --ignore=tests/e2e
	$(BIN)/python -m pytest -m operations tests/e2e  # its clients need their event loop all the time

test-interpreters: $(INSTALLED)  ## Unit and property tests on every other Python from 3.11 on
	@scripts/test-interpreters $(VENV)

test-busy: $(INSTALLED)  ## The suite three times in a row with every core kept busy by something else
	@scripts/test-busy $(BIN)/python

check: $(INSTALLED)  ## What to run before each commit
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -n auto -m "not chaos and not shared and not operations" tests/unit tests/property tests/house

format: $(INSTALLED)  ## Format the code and apply safe corrections
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(INSTALLED)  ## Write docs/generated and schemas/jsonschema
	for page in generate_docs guide_events alert_rules dashboards chart_values; do \
	  $(BIN)/python -m scripts.$$page || exit 1; done
	$(BIN)/python -m schemas.export
	$(BIN)/python -m tests.walks
	for page in exchange.diagram deposits.diagram assessments.diagram policy.verdicts_doc gateway.openapi hub.openapi; do \
	  $(BIN)/python -m travelrule.$$page || exit 1; done
	$(BIN)/python -m scripts.reference_page

site: $(INSTALLED)  ## Build the documentation site into site/ and check its links
	@$(BIN)/python -m scripts.site

golden: $(INSTALLED)  ## Write the golden decisions after a machine's version rose; UNRELEASED=1 for versions without release
	@$(BIN)/python -m tests.golden $(if $(UNRELEASED),--unreleased)

cluster: $(INSTALLED)  ## The chart installed, upgraded and removed on a real Kubernetes control plane; needs Go
	@$(BIN)/python -m tests.helm.cluster

bench: $(INSTALLED)  ## The figures of speed, one JSON line each; SHORT=1 for CI
	@$(BIN)/python -m tests.benchmarks $(if $(SHORT),--short)

drills: $(INSTALLED)  ## Each fault that an alert is for, provoked with the rules in force, one JSON line each; SHORT=1 for CI
	@$(BIN)/python -m tests.drills $(if $(SHORT),--short)

chaos: $(INSTALLED)  ## The fault runs, one JSON line each; SHORT=1 for CI
	@$(BIN)/python -m tests.chaos $(if $(SHORT),--short)

lock:  ## Write constraints.txt and constraints-dev.txt; UPGRADE=name takes the newest of one package
	@[ -x $(BIN)/python ] || $(MAKE) install  # an older environment is enough: a new dependency cannot be installed before
	$(BIN)/python -m scripts.lock $(if $(UPGRADE),--upgrade $(UPGRADE))

clean:  ## Remove the environment, caches and embedded data
	rm -rf $(VENV) .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache dist data site
