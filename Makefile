# make demo and make test do everything on a machine that has Python 3.11 or newer (with venv) and make.
# PYTHON=python3.12 chooses another Python; JOBS=4 runs tests in four processes; TESTS="tests/laws/contact -k energy" runs some of them.
# PYTHONS="python3.11 python3.12 python3.13" are those that make release installs into (without it: that of .venv).

PYTHON ?= python3
JOBS ?= 2
TESTS ?= tests
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
LOCK := requirements/test.lock
OLDEST := 3, 11

.DEFAULT_GOAL := help
.PHONY: help demo test coverage lint format types pictures docs bench wheel release lock clean python

help:  ## list what can be made
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/make \1|\2/p' Makefile | awk -F'|' '{printf "%-12s %s\n", $$1, $$2}'

demo: $(VENV)/.package  ## set up, run the snakeboard, leave a film strip and a report, say how to see it move
	$(BIN)/locomote run snakeboard

test: $(VENV)/.tests  ## set up, compile the kernels once, run all tests
	$(BIN)/locomote doctor --compile
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal $(TESTS)

coverage: $(VENV)/.tests  ## which lines run with the compiler off, in two or three minutes
	$(BIN)/python tests/helpers/uncovered.py

lint: $(VENV)/.tests  ## check style, format and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright --pythonpath $(BIN)/python

format: $(VENV)/.tests  ## bring all files into format
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.tests  ## time the dynamics against Pinocchio
	$(BIN)/locomote bench

pictures: $(VENV)/.tests  ## draw the pictures of the documentation anew
	$(BIN)/python docs/pictures/make.py all
	$(BIN)/python docs/make_gallery.py
	$(BIN)/python docs/learn/make_pictures.py
	$(BIN)/python docs/pictures/beams.py
	$(BIN)/python docs/inside/make_house.py
	$(BIN)/python docs/make_cheat_sheet.py

docs: $(VENV)/.docs  ## make HTML pages in build/docs, warnings are errors, and check their links
	$(BIN)/sphinx-build -W --keep-going -q -j 2 -d build/doctrees docs build/docs
	$(BIN)/python docs/check_site.py build/docs
	@echo "open build/docs/index.html"

wheel: $(VENV)/.package  ## make a wheel with compiled kernels for the usual processors in dist
	$(BIN)/python packaging/wheel.py

release: $(VENV)/.package  ## check versions, build sdist and wheel, look into them, install them in an empty environment of each of PYTHONS
	$(BIN)/python packaging/release.py --install $(PYTHONS)

lock: python  ## choose the newest versions for tests anew
	rm -rf build/lock && $(PYTHON) -m venv build/lock
	build/lock/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	build/lock/bin/python -m pip install --quiet --group test --group lint --editable .
	{ echo "# exact versions for tests and checks, written by: make lock"; \
	  build/lock/bin/python -m pip list --format=freeze --exclude locomote --exclude pip --exclude setuptools; } > $(LOCK)
	rm -rf build/lock

clean:  ## remove the environment and everything that was made
	rm -rf $(VENV) build dist .pytest_cache .ruff_cache .hypothesis
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

python:
	@command -v $(PYTHON) > /dev/null || { echo "no $(PYTHON) here: install Python 3.11 or newer, or say make PYTHON=..."; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < ($(OLDEST)))' || \
	  { echo "$(PYTHON) is $$($(PYTHON) -V 2>&1), but 3.11 or newer is needed: say make PYTHON=python3.12, for example"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2> /dev/null || \
	  { echo "$(PYTHON) has no venv: install it (Debian and Ubuntu call it python3-venv)"; exit 1; }

# the environment, and what is installed in it, each with a stamp; that of the environment says its Python
VERSION := -c 'import sys; print(*sys.version_info[:2], sep=".")'
ifneq ($(origin PYTHON),file)
ifneq ($(shell $(PYTHON) $(VERSION) 2> /dev/null),$(shell cat $(VENV)/.made 2> /dev/null))
$(shell rm -f $(VENV)/.made)
endif
endif

$(VENV)/.made:
	@$(MAKE) --no-print-directory python
	@echo "making $(VENV) with $$($(PYTHON) -V)"
	@$(PYTHON) -m venv --clear $(VENV)
	@$(PYTHON) $(VERSION) > $@

$(VENV)/.package: $(VENV)/.made pyproject.toml $(LOCK)
	@echo "installing locomote"
	@$(PIP) install --constraint $(LOCK) --editable '.[view]' || \
	  { echo "the tested versions do not fit this Python; trying the newest ones"; $(PIP) install --editable '.[view]'; }
	@touch $@

$(VENV)/.tests: $(VENV)/.package $(LOCK)
	@echo "installing what tests need"
	@$(PIP) install --requirement $(LOCK)
	@touch $@

$(VENV)/.docs: $(VENV)/.tests
	@$(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["dependency-groups"]["docs"], sep="\n")' > $@
	@$(PIP) install --requirement $@ || { rm -f $@; exit 1; }
