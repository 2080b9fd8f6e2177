# Every rule is one script: read it to see what a rule does, or run it by hand.

PREFIX ?= ~/.local

.DEFAULT_GOAL := help
.PHONY: help run serve studio test build install lint format docs bench bench-check fuzz mutations check-deep models doctor clean

help: ## list these rules
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## install what is missing, build, and classify a sample picture
	@Scripts/run

serve: ## install what is missing, build, and serve the example bundles
	@Scripts/serve

studio: ## the same, with a page in the browser on which the examples are tried
	@Scripts/studio

test: ## install what is missing, build, and run all tests
	@Scripts/test

build: ## build the executables into .build/release
	@Scripts/build

install: build ## put tensorio below PREFIX (make install PREFIX=~/.local)
	@Scripts/install '$(PREFIX)'

lint: ## check format, imports and forbidden words
	@Scripts/lint

format: ## format all Swift files in place
	@Scripts/format

docs: ## build the documentation of the public libraries into .build/docs
	@Scripts/docs

bench: ## measure, side by side with the peers
	@Scripts/bench

fuzz: ## give every reader of outside input a minute of bytes that are made up
	@Scripts/fuzz

check-deep: ## sanitizers, leaks, faults of the disk, coverage; takes hours
	@Scripts/check-deep

mutations: ## take every limit and refusal away in turn, and see that the tests notice
	@Scripts/mutations

bench-check: ## count instructions, and fail where a job takes more than is committed
	@Scripts/bench-check

models: ## train the example bundles again
	@Models/train-all

doctor: build ## say what is missing on this machine, and how to get it
	@.build/release/tensorio doctor

clean: ## remove what the other rules built
	rm -rf .build .build-* Benchmarks/.build Tests/PackageConsumer/.build
