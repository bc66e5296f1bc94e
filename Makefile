# Satchel: `make demo` shows it, `make test` checks it. Both need Python 3.11 with venv, git and make.
#
# The network is used once, by pip, to fill .venv. A stamp there is a copy of the pyproject.toml that
# was installed: while the two are equal pip does not run, whatever their times, so everything below
# works offline afterwards. The install is editable, so the code in .venv is the code in the checkout.

PYTHON ?= python3
BIN := .venv/bin
# Nothing is compiled that no command imports: of 9,000 files the tests load a third. What is
# imported is compiled once, whatever the caller's environment says: the tests start a thousand processes.
unexport PYTHONDONTWRITEBYTECODE
PIP := $(BIN)/python -m pip install --no-compile --quiet --disable-pip-version-check --no-input
QUESTION ?= how does a pack stay within its token budget
BUDGET ?= 2048
SHIPPED := satchel tests/support
ENGINE ?= auto

.PHONY: demo test bench ranking browser site clean help

help:
	@echo "make demo    index this repository and answer a question about it"
	@echo "             (QUESTION=\"$(QUESTION)\" BUDGET=$(BUDGET) ENGINE=$(ENGINE))"
	@echo "             with ENGINE=chroma vectors are looked for in Chroma, which is installed first"
	@echo "make test    formatting, lint, types, tests, and our own index validated: the whole check"
	@echo "make bench   time a fresh index of TREES=\"folder …\" against bare parsing"
	@echo "make ranking learn the order of tasks again, as training/ranking/README.md says:"
	@echo "             REPOSITORIES=list MIRROR=folder DATA=folder HELD_OUT=\"cases …\""
	@echo "make browser install Chromium, which the tests of \`satchel ui\` drive (Debian, as root)"
	@echo "make site    build the documentation into site/"
	@echo "make clean   remove .venv and what tools cache here; indexes lie in your cache folder"

demo: export SATCHEL_VECTORS_ENGINE = $(ENGINE)
demo: .venv/$(if $(filter chroma,$(ENGINE)),chroma,user)
	$(BIN)/satchel reindex --full
	$(BIN)/satchel context "$(QUESTION)" --budget $(BUDGET)

# Side by side, since tests wait at times and a processor would have nothing to do: beside the types
# for Linux a first collection of the tests, which compiles them for the processes that run them;
# beside both and the tests our own index, and the types of what runs on other systems. The
# last line says what was not tested.
test: .venv/dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	{ $(BIN)/satchel reindex --quiet && $(BIN)/satchel validate --level deep; } & index=$$!; \
	nice $(BIN)/mypy --platform darwin --cache-dir .mypy_cache/darwin $(SHIPPED) & darwin=$$!; \
	nice $(BIN)/mypy --platform win32 --cache-dir .mypy_cache/win32 $(SHIPPED) & win32=$$!; \
	$(BIN)/python -m pytest --collect-only > /dev/null & tests=$$!; \
	$(BIN)/mypy && { wait $$tests; \
		$(BIN)/python -m pytest -n 4; }; \
	here=$$?; wait $$darwin && wait $$win32 && wait $$index || here=1; \
	$(BIN)/python -m tests.ui.browser; exit $$here

bench: .venv/dev
	$(BIN)/python -m bench.indexing.measure $(TREES)

ranking: .venv/dev
	$(PIP) lightgbm==4.7.0
	$(BIN)/python -m training.ranking.mine --repositories $(REPOSITORIES) --mirror $(MIRROR) \
		--out $(DATA) $(HELD_OUT:%=--held-out %) --only-fixes
	$(BIN)/python -m training.ranking.measure $(DATA)
	$(BIN)/python -m training.ranking.learn $(DATA) --out assembler/ranking/learned.json

browser:
	apt-get update && apt-get install --yes --no-install-recommends chromium chromium-driver

site: .venv/site
	$(BIN)/python -m mkdocs build --quiet

clean:
	rm -rf .venv site .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/user: pyproject.toml
	@$(call install,.)

.venv/site: pyproject.toml
	@$(call install,.[site])

.venv/chroma: pyproject.toml
	@$(call install,.[chroma])
	@cp pyproject.toml .venv/user

.venv/dev: pyproject.toml
	@$(call install,.[dev])
	@cp pyproject.toml .venv/user
	@cp pyproject.toml .venv/chroma

# $(1): what pip is asked for. `python -m venv` is harmless on an environment that is there. The pip
# that comes with Python 3.11 takes twice as long to choose versions as the newest one. What builds
# the editable install is installed first: in an environment of its own pip would unpack all 184 MB
# of grammars a second time, which only a wheel needs.
define install
cmp -s pyproject.toml $@ && touch $@ || { \
	echo "installing $(1) into .venv (once; needs the network)" && \
	$(PYTHON) -m venv .venv && $(PIP) --upgrade pip hatchling editables && \
	$(PIP) --no-build-isolation -e "$(1)" && cp pyproject.toml $@; }
endef
