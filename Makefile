# SPDX-License-Identifier: Apache-2.0
# A thin front for meson: each target installs what it needs (tools/install-packages), then
# works.  "make" alone builds.
BUILD = build
PREFIX = /usr/local

.PHONY: all demo gallery check check-full check-tsan bench faults fuzz install format clean

all: $(BUILD)/build.ninja
	ninja -C $(BUILD)

$(BUILD)/build.ninja:
	@tools/install-packages build
	meson setup $(BUILD) --prefix $(PREFIX) -Dwerror=false -Doptimization=3 -Db_lto=true -Dtests=false

demo:
	@tools/install-packages build demo
	@$(MAKE) --no-print-directory all
	@BUILD=$(BUILD) tools/demo

gallery:
	@tools/install-packages build gallery
	@$(MAKE) --no-print-directory all
	@BUILD=$(BUILD) tools/gallery

check:
	@tools/install-packages build check
	@tools/check

check-full:
	@tools/install-packages build check
	@tools/check full

check-tsan:
	@tools/install-packages build check
	@tools/check tsan

bench:
	@tools/install-packages build bench
	@$(MAKE) --no-print-directory all
	@BUILD=$(BUILD) bench/run

faults:
	@tools/install-packages build check
	@CC=gcc meson setup $$([ -f build-faults-check/build.ninja ] && echo --reconfigure) \
	    build-faults-check -Dtests=true -Dwerror=false >/dev/null
	@ninja -C build-faults-check
	tests/faults/bombs.py build-faults-check/src/cli/weft --size 3000000000
	tests/faults/growth.py build-faults-check/src/cli/weft
	tests/faults/faults.py build-faults-check/src/cli/weft build-faults-check/tests/faults/libfail.so
	WEFT=$(CURDIR)/build-faults-check/src/cli/weft \
	    PROGRAMS=$(CURDIR)/build-faults-check/tests/live tests/live/real.sh

fuzz:
	@tools/install-packages build fuzz
	@tools/fuzz

install:
	@tools/install-packages build
	@$(MAKE) --no-print-directory all
	@meson configure $(BUILD) --prefix $(PREFIX) && ninja -C $(BUILD)
	@sudo=; [ -n "$(DESTDIR)" ] || [ "$$(id -u)" -eq 0 ] || [ -w $(PREFIX) ] || sudo=sudo; \
	    $$sudo meson install -C $(BUILD) --no-rebuild

format:
	clang-format -i $$(git ls-files '*.c' '*.h')

clean:
	rm -rf build build-*-check demo gallery
