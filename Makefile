# Everything sets itself up from a bare clone with only Python and make.
PYTHON ?= python3
BIN := .venv/bin
SCENES ?= 12

.PHONY: demo test lint soak bench system peers install clean

demo: .venv/demo.stamp  ## simulate 12 scenes, build, diagnose the controls, report
	@rm -rf demo && mkdir demo
	$(BIN)/probe4d simulate demo/scenes --scenes $(SCENES) --seed 1 --no-cameras
	$(BIN)/probe4d build lidar-hallu demo/scenes --out demo/benchmark --per-family 200
	$(BIN)/probe4d check demo/benchmark demo/scenes
	$(BIN)/probe4d diagnose demo/benchmark --data demo/scenes --out demo/report

test: .venv/dev.stamp peers  ## all tests but the soak
	@command -v chromium >/dev/null && command -v chromedriver >/dev/null || \
	  echo "make test: chromium or chromium-driver is missing, so the browser tests will be skipped; run 'make system'"
	$(BIN)/pytest -n 2 --dist loadfile -m "not soak" $(PYTEST)

soak: .venv/dev.stamp peers  ## the long tests
	$(BIN)/pytest -m soak $(PYTEST)

lint: .venv/dev.stamp  ## ruff, mypy --strict, the layers of the design
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: .venv/dev.stamp peers  ## comparisons with peers, printed as ratios
	$(BIN)/python -m pytest bench -s --benchmark-disable-gc $(PYTEST)

system:  ## Debian packages for the browser tests
	@command -v chromium >/dev/null && command -v chromedriver >/dev/null || \
	  (apt-get update -qq && apt-get install -y -qq chromium chromium-driver)

install: .venv/dev.stamp

peers: .venv-peers/stamp  ## nuscenes-devkit (numpy 1) in an environment of its own

.venv/demo.stamp: pyproject.toml constraints.txt
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --constraint constraints.txt --editable .
	@touch $@

.venv/dev.stamp: pyproject.toml constraints.txt
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[dev]'
	@touch $@ .venv/demo.stamp

.venv-peers/stamp: constraints-peers.txt
	@test -x .venv-peers/bin/python || $(PYTHON) -m venv .venv-peers
	.venv-peers/bin/pip install --quiet --requirement constraints-peers.txt
	@touch $@

clean:
	rm -rf .venv .venv-peers demo dist build .pytest_cache .mypy_cache .ruff_cache
