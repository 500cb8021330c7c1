# Everything a developer runs. `make test` on a clean clone sets up what it needs.
.DELETE_ON_ERROR:
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
unexport PYTHONDONTWRITEBYTECODE # every process that a test starts would compile the package anew

BIN := .venv/bin
PYTHON_READY := .venv/.ready
EXTENSION_READY := extension/node_modules/.ready

.PHONY: help setup demo test check lint types sizes schemas collect extension-check unit python-test extension-test \
	e2e pictures vsix soak bench eval fit node workbench generate \
	packages release-check workflows clean

help: ## This list
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 18

setup: $(PYTHON_READY) $(EXTENSION_READY) workbench ## Everything that is needed below, once

$(PYTHON_READY): pyproject.toml scripts/venv
	scripts/venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	@echo "Installing what the sidecar and its tests need into .venv; a minute or two."
	$(BIN)/python -m pip install --disable-pip-version-check --no-compile --editable . --group dev
	touch $@

$(EXTENSION_READY): extension/package-lock.json scripts/node | node
	cd extension && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	touch $@

node:
	@scripts/node

workbench: node # does nothing when it is there
	@tests/e2e/setup.sh

demo: .venv-demo/.ready ## A short session over the example knowledge base; needs nothing of the above
	@.venv-demo/bin/vouch-sidecar demo

.venv-demo/.ready: pyproject.toml scripts/venv
	@echo "Installing what the tour needs into .venv-demo: a minute or two."
	@scripts/venv .venv-demo
	@.venv-demo/bin/python -m pip install -qq --disable-pip-version-check --editable .
	@touch $@

test: ## Every check and every test; the last line counts them
	@scripts/test

check: lint types schemas extension-check sizes ## What needs no running: style, types, generated files, sizes

lint: $(PYTHON_READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(PYTHON_READY)
	$(BIN)/mypy

sizes: ## Statements, lines and modules of each room
	@python3 scripts/sizes.py

schemas: $(PYTHON_READY)
	$(BIN)/python -m scripts.schemas --check
	$(BIN)/python -m scripts.protocol_docs --check
	$(BIN)/python -m scripts.settings_docs --check

collect: $(PYTHON_READY) # compiles the tests once, which each worker of `python-test` would do
	$(BIN)/pytest --collect-only -qq | tail -n 5

extension-check: $(EXTENSION_READY)
	cd extension && npm run --silent check

generate: $(PYTHON_READY) $(EXTENSION_READY) ## Schemas, docs/protocol.md and the extension's types
	$(BIN)/python -m scripts.schemas
	$(BIN)/python -m scripts.protocol_docs
	$(BIN)/python -m scripts.settings_docs
	cd extension && npm run --silent generate

unit: $(PYTHON_READY) ## Tests of the sidecar without processes and quality: 90 s
	$(BIN)/pytest -n auto --dist worksteal -m "not process" --ignore tests/quality

python-test: $(PYTHON_READY) ## All tests of the sidecar
	mkdir -p artifacts
	$(BIN)/pytest -n 4 --dist worksteal --junitxml=artifacts/pytest.xml

soak: $(PYTHON_READY) ## The long form of the tests that try many things: an hour
	VOUCH_SIDECAR_LONG=1 $(BIN)/pytest -n 2 -m "soak or hypothesis" --timeout 3600

extension-test: $(EXTENSION_READY) ## Tests of the extension without VS Code
	mkdir -p artifacts
	cd extension && npm run --silent test 2>&1 | tee ../artifacts/extension.log

e2e: vsix workbench ## Tests of the extension in a real VS Code (ONLY=courier: some of them)
	mkdir -p artifacts
	node tests/e2e/run.mjs $(ONLY) 2>&1 | tee artifacts/e2e.log

pictures: vsix workbench ## The panel in three themes (artifacts/e2e), for a release; docs/images
	node tests/e2e/run.mjs pictures
	cp artifacts/e2e/picture-courier-dark.png docs/images/vscode-dark.png
	cp artifacts/e2e/picture-almanac-light.png docs/images/vscode-light.png
	cp artifacts/e2e/picture-courier-high-contrast.png docs/images/vscode-high-contrast.png

vsix: $(PYTHON_READY) $(EXTENSION_READY) ## The extension as a file to install
	cd extension && npm run --silent package

bench: $(PYTHON_READY) ## Speed and memory beside the aims (QUICK=1: two minutes), or beside another commit (AGAINST=REF)
	$(BIN)/python -m benchmarks $(if $(AGAINST),--against $(AGAINST)) $(if $(QUICK),--quick)

fit: $(PYTHON_READY) ## The weights of what is said, from labelled prompts (retrieval/constants.py)
	$(BIN)/python -m benchmarks.quality.fit

eval: $(PYTHON_READY) ## Quality of what is said
	$(BIN)/python -m benchmarks.quality

RELEASE_READY := .venv/.release

$(RELEASE_READY): $(PYTHON_READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group release
	touch $@

release-check: ## Whether this may be published (TAG=v1.2.3: under that tag)
	@$(or $(PYTHON),python3) -m scripts.release_check $(TAG)

packages: $(RELEASE_READY) ## The wheel and the source distribution, in dist/
	$(BIN)/python -m build --outdir dist .

workflows: $(RELEASE_READY) ## Lints .github/
	$(BIN)/zizmor --offline --pedantic .github

clean: ## Removes what was made here, the environments included
	rm -rf .venv .venv-demo artifacts build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
	rm -rf extension/node_modules extension/dist extension/out extension/server tests/e2e/.workbench
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
