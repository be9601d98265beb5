# The front door. Each target installs what it needs (Debian's packages), builds with Meson and
# ninja into build/, and leaves the command at build/qkv.
#
#   make            build                      make bench        time the kernels
#   make demo       see it work                make conformance  run ONNX's own test cases
#   make test       run tests of every kind    make install PREFIX=/usr/local
#   make test-unit  run the library's          make format, make clean, make fuzz
#   make uninstall  undo make install          make deb          build Debian packages
#   make dist       the files of a release: source, page and wheel, in build/dist
#   make test-arm   run the operator's tests, built for 64-bit ARM, under qemu
#   make python     build the Python package   make test-python  test it in a fresh environment
#   make wheel      build wheels for any Linux: the operator's, and one with the checker (PyPI)
#   make check-wheel   install the operator's on a bare Debian 12 in a chroot, and run it (needs root)
#   make test-models   test it in transformers' models, in JAX and on PyTorch's samples (PyPI)
#   make page       build the page, one HTML file   make test-page   test it in a browser
#   make pictures   redraw the pictures of the documents
#   make heads      export the page's real heads anew (PyPI)
#   make check-faults     faults made on purpose: check-allocations, check-files, check-output
#   make check-msan, check-tsan, check-valgrind, check-old-cpu, check-load, check-static, coverage
#   make fuzz-long        fuzz on from where it stopped
#   make check      all tests, in five builds and a browser, fuzzing, and check-bare
#   make check-bare the targets above on a bare Debian 12 (needs root); BARE="make demo" for some
#                   targets, BARE_FRESH=1 to start each anew
#   make test-mpi   test libqkv_mpi and qkv-mpi on 1 to 4 ranks
#   make test-gpu   test libqkv_cuda on a GPU  make bench-gpu    time it beside PyTorch's attention
#   make check-gpu  small calls of it under CUDA's memory checker and race checker
#   make bench-peer get PyTorch, to compare    make bench-record NAME=machine

PREFIX ?= /usr/local
PYTHON ?= /usr/bin/python3
BUILD  := build

# Where libraries go under the prefix. On Debian that is a folder per architecture, which the compiler
# knows. Meson knows it only if dpkg-dev is installed, and otherwise takes lib64, where Debian's loader
# does not look. Elsewhere the compiler says nothing, and Meson chooses.
LIBDIR ?=
libdir = $(if $(LIBDIR),-Dlibdir=$(LIBDIR),$$(name=$$(gcc -print-multiarch 2>/dev/null); \
	test -z "$$name" || echo "-Dlibdir=lib/$$name"))

# scripts/packages.txt says what each package is called on other systems.
BUILD_PACKAGES := gcc libc6-dev meson ninja-build pkg-config libflint-dev libflint-arb-dev \
	libgmp-dev libmd4c-dev coinor-libclp-dev liblapacke-dev libopenblas-dev \
	librsvg2-dev libcairo2-dev
TEST_PACKAGES  := $(BUILD_PACKAGES) g++ clang libcmocka-dev python3 python3-numpy python3-mpmath \
	python3-dev python3-mesonpy python3-pip python3-venv man-db nodejs
PYTHON_PACKAGES := $(BUILD_PACKAGES) python3 python3-dev python3-mesonpy python3-pip python3-venv
ARM_PACKAGES   := meson ninja-build pkg-config python3 gcc-aarch64-linux-gnu libc6-dev-arm64-cross \
	qemu-user
PAGE_PACKAGES  := meson ninja-build pkg-config python3 clang lld llvm wasi-libc \
	libclang-rt-14-dev-wasm32 binaryen make gcc libc6-dev xz-utils
SANITIZE_PACKAGES := clang lld libclang-rt-14-dev
FUZZ_PACKAGES  := clang libclang-rt-14-dev
VALGRIND_PACKAGES := valgrind
OLD_CPU_PACKAGES := qemu-user
STATIC_PACKAGES := clang-tidy cppcheck
MPI_PACKAGES   := openmpi-bin libopenmpi-dev iproute2 python3-numpy
# Selenium talks to the browser by the name localhost, which a bare system does not know: netbase
# writes /etc/hosts.
BROWSER_PACKAGES := python3 python3-numpy python3-selenium chromium chromium-driver netbase

# No library but libc and what the tests need.
MINIMAL := -Dauto_features=disabled -Dtests=enabled -Dwerror=true

.PHONY: all demo test python wheel test-python test-models test-mpi bench-mpi test-gpu check-gpu bench-gpu page test-page pictures heads test-unit test-arm \
	bench bench-peer bench-record conformance fuzz install uninstall deb dist format clean packages test-packages check \
	check-bare check-faults check-allocations check-files check-output \
	check-msan check-tsan check-valgrind check-old-cpu check-load check-static check-wheel coverage fuzz-long

all: packages
	@$(call configure,$(BUILD),$(libdir))
	@$(call build)
	@echo "built $(BUILD)/qkv and the library in $(BUILD)/src; try: make demo"

# quietly COMMAND: what it prints is shown only if it fails.
quietly = output=$$($(1) 2>&1) || { printf '%s\n' "$$output" >&2; exit 1; }

# configure FOLDER [OPTIONS [COMPILER]]: sets a folder up, or brings it up to date with meson.build.
configure = if test -f $(1)/build.ninja; then $(call quietly,ninja -C $(1) build.ninja); else \
	echo "configuring $(1)"; output=$$($(if $(3),CC=$(3)) meson setup $(1) $(2) 2>&1) || \
	{ printf '%s\n' "$$output" >&2; rm -rf $(1)/build.ninja $(1)/meson-*; exit 1; }; fi

# set FOLDER OPTIONS: changes options of a folder that is set up.
set = $(call quietly,meson configure $(1) $(2) && ninja -C $(1) build.ninja)

# build [TARGET]: shows progress, warnings and errors, and nothing if there is nothing to do.
build = $(PYTHON) scripts/build.py $(BUILD) $(1)

packages:
	@scripts/need-packages $(BUILD_PACKAGES)

test-packages:
	@scripts/need-packages $(TEST_PACKAGES)

demo: all
	@sh examples/demo.sh $(BUILD)/qkv

# Tests of every kind, of long ones a sample, in the build that is installed; and those that matter
# most again, under the sanitizers. tests/meson.build says which.
test: test-packages
	@$(configure_tests)
	@exec 3>&1; set -- $(BUILD):-whole; \
	$(call try,$(BUILD)-sanitize,$(sanitize),--part=$(BUILD)-sanitize:sanitize$(comma)-whole) \
	$(PYTHON) scripts/run_tests.py "$$@" \
		--remark="this was a sample of the longer tests; make check runs them whole, in more builds, and the page's"

# Everything. Five builds: the one that is installed; one under the sanitizers; one by clang; one
# without optional libraries; one for 64-bit ARM, where its compiler, an emulator and libraries are
# there or can be fetched. In the latter four a warning is an error. And the page, where FLINT's
# sources can be fetched, in a browser; the thread and memory sanitizers, valgrind, a CPU without AVX;
# fuzzing, 20 seconds per target; tests of threads under load; and the first targets of a newcomer where
# nothing is installed yet.
check: test-packages
	@$(configure_tests)
	@$(call configure,$(BUILD)-clang,-Dtests=enabled -Dwerror=true -Dcuda=disabled,clang)
	@$(call configure,$(BUILD)-minimal,$(MINIMAL))
	@exec 3>&1; set -- $(BUILD):-sample $(BUILD)-clang:$(again) $(BUILD)-minimal:$(again); \
	$(call try,$(BUILD)-sanitize,$(sanitize),$(BUILD)-sanitize:$(again)) \
	$(call try,$(BUILD)-arm,$(arm),$(BUILD)-arm:operator$(comma)-whole) \
	$(call try,the page,$(page_folder) && scripts/need-packages $(BROWSER_PACKAGES),$(BUILD)-wasm) \
	$(call try,$(BUILD)-tsan,$(tsan),--part=$(BUILD)-tsan:threads$(comma)-whole) \
	$(call try,check-msan,scripts/need-packages $(SANITIZE_PACKAGES),$(call then,msan)) \
	$(call try,check-valgrind,scripts/need-packages $(VALGRIND_PACKAGES),$(call then,valgrind)) \
	$(call try,check-old-cpu,scripts/need-packages $(OLD_CPU_PACKAGES),$(call then,old-cpu)) \
	$(call try,fuzzing,scripts/need-packages $(FUZZ_PACKAGES),--then=fuzzing=scripts/fuzz\ $(BUILD)-fuzz\ 20) \
	$(PYTHON) scripts/run_tests.py "$$@" $(call then,load LOAD_RUNS=40) \
		--then="check-bare=$(PYTHON) scripts/check_bare.py --brief"

# then NAME: has run_tests.py run the target check-NAME when the tests are done.
then = "--then=$(firstword $(1))=$(MAKE) --no-print-directory check-$(1)"
comma := ,
again := -sample$(comma)-once

# Tests join the build that is installed once cmocka is there.
configure_tests = $(call configure,$(BUILD),$(libdir)); $(call set,$(BUILD),-Dtests=enabled -Dpython=enabled)

# try NAME,COMMAND,WORD: adds a word for run_tests.py if a command succeeds, and else what is left
# out, with the reason: the last line of its standard error. Its output goes to descriptor 3.
try = if output=$$( { $(2); } 2>&1 >&3); then set -- "$$@" $(3); \
	else set -- "$$@" "--left-out=$(1): $$(printf '%s\n' "$$output" | tail -n 1)"; fi;

# sanitize: sets the folder for the sanitizers up. clang compiles with their checks in a third of gcc's
# time, if it need not optimise; and lld links in a fifth of the other's.
sanitize = scripts/need-packages $(SANITIZE_PACKAGES) && \
	{ $(call configure,$(BUILD)-sanitize,-Dtests=enabled -Dwerror=true -Dcuda=disabled -Dbuildtype=plain \
		-Doptimization=0 -Db_sanitize=address$(comma)undefined -Db_lundef=false \
		-Dc_args='-gline-tables-only -fno-sanitize-recover=undefined',clang CC_LD=lld); }

# Faults, made on purpose; tests/faults has them.
check-faults: test-packages
	@$(configure_tests)
	@scripts/need-packages $(BROWSER_PACKAGES) || true # without a browser its part is left out, and named
	@$(PYTHON) scripts/run_tests.py $(BUILD):faults$(comma)-sample

check-allocations: test-packages
	@$(configure_tests)
	@$(PYTHON) scripts/run_tests.py $(BUILD):allocations$(comma)-sample

check-files: test-packages
	@$(configure_tests)
	@$(PYTHON) scripts/run_tests.py $(BUILD):files$(comma)-sample

check-output: test-packages
	@$(configure_tests)
	@scripts/need-packages $(BROWSER_PACKAGES)
	@$(PYTHON) scripts/run_tests.py $(BUILD):output

# Two more sanitizers: for numbers that were never set, in all that reads text and files; and for
# threads that race. Those for addresses and undefined behaviour have a build of their own above.
check-msan:
	@$(call needs,$(SANITIZE_PACKAGES))
	@scripts/check_msan $(BUILD)-msan

check-tsan: test-packages
	@$(tsan)
	@$(PYTHON) scripts/run_tests.py --part=$(BUILD)-tsan:threads$(comma)-whole

tsan = $(call needs,$(SANITIZE_PACKAGES)) && \
	{ $(call configure,$(BUILD)-tsan,-Dtests=enabled -Dcuda=disabled -Dbuildtype=plain -Doptimization=1 \
		-Db_sanitize=thread -Db_lundef=false -Dc_args=-gline-tables-only,clang CC_LD=lld); }

# valgrind knows no AVX-512.
check-valgrind: test-packages
	@$(call needs,$(VALGRIND_PACKAGES))
	@$(configure_tests)
	@QKV_CPU=avx2 QKV_TEST_WRAPPER="valgrind -q --error-exitcode=9 --leak-check=full" \
		$(PYTHON) scripts/run_tests.py $(BUILD):parsers$(comma)-whole

# A CPU without AVX, emulated: an instruction that it has not ends a test.
check-old-cpu: test-packages
	@$(call needs,$(OLD_CPU_PACKAGES))
	@$(call configure,$(BUILD)-old,$(MINIMAL) -Demulated=true)
	@QKV_TEST_WRAPPER="qemu-x86_64 -cpu Nehalem" \
		$(PYTHON) scripts/run_tests.py $(BUILD)-old:operator$(comma)-whole$(comma)-once

# The tests of threads, many times, beside twice as many busy processes as there are processors.
LOAD_RUNS ?= 200
check-load: test-packages
	@$(configure_tests)
	@$(call build,tests/test_threads tests/test_promises)
	@$(PYTHON) scripts/check_load.py $(LOAD_RUNS) $(BUILD)/tests/test_threads $(BUILD)/tests/test_promises

# Static analysis: gcc -fanalyzer, clang-tidy and cppcheck find nothing.
check-static: test-packages
	@$(call needs,$(STATIC_PACKAGES))
	@$(configure_tests)
	@$(PYTHON) scripts/check_static.py $(BUILD)

# Branches taken by the tests in the parsers and in what verdicts rest on, and a list of the gaps.
coverage: test-packages
	@$(call configure,$(BUILD)-coverage,-Dtests=enabled -Dcuda=disabled -Dpython=disabled -Dbuildtype=plain \
		-Doptimization=0 -Db_coverage=true -Db_ndebug=true)
	@find $(BUILD)-coverage -name '*.gcda' -delete
	@GCOV_ERROR_FILE=/dev/null $(PYTHON) scripts/run_tests.py $(BUILD)-coverage:$(covered)$(comma)-whole
	@$(PYTHON) scripts/coverage.py $(BUILD)-coverage

# Without tests that make calls of the system fail: the counters could not be written.
covered := io$(comma)grade$(comma)language$(comma)exact$(comma)ball$(comma)replay$(comma)claim$(comma)claims$(comma)fuzz$(comma)memory$(comma)cli

# needs PACKAGES: 77, "could not run", with the reason, where they cannot be had.
needs = scripts/need-packages $(1) || exit 77

# Fuzzing, added to what was done before, until every target has had 10 million inputs; FUZZ_SECONDS
# ends it earlier.
fuzz-long: test-packages
	@scripts/need-packages $(FUZZ_PACKAGES)
	@$(PYTHON) scripts/fuzz_long.py $(BUILD)-fuzz 10000000 $(FUZZ_SECONDS)

test-unit: test-packages
	@$(configure_tests)
	@$(PYTHON) scripts/run_tests.py $(BUILD):unit$(comma)-whole

# arm: sets the folder for 64-bit ARM up.
arm = scripts/need-packages $(ARM_PACKAGES) && \
	scripts/cross/sysroot $(BUILD)-arm arm64 libcmocka-dev libcmocka0 && \
	{ $(call configure,$(BUILD)-arm,$(MINIMAL) --cross-file $(BUILD)-arm/sysroot.ini \
		--cross-file scripts/cross/aarch64-linux-gnu.ini); }

# page_folder: sets the folder for the page up. FLINT for WebAssembly is made of Debian's sources,
# once: that takes some minutes.
page_folder = scripts/need-packages $(PAGE_PACKAGES) && scripts/cross/flint.py $(BUILD)-wasm/flint && \
	{ $(call configure,$(BUILD)-wasm,--cross-file $(BUILD)-wasm/flint.ini \
		--cross-file scripts/cross/wasm32-wasi.ini -Dauto_features=disabled -Dbuildtype=minsize \
		-Dc_args=-Oz -Dwerror=true); }

# page: brings the page up to date.
page = $(page_folder) && $(PYTHON) scripts/build.py $(BUILD)-wasm && mkdir -p $(BUILD) && \
	cp $(BUILD)-wasm/web/qkv.html $(BUILD)/qkv.html

page:
	@$(page)
	@echo "built $(BUILD)/qkv.html: open it in a browser"

test-page: all
	@$(page)
	@scripts/need-packages $(BROWSER_PACKAGES)
	@$(PYTHON) scripts/run_tests.py $(BUILD)-wasm

test-arm:
	@$(arm)
	@$(PYTHON) scripts/run_tests.py $(BUILD)-arm:operator$(comma)-whole

python: all
	@scripts/need-packages $(PYTHON_PACKAGES)
	@wheel=$$($(PYTHON) scripts/python_wheel.py $(BUILD)) && \
	echo "built $$wheel; try: pip install $$wheel"

# auditwheel, which looks for what a wheel takes from the system, and puts it in, comes from PyPI.
wheel: all
	@scripts/need-packages $(PYTHON_PACKAGES)
	@$(PYTHON) scripts/portable_wheels.py $(BUILD)

# The operator's wheel on a minimal Debian 12 in a chroot, without development packages. Needs root.
check-wheel: wheel
	@$(PYTHON) scripts/check_wheel.py $(BUILD)

test-python: test-packages
	@$(configure_tests)
	@$(PYTHON) scripts/run_tests.py $(BUILD):python

# The package inside other people's, which come from PyPI: several gigabytes.
test-models: all
	@scripts/need-packages $(PYTHON_PACKAGES)
	@$(PYTHON) scripts/test_models.py $(BUILD) $(MODELS)

pictures: all
	@$(PYTHON) scripts/pictures.py --write $(BUILD)/qkv docs/pictures

# What the page shows of a real model is in the repository; this makes it again.
heads: all
	@scripts/need-packages python3 python3-numpy python3-pip
	@$(PYTHON) scripts/heads.py $(BUILD)

# The peer is PyTorch, if this Python has it: QKV_BENCH_PYTHON, or the one that bench-peer makes, or
# $(PYTHON). BENCH holds options for bench_attention.
bench: all
	@$(call build,bench/bench_attention bench/bench_sample)
	@rm -f $(BUILD)/bench.json
	@$(bench_python) $(BUILD)/bench/bench_attention --peer bench --json $(BUILD)/bench.json $(BENCH)
	@$(bench_python) $(BUILD)/bench/bench_sample bench $(BUILD)/bench.json
	@scripts/need-packages $(PYTHON_PACKAGES) python3-numpy
	@$(PYTHON) scripts/python_wheel.py $(BUILD) --into $(BUILD)/package >/dev/null
	@$(bench_python) sh -c '"$$QKV_BENCH_PYTHON" bench/python_overhead.py $(BUILD)/package $(BUILD)/bench.json'

bench_python = QKV_BENCH_PYTHON=$(firstword $(QKV_BENCH_PYTHON) \
	$(wildcard $(BUILD)/peer/bin/python) $(PYTHON))

# Attention and sampling over MPI, on this machine. The network of namespaces needs root; without it
# that part is left out, and named.
test-mpi: test-packages
	@$(mpi_build)
	@$(call build,qkv qkv-mpi tests/mpi_attention examples/example_many_ranks)
	@$(PYTHON) tests/mpi/run.py $(BUILD) $(MPI_TESTS)

# Efficiency, beside one process with as many threads, and the plan's predictions.
bench-mpi: all
	@$(mpi_build)
	@$(call build,qkv-mpi bench/bench_mpi)
	@$(PYTHON) bench/mpi.py $(BUILD) $(BENCH)

mpi_build = scripts/need-packages $(MPI_PACKAGES) && { $(call configure,$(BUILD),$(libdir)); } && \
	{ $(call set,$(BUILD),-Dtests=enabled -Dmpi=enabled); }

# Both need nvcc for the library, and a GPU and a Python with PyTorch (see bench) to run.
test-gpu: all
	@$(gpu_library)
	@$(bench_python) sh -c 'for test in run package; do \
		"$$QKV_BENCH_PYTHON" tests/gpu/$$test.py $(BUILD)/src/attention/cuda/libqkv_cuda.so || exit 1; done'

# The race checker reports one pattern of the gradient that is no race (docs/reference/gpu.md): its
# calls are left to the memory checker.
check-gpu: all
	@$(gpu_library)
	@command -v compute-sanitizer >/dev/null || { echo "compute-sanitizer, of the CUDA toolkit, was not found"; exit 1; }
	@$(bench_python) sh -c 'check() { tool=$$1; shift; compute-sanitizer --tool $$tool --kernel-regex kns=qkv --error-exitcode 1 \
		"$$QKV_BENCH_PYTHON" tests/gpu/checked.py $(BUILD)/src/attention/cuda/libqkv_cuda.so "$$@"; }; \
		check memcheck && check racecheck forward decode others'

bench-gpu: all
	@$(gpu_library)
	@$(bench_python) sh -c '"$$QKV_BENCH_PYTHON" bench/gpu.py $(BUILD)/src/attention/cuda/libqkv_cuda.so \
		--json $(BUILD)/bench-gpu.json'

gpu_library = test -f $(BUILD)/src/attention/cuda/libqkv_cuda.so || \
	{ echo "libqkv_cuda was not built: nvcc of CUDA 12.4 or later was not found"; exit 1; }

bench-peer:
	@scripts/need-packages python3 python3-venv
	@test -x $(BUILD)/peer/bin/python || $(PYTHON) -m venv $(BUILD)/peer
	@$(BUILD)/peer/bin/python -m pip install --disable-pip-version-check torch numpy

bench-record: all
	@$(call build,bench/bench_attention)
	@$(bench_python) $(PYTHON) bench/record.py $(BUILD) $(NAME) $(if $(NOTE),'$(NOTE)')

conformance: all
	@scripts/need-packages $(PYTHON_PACKAGES)
	@$(PYTHON) scripts/conformance.py $(BUILD)

fuzz: test-packages
	@scripts/need-packages $(FUZZ_PACKAGES)
	@scripts/fuzz $(BUILD)-fuzz

# The loader finds a library in /usr/local by a cache, which only root can bring up to date.
install: all
	@$(call set,$(BUILD),-Dprefix=$(abspath $(PREFIX)) $(libdir))
	@$(call build)
	@meson install -C $(BUILD) --no-rebuild --quiet
	@test "$$(id -u)" -ne 0 || test -n "$$DESTDIR" || PATH=$$PATH:/usr/sbin:/sbin ldconfig || true
	@echo "installed under $(abspath $(PREFIX))"

# What the last make install put there; ninja remembers it.
uninstall:
	@test -f $(BUILD)/meson-logs/install-log.txt || { echo "nothing was installed from $(BUILD)"; exit 1; }
	@$(call quietly,ninja -C $(BUILD) uninstall)
	@echo "removed what make install had put under $(abspath $(PREFIX))"

# libqkv0, libqkv-dev, and qkv with the command and the checker, into $(BUILD)/dist.
deb: all
	@scripts/need-packages $(BUILD_PACKAGES) dpkg-dev python3
	@$(PYTHON) scripts/debian_packages.py $(BUILD)

# The files of a release, into $(BUILD)/dist: the source of the last commit, the page, which needs
# nothing but a browser, and the wheel.
dist: page python
	@scripts/need-packages git gzip
	@mkdir -p $(BUILD)/dist && cp $(BUILD)/qkv.html $(BUILD)/dist/qkv.html
	@git archive --format=tar.gz --prefix=qkv-$(version)/ -o $(BUILD)/dist/qkv-$(version).tar.gz HEAD
	@echo "built in $(BUILD)/dist:"; ls $(BUILD)/dist

version = $(shell sed -n "s/^  version: '\(.*\)',/\1/p" meson.build | head -n 1)

check-bare:
	@$(PYTHON) scripts/check_bare.py $(if $(BARE_FRESH),--fresh) $(BARE)

format:
	@scripts/need-packages git clang-format
	@git ls-files '*.c' '*.h' | xargs clang-format -i

clean:
	@rm -rf $(BUILD) $(BUILD)-sanitize $(BUILD)-clang $(BUILD)-minimal $(BUILD)-arm $(BUILD)-wasm $(BUILD)-fuzz $(BUILD)-bare \
		$(BUILD)-msan $(BUILD)-tsan $(BUILD)-old $(BUILD)-coverage
