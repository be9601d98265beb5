# The front door. Each target installs what it needs (Debian's packages), builds with Meson and
# ninja into build/, and leaves the command at build/qkv.
#
#   make            build                      make bench        time the kernels
#   make demo       see it work                make conformance  run ONNX's own test cases
#   make test       run every test             make install PREFIX=/usr/local
#   make test-unit  run the quick ones         make format, make clean, make fuzz

PREFIX ?= /usr/local
PYTHON ?= /usr/bin/python3
BUILD  := build

BUILD_PACKAGES := gcc meson ninja-build pkg-config libjansson-dev
TEST_PACKAGES  := $(BUILD_PACKAGES) g++ clang libcmocka-dev python3 python3-numpy

.PHONY: all demo test test-unit bench conformance fuzz install format clean packages test-packages

all: packages
	@$(call configure,$(BUILD))
	@ninja -C $(BUILD) --quiet
	@echo "built $(BUILD)/qkv; try: make demo"

# Meson keeps a configured folder up to date by itself; tests join in once cmocka is there.
configure = test -f $(1)/build.ninja || meson setup $(1) $(2) > $(1).log 2>&1 || \
	{ cat $(1).log; rm -rf $(1) $(1).log; exit 1; }; rm -f $(1).log

packages:
	@scripts/need-packages $(BUILD_PACKAGES)

test-packages:
	@scripts/need-packages $(TEST_PACKAGES)

demo: all
	@sh examples/demo.sh $(BUILD)/qkv

# Three builds: the one that is installed; one under the sanitizers; one by clang. In the latter
# two, and for gcc in the first of them, a warning is an error.
test: test-packages
	@$(call configure,$(BUILD))
	@meson configure $(BUILD) -Dtests=enabled
	@$(call configure,$(BUILD)-sanitize,-Dtests=enabled -Dwerror=true -Dbuildtype=debugoptimized \
		-Db_sanitize=address$(comma)undefined -Db_ndebug=false)
	@CC=clang $(call configure,$(BUILD)-clang,-Dtests=enabled -Dwerror=true)
	@$(PYTHON) scripts/run_tests.py $(BUILD) $(BUILD)-sanitize:quick $(BUILD)-clang:quick

comma := ,

test-unit: test-packages
	@$(call configure,$(BUILD))
	@meson configure $(BUILD) -Dtests=enabled
	@$(PYTHON) scripts/run_tests.py $(BUILD):quick

bench: all
	@ninja -C $(BUILD) --quiet bench/bench_attention
	@$(BUILD)/bench/bench_attention

conformance: all
	@scripts/need-packages python3 python3-venv
	@$(PYTHON) scripts/conformance.py $(BUILD)

fuzz: test-packages
	@scripts/need-packages libclang-rt-14-dev
	@scripts/fuzz $(BUILD)-fuzz

install: all
	@meson configure $(BUILD) -Dprefix=$(PREFIX)
	@meson install -C $(BUILD) --quiet
	@echo "installed under $(PREFIX)"

format:
	@scripts/need-packages clang-format
	@git ls-files '*.c' '*.h' | xargs clang-format -i

clean:
	@rm -rf $(BUILD) $(BUILD)-sanitize $(BUILD)-clang $(BUILD)-fuzz
