# Needs python3 (3.11 or later) with python3-venv, and make. `make help` lists the targets.
PYTHON ?= python3
BIN := .venv/bin

# The same for every make target and for CI: nothing of the caller's Python settings may change a run.
unexport PYTHONPATH PYTHONHOME

.DEFAULT_GOAL := help
.PHONY: .venv help demo run test test-fast lint format lock binaries bench soak clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z.-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# The key is a digest of what defines the environment, so a checkout that only touches times installs nothing again.
# The lock file lets several makes in one tree run at once.
.venv: ## make the Python environment from the hashed lock
	@flock .venv.lock sh -eu -c '\
	  key=$$(cat requirements/dev.txt setup.cfg pyproject.toml | sha256sum); \
	  if [ "$$(cat .venv/key 2>/dev/null)" = "$$key" ]; then exit 0; fi; \
	  $(PYTHON) -c "import ensurepip, sys; sys.exit(sys.version_info < (3, 11))" 2>/dev/null || { \
	    echo "make needs Python 3.11 or later with venv (Debian: python3-venv); name it with PYTHON=..." >&2; exit 1; }; \
	  echo "Installing the environment into .venv"; \
	  $(PYTHON) -m venv --clear .venv; \
	  $(BIN)/pip install --quiet --disable-pip-version-check --only-binary :all: --require-hashes -r requirements/dev.txt; \
	  $(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .; \
	  echo "$$key" > .venv/key'

demo: .venv ## show the way of a pod to its device, without Kubernetes; FULL=1 shows every answer
	@$(BIN)/python -m webhook.cli.demo $(if $(FULL),--full)

run: .venv ## serve the webhook over the manifests in examples/ until stopped
	@exec $(BIN)/python -m webhook.cli.demo --serve

# The floor holds for the two rooms that decide everything: the rules and the envelopes.
test: .venv ## run every test, with a real control plane
	@$(BIN)/pytest --cov=webhook.core --cov=webhook.wire --cov-branch --cov-fail-under=97 \
	  --cov-report=term-missing:skip-covered

test-fast: .venv ## run the tests that need neither a control plane nor load
	@$(BIN)/pytest --tier fast

lint: .venv ## style, types and import directions
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo

format: .venv ## rewrite the sources as lint wants them
	@$(BIN)/ruff check --fix
	@$(BIN)/ruff format

# dev.in is held to the two others, so what is tested is what the image runs.
lock: .venv ## resolve requirements/*.in into requirements/*.txt; UPGRADE=1 takes the newest versions
	@cd requirements && for name in build run dev; do \
	  ../$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	    --no-emit-find-links --custom-compile-command 'make lock' $(if $(UPGRADE),--upgrade) \
	    "$$name.in" --output-file "$$name.txt" || exit 1; done

binaries: .venv ## build kube-apiserver, etcd, kubectl and helm for the tests
	@$(BIN)/python -m tests.harness.binaries

bench: .venv ## measure the rules, the server and the binder; QUICK=1 in short
	@$(BIN)/python -m bench $(if $(QUICK),--quick)

soak: .venv ## run the server under load for a long while
	@$(BIN)/python -m bench.soak

clean: ## remove everything that make has made in this tree
	@rm -rf .venv .venv.lock build dist *.egg-info .coverage .hypothesis \
	  .mypy_cache .import_linter_cache .pytest_cache .ruff_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
