# Every rule runs scripts, which can also be run directly.

PREFIX ?= ~/.local
CHECKS = $(filter-out %.md %/parts,$(wildcard Scripts/check/*))

.DEFAULT_GOAL := help
.PHONY: help run serve studio test build install lint format docs bench bench-check dist wheel python-test nightly models doctor clean

help: ## list these rules, and the checks
	@awk -F ':.*## ' '/^[a-z0-9%-]+:.*## / { sub(/%/, "NAME", $$1); printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@printf '\nmake nightly runs these checks, in this order:\n\n'
	@awk 'FNR == 2 { sub(/^(# |""")Scripts.check./, ""); name = $$1; sub(/:$$/, "", name); sub(/^[^:]*: /, ""); \
	  printf "  make check-%-14s %s\n", name, $$0 }' $(CHECKS)

run: ## install what is missing, build, classify a sample image
	@Scripts/build/run

serve: ## install what is missing, build, serve the example bundles
	@Scripts/build/serve

studio: ## the same, then serve the examples on a page in the browser
	@Scripts/build/studio

test: ## install what is missing, build, and run the tests of what has changed
	@Scripts/test/swift

build: ## build the executables into .build/release
	@Scripts/build/executables

install: build ## install tensorio under PREFIX (make install PREFIX=~/.local)
	@Scripts/build/install '$(PREFIX)'

lint: ## check format, JavaScript, imports, source rules, links and language
	@Scripts/lint/all

format: ## format Swift and JavaScript in place
	@Scripts/lint/swift format
	@Scripts/lint/javascript format

docs: ## build the documentation of the public libraries into .build/docs
	@Scripts/build/docs

bench: ## measure in comparison with other programs
	@Scripts/measure/bench

bench-check: ## compare instruction counts with the committed ones
	@Scripts/measure/instructions

dist: ## build a release into .build/dist: an archive and a Debian package
	@Scripts/release/dist

wheel: ## build the Python wheel into .build/wheel/dist
	@Scripts/build/wheel

python-test: ## build the wheel, install it in a new environment, run its tests
	@Scripts/test/python

nightly: build wheel docs ## run every check below, one after the other, and print a summary
	@Scripts/test/nightly

check-%: ## run one check; the list is below
	@Scripts/check/$*

check-attacks check-clients check-gpu check-large-folder check-metadata check-server check-small: build
check-python check-wheel: wheel
check-site: docs

models: ## retrain the example bundles
	@Models/train-all

doctor: build ## check the installation
	@.build/release/tensorio doctor

clean: ## remove build products
	rm -rf .build .build-* Benchmarks/.build Tests/Bindings/PackageConsumer/.build
