# Commands for developers. Each target sets up what it needs in .venv; `make help` lists them.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PEERS  := .cache/peers
FRESH  := .cache/user
FRAMEWORKS := .cache/frameworks
SPARK  := .cache/spark

# Every package, including dependencies, must have its hash in constraints.txt. uv takes a tenth of
# pip's time, and installs groups and extras; pip installs single packages.
HASHED := --require-hashes --constraint constraints.txt
UV := $(BIN)/uv pip install --quiet --python
PIP := $(BIN)/python -m pip install -qq

# The commit that `make check` compares with.
SINCE ?= HEAD

# Number of test processes: one more than processors, since some tests wait for servers.
WORKERS ?= $(shell $(PYTHON) -c 'import os; print(1 + (os.cpu_count() or 1))')

# Number of cases per test of `make conformance`.
CONFORMANCE_CASES ?= 200

# Number of cases that `make soak` tries per route of the service, and number of kills.
SOAK_EXAMPLES ?= 200
SOAK_KILLS ?= 200

# Minutes that 64 clients then use the service, first alone, then with attackers.
SOAK_MINUTES ?= 10

# Seconds for each of the two parts of `make fuzz`.
FUZZ_SECONDS ?= 60

# Tests start Python hundreds of times, so let it cache compiled modules.
unexport PYTHONDONTWRITEBYTECODE

# If there is a compiler, an error in the C++ code fails the build; the extension is not left out.
export BERRYEVAL_REQUIRE_NATIVE := $(if $(shell command -v $${CXX:-c++}),1)

NATIVE := CMakeLists.txt pyproject.toml constraints.txt $(wildcard scripts/building/*.py) \
  $(shell find native -type f)
CPP := $(shell find native fuzz -name '*.cpp' -o -name '*.hpp')

.DEFAULT_GOAL := help
.PHONY: help demo check test test-deep coverage lint format tidy bench bench-search bench-service bench-workbench bench-peers fuzz soak \
  conformance conformance-page frameworks spark bench-scale docs reference simulate baseline quality \
  check-site gallery image-steps screenshots constraints release release-dry-run clean

help: ## Show this list
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | \
	  while IFS="$$(printf '\t')" read -r name text; do printf '  make %-17s %s\n' "$$name" "$$text"; done

demo: $(VENV)/installed ## Compare three search systems on a golden set, in the terminal and as a page
	@mkdir -p build/demo
	$(BIN)/berryeval demo -o build/demo/report.html
	@echo "The workbench, with a month of invented runs: $(BIN)/berryeval serve --demo --open"

check: $(VENV)/developing ## Check what changed since SINCE (the last commit): style, types, its unit tests
	$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy && $(BIN)/lint-imports
	@tests="$$($(BIN)/python scripts/check_changed.py $(SINCE))"; \
	  if [ -n "$$tests" ]; then $(BIN)/python -m pytest -q -n $(WORKERS) -m unit $$tests; fi

# Ignored tests need the real program, which `make conformance` fetches. Each worker takes an
# equal part of the modules, so that fixtures of a module are set up only once.
PYTEST := $(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal \
  --ignore=tests/conformance/test_against_the_program.py

test: $(VENV)/developing ## Run every test
	$(PYTEST) $(PYTEST_ARGS)

test-deep: $(VENV)/developing ## Run every test, property tests with twenty times the examples
	BERRYEVAL_DEEP_TESTS=1 $(PYTEST) $(PYTEST_ARGS)

coverage: $(VENV)/developing ## Run every test, and report the lines that none of them runs
	@rm -f .coverage .coverage.*
	COVERAGE_PROCESS_START=pyproject.toml $(PYTEST) $(PYTEST_ARGS)
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

lint: $(VENV)/developing ## Check style, types and the direction of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	@$(BIN)/clang-format --dry-run --Werror $(CPP)
	$(BIN)/djlint src/berryeval --check --quiet
	$(BIN)/python scripts/format_scripts.py --check

format: $(VENV)/developing ## Format the code
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .
	@$(BIN)/clang-format -i $(CPP)
	$(BIN)/djlint src/berryeval --reformat --quiet || true # it exits with 1 if it changed a file
	$(BIN)/python scripts/format_scripts.py

# The bindings need Python's headers, and two files need the flags of their instruction sets.
tidy: $(VENV)/developing ## Look for likely bugs in the C++ code
	$(UV) $(BIN)/python $(HASHED) --group tidy
	$(BIN)/clang-tidy --quiet $(filter-out native/bindings/% %_avx2.cpp,$(filter %.cpp,$(CPP))) -- -std=c++20 -Inative

bench: $(VENV)/developing $(FRESH)/installed ## Measure speed, and write docs/reference/benchmarks.md
	$(BIN)/python benchmarks/report.py

bench-search: $(VENV)/developing ## Measure search over 50,000 chunks, and write docs/reference/benchmarks-search.md
	$(BIN)/python benchmarks/search.py

bench-peers: $(FRESH)/installed $(PEERS)/installed ## Measure speed against other tools, and write docs/reference/benchmarks-peers.md
	$(BIN)/python scripts/fetch_trec_eval.py
	$(FRESH)/bin/python benchmarks/peers.py

fuzz: $(VENV)/developing ## Fuzz the file readers for FUZZ_SECONDS each
	$(UV) $(BIN)/python $(HASHED) --group fuzz
	fuzz/run.sh $(FUZZ_SECONDS)

conformance: $(VENV)/developing ## Compare berryeval trec_eval with the real program, and run ir_measures' tests
	$(BIN)/python scripts/fetch_trec_eval.py $(if $(CI),--required)
	CONFORMANCE_CASES=$(CONFORMANCE_CASES) $(BIN)/python -m pytest -q tests/conformance $(PYTEST_ARGS)
	$(BIN)/python scripts/ir_measures_own_tests.py

conformance-page: $(PEERS)/installed ## Compare with other libraries, and write docs/reference/conformance.md
	$(PEERS)/bin/python scripts/fetch_trec_eval.py --required
	BERRYEVAL_BACKEND=python PYTHONPATH=src $(PEERS)/bin/python scripts/conformance_page.py

# With the Python twins, and without the settings of the other tests, which need more tools.
frameworks: $(FRAMEWORKS)/installed ## Test the retrievers of LangChain, LlamaIndex and Haystack
	FRAMEWORKS_REQUIRED=1 BERRYEVAL_BACKEND=python PYTHONPATH=src $(FRAMEWORKS)/bin/python -m pytest -q \
	  --noconftest -c /dev/null --rootdir . -p no:cacheprovider tests/search/systems/test_frameworks.py

# Executors start the Python of $(SPARK), which loads the extension built in $(VENV).
spark: $(SPARK)/installed ## Test Spark on a cluster of two processes, and Dask, DuckDB and Polars
	@scripts/install_java.sh
	SPARK_REQUIRED=1 PYTHONPATH=tests $(SPARK)/bin/python -m pytest -q --noconftest -c /dev/null \
	  --rootdir . --import-mode=importlib -p no:cacheprovider --hypothesis-profile=ci tests/spark $(PYTEST_ARGS)

bench-scale: $(SPARK)/installed ## Measure one machine and Spark up to 100 million rows, and write docs/explanation/scale.md
	$(SPARK)/bin/python benchmarks/scale/report.py

soak: $(VENV)/developing ## Kill, fuzz, overload and attack the service, and write the counts into docs/reference/service.md
	$(BIN)/python benchmarks/soak.py --kills $(SOAK_KILLS) --examples $(SOAK_EXAMPLES)
	$(BIN)/python benchmarks/mixed_clients.py --minutes $(SOAK_MINUTES) --write
	$(BIN)/python benchmarks/mixed_clients.py --attackers --minutes $(SOAK_MINUTES) --write

bench-service: $(VENV)/developing ## Measure the service with wrk, and write its figures into docs/reference/service.md
	$(BIN)/python benchmarks/service.py

bench-workbench: $(VENV)/developing ## Open every page on a large archive, and write docs/reference/benchmarks-workbench.md
	$(BIN)/python benchmarks/workbench.py

simulate: $(VENV)/developing ## Measure the error rates of gate and history, and write the tables of docs/explanation
	$(BIN)/python scripts/simulate_gate.py $(if $(SCORES),--scores $(SCORES))
	$(BIN)/python scripts/simulate_history.py
	$(BIN)/python scripts/simulate_practices.py
	$(BIN)/python scripts/simulate_sampling.py
	$(BIN)/python scripts/simulate_judging.py
	$(BIN)/python scripts/simulate_judges.py $(if $(COLLECTIONS),--collections $(COLLECTIONS)) $(if $(RUNS),--runs $(RUNS))
	$(BIN)/python scripts/simulate_label_draws.py
	$(BIN)/python scripts/draw_explanations.py

baseline: $(VENV)/developing ## Score six systems on the golden set, and write docs/reference/baseline.md
	$(BIN)/python scripts/quality_baseline.py

quality: $(VENV)/developing ## Run the quality suite, embedded and on PostgreSQL, with reports in build/quality
	$(BIN)/python scripts/quality_suite.py

docs: $(VENV)/developing ## Build the documentation into site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@echo "Open site/index.html; to search, serve it: $(PYTHON) -m http.server -d site"

check-site: docs ## Open the documentation in a browser, and save screenshots of its front page in build/site
	$(BIN)/python scripts/check_site.py site build/site

gallery: $(VENV)/developing ## Write the reports of the gallery into build/gallery
	$(BIN)/python scripts/gallery.py build/gallery

image-steps: ## Run the steps of the container image on this machine, without a container engine
	PYTHON=$(PYTHON) deploy/try_image_steps.sh

screenshots: $(VENV)/developing ## Take the screenshots of the report and the workbench in docs/images
	$(BIN)/python scripts/screenshots.py
	$(BIN)/python scripts/workbench_screenshots.py

reference: $(VENV)/developing ## Regenerate the pages of docs/reference, and the notebooks of the tutorials
	$(BIN)/python docs/generate.py
	$(BIN)/python scripts/notebooks.py

# Pinned versions are kept, unless UPGRADE is set.
constraints: $(VENV)/created ## Pin every dependency with its hashes (UPGRADE=1: the newest versions)
	$(BIN)/uv pip compile --quiet --universal --python-version 3.10 --no-python-downloads --generate-hashes \
	  --no-header --no-annotate --no-emit-index-url $(if $(UPGRADE),--upgrade) \
	  --all-extras --group dev --group fuzz --group release --group tidy --output-file constraints.txt pyproject.toml constraints.in
	sed -n '/^pip==\|^uv==/,/[^\\]$$/p' constraints.txt > requirements-installers.txt
	$(BIN)/uv pip compile --quiet --universal --python-version 3.10 --no-python-downloads --generate-hashes \
	  --no-header --no-annotate --no-emit-index-url $(if $(UPGRADE),--upgrade) \
	  --group frameworks --output-file requirements-frameworks.txt
	$(BIN)/uv pip compile --quiet --universal --python-version 3.10 --no-python-downloads --generate-hashes \
	  --no-header --no-annotate --no-emit-index-url $(if $(UPGRADE),--upgrade) \
	  --group spark --output-file requirements-spark.txt

# Writes to .github/workflows and action.yml only if every tag was resolved.
release: $(VENV)/developing ## Cut release VERSION: changelog, version, pinned actions, and all checks of its packages
	@test -n "$(VERSION)" || { echo "Name the version: make release VERSION=1.2.0"; exit 2; }
	@test -z "$$(git status --porcelain)" || { echo "Commit or stash your changes first."; exit 2; }
	$(BIN)/python scripts/release.py $(VERSION)
	$(BIN)/python scripts/pin_actions.py
	$(MAKE) release-dry-run
	PYTHON=$(PYTHON) scripts/build_and_test.sh sdist build/release-sdist
	@echo "Commit the changes, tag the commit v$(VERSION) and push the tag: it starts the Release workflow."

release-dry-run: $(VENV)/developing ## Build and check the packages of a release, without publishing anything
	$(UV) $(BIN)/python $(HASHED) --group release
	PYTHON=$(PYTHON) scripts/check_release.sh build/release

clean: ## Remove everything that was built
	rm -rf $(VENV) build dist site .coverage .benchmarks .mypy_cache .pytest_cache .ruff_cache \
	  .hypothesis .import_linter_cache .cache

$(VENV)/created: requirements-installers.txt
	@echo "Creating $(VENV) with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) --require-hashes --requirement requirements-installers.txt
	@touch $@

# A folder has no hash, so the package is installed alone, and its dependencies separately.
# Its build tools stay in $(VENV), so CMake recompiles only changed files.
$(VENV)/installed: $(VENV)/created $(NATIVE)
	@echo "Building berryeval and installing it into $(VENV)"
	@$(PIP) $(HASHED) nanobind scikit-build-core
	@PYTHONPATH=scripts/building $(BIN)/python -c 'import berryeval_build as build; \
	  print(*build.get_requires_for_build_editable(), sep="\n")' > $(VENV)/building.txt
	@$(PIP) $(HASHED) --requirement $(VENV)/building.txt
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(PIP) --no-deps --no-build-isolation --editable .
	@$(UV) $(BIN)/python $(HASHED) --requirement pyproject.toml --extra charts --extra search --extra service
	@$(BIN)/python -m compileall -qq src
	@$(BIN)/berryeval version | sed -n 2p
	@touch $@

$(VENV)/developing: $(VENV)/installed
	@echo "Installing the tools for development into $(VENV)"
	@$(UV) $(BIN)/python $(HASHED) --group dev
	@scripts/install_browser.sh
	@touch $@

# Separate from the tools, since other libraries would change their versions.
$(PEERS)/installed: pyproject.toml | $(VENV)/created
	@echo "Installing other libraries to compare with into $(PEERS)"
	@$(PYTHON) -m venv --clear --without-pip $(PEERS)
	@$(UV) $(PEERS)/bin/python --group peers
	@touch $@

# Separate from the tools, too: these are 130 packages, some of which require older versions.
# They are copied instead of linked, since nltk rejects files with several hard links.
$(FRAMEWORKS)/installed: requirements-frameworks.txt | $(VENV)/created
	@echo "Installing RAG frameworks into $(FRAMEWORKS)"
	@$(PYTHON) -m venv --clear --without-pip $(FRAMEWORKS)
	@$(UV) $(FRAMEWORKS)/bin/python --link-mode copy --no-deps --require-hashes --requirement requirements-frameworks.txt
	@touch $@

# Spark takes 490 MB, and requires an older pandas. Its workers write into its own folder.
$(SPARK)/installed: requirements-spark.txt | $(VENV)/installed
	@echo "Installing Spark into $(SPARK)"
	@$(PYTHON) -m venv --clear --without-pip $(SPARK)
	@$(UV) $(SPARK)/bin/python --no-deps --require-hashes --requirement requirements-spark.txt
	@cp $(VENV)/lib/python*/site-packages/_editable_skbc_berryeval.p* $(SPARK)/lib/python*/site-packages/
	@ln -sfn $(CURDIR)/$(VENV)/lib/python*/site-packages/berryeval $(SPARK)/lib/python*/site-packages/
	@touch $@

# As users install it: in $(VENV), hooks of the tools slow down each start of Python.
$(FRESH)/installed: $(NATIVE) $(shell find src -name '*.py') | $(VENV)/created
	@echo "Installing berryeval into $(FRESH)"
	@$(PYTHON) -m venv --clear --without-pip $(FRESH)
	@PIP_PYTHON=$(FRESH)/bin/python $(PIP) --no-deps --build-constraint constraints.txt .
	@PIP_PYTHON=$(FRESH)/bin/python $(PIP) $(HASHED) 'berryeval[frames,gzip]' polars
	@touch $@
