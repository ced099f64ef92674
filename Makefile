# Every target makes what it needs: a virtual environment in .venv, then the package in it.
# PYTHON=... chooses the interpreter, ARGS=... goes to the program that the target runs.

VENV := .venv
BIN := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
PIP := $(BIN)/python -m pip --disable-pip-version-check -qq
CORE := $(VENV)/.core
CLI := $(VENV)/.cli
DEV := $(VENV)/.dev
DOCS := $(VENV)/.docs
ARGS ?=

.DEFAULT_GOAL := help
.PHONY: help demo gallery docs test test-cuda chaos onnx check format bench clean

help:  ## show this list
	@echo "Treadle: make <target> [PYTHON=python3.12] [ARGS='...']"
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1	\2/p' $(firstword $(MAKEFILE_LIST))

demo: $(CLI)  ## paint photos and run a recipe over them, with a report and a timeline
	@$(BIN)/python -m treadle.demo $(ARGS)

gallery: $(CORE)  ## apply every image and audio kernel to a test card or sound, in docs/gallery
	@$(BIN)/python docs/tools/gallery.py $(ARGS)

docs: $(DOCS)  ## build the site in build/site; ARGS=serve shows it while you write
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs $(or $(ARGS),build --quiet)
	@test ! -f build/site/index.html || echo "build/site/index.html"

# A cache of its own: tests neither trust nor touch what the user has compiled before. The processes
# share it, as users' do. What LLVM makes of a text outlives a run, and nothing else does: it is a
# quarter of the work, and the same every time (tests/compiled.py). An idle process takes tests from
# a busy one, since a few take seconds and most milliseconds; ARGS="-n 0" runs them in this process.
# Bytecode is kept even where the user keeps none: tests start dozens of interpreters.
test: $(DEV)  ## run every test, in a process for each core and one more
	@rm -rf build/test-cache
	@TREADLE_CACHE="$(CURDIR)/build/test-cache" TREADLE_COMPILED="$(CURDIR)/build/compiled" \
	  PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n auto --maxprocesses 16 --dist worksteal $(ARGS)

# With the Python and the packages that are there: a machine with a GPU may have no way to install.
# Tests of the default device want the one that CI has; CUDA is tested where a test names devices.
test-cuda:  ## run every test on a machine with an NVIDIA GPU, in a process for each core; installs nothing
	@rm -rf build/test-cache
	@TREADLE_CACHE="$(CURDIR)/build/test-cache" TREADLE_REQUIRE=cpu,cuda TREADLE_DEVICE=cpu \
	  PYTHONPATH=src $(or $(PYTHON),python3) tests/parts.py $(ARGS)

# ARGS="--seconds 60 --seed 2 --only forks" for less of it; a finding prints the ARGS that show it again.
chaos: $(DEV)  ## interrupt, collect, fork and kill for ten minutes, with random moments and a report
	@TREADLE_CACHE="$(CURDIR)/build/chaos-cache" PYTHONPATH=tests $(BIN)/python -m chaos $(ARGS)

# ARGS="--device webgpu --only Pad --verbose" for the cases of one operator, on another device.
onnx: $(DEV)  ## run ONNX's own node test data with our kernels; prints what is missing
	@TREADLE_CACHE="$(CURDIR)/build/onnx-cache" PYTHONPATH=tests $(BIN)/python -m onnx_nodes $(or $(ARGS),--least 1500)

check: $(DEV)  ## lint, formatting and types
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy --strict src

format: $(DEV)  ## put the sources in the house format
	@$(BIN)/ruff check --fix-only --quiet .
	@$(BIN)/ruff format .

bench: $(DEV)  ## measure against peers; prints a table
	@$(BIN)/python -m bench $(ARGS)

clean:  ## remove everything that make made
	rm -rf $(VENV) build dist demo-out .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find src tests $(wildcard bench) -name __pycache__ -type d -prune -exec rm -rf {} +

$(CORE): pyproject.toml $(BIN)/python
	@echo "installing treadle into $(VENV)"
	@$(PIP) install --editable .
	@touch $@

$(CLI): pyproject.toml $(BIN)/python
	@echo "installing treadle and its command line into $(VENV)"
	@$(PIP) install --editable '.[cli]'
	@touch $(CORE) $@

$(DOCS): pyproject.toml $(BIN)/python
	@echo "installing treadle and what its site needs into $(VENV)"
	@$(PIP) install --editable '.[cli,docs]'
	@touch $(CORE) $(CLI) $@

$(DEV): pyproject.toml $(BIN)/python
	@echo "installing treadle and its development tools into $(VENV)"
	@$(PIP) install --editable '.[dev]'
	@touch $(CORE) $(CLI) $(DOCS) $@

# The first interpreter that is new enough wins. Debian ships Python without venv: say what helps.
$(BIN)/python:
	@set -e; found=; for each in "$(PYTHON)" python3 python3.14 python3.13 python3.12 python3.11 python; do \
	  if [ -n "$$each" ] && "$$each" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; \
	  then found="$$each"; break; fi; \
	  if [ -n "$$each" ] && [ "$$each" = "$(PYTHON)" ]; \
	  then echo "PYTHON=$$each is not a Python of version 3.11 or later." >&2; exit 1; fi; \
	done; \
	if [ -z "$$found" ]; then \
	  echo "Treadle needs Python 3.11 or later and found none; install one or set PYTHON=/path/to/python." >&2; exit 1; fi; \
	if ! "$$found" -c 'import ensurepip, venv' 2>/dev/null; then \
	  echo "$$found cannot make virtual environments; install its venv module (Debian, Ubuntu: apt install python3-venv)" >&2; \
	  echo "or set PYTHON=/path/to/another/python." >&2; exit 1; fi; \
	echo "making $(VENV) with $$("$$found" --version)"; \
	"$$found" -m venv --clear $(VENV)
