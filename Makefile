# Every rule runs one script, which can also be run directly.

PREFIX ?= ~/.local

.DEFAULT_GOAL := help
.PHONY: help run serve studio test build install lint format docs bench bench-check fuzz mutations check-deep check-clients check-server check-attacks check-container wheel python-test models doctor clean check-python check-wheel check-engines check-metadata check-gpu check-arm64 check-typed dist check-dist check-site

help: ## list these rules
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## install what is missing, build, classify a sample image
	@Scripts/run

serve: ## install what is missing, build, serve the example bundles
	@Scripts/serve

studio: ## the same, then serve the examples on a page in the browser
	@Scripts/studio

test: ## install what is missing, build, and run all tests
	@Scripts/test

build: ## build the executables into .build/release
	@Scripts/build

install: build ## install tensorio under PREFIX (make install PREFIX=~/.local)
	@Scripts/install '$(PREFIX)'

lint: ## check format, JavaScript, imports, source rules, links and language
	@Scripts/lint

format: ## format Swift and JavaScript in place
	@Scripts/format

docs: ## build the documentation of the public libraries into .build/docs
	@Scripts/docs

check-site: docs ## nightly: the documentation in a browser, with every link
	@Scripts/check-site

bench: ## measure in comparison with other programs
	@Scripts/bench

check-server: build ## nightly: hanging, changing and killed models of a server under load
	@Scripts/hanging-models
	@Scripts/many-sessions
	@Scripts/model-changes
	@Scripts/many-requests

check-attacks: build ## nightly, as root: attack a server with little memory by what a hostile client can send
	@Scripts/check-attacks

check-container: ## nightly: build the container image and run it with the manifests for Kubernetes and KServe
	@Scripts/check-container

dist: ## build a release into .build/dist: an archive and a Debian package
	@Scripts/dist

wheel: ## build the Python wheel into .build/wheel/dist
	@Scripts/wheel

python-test: ## build the wheel, install it in a new environment, run its tests
	@Scripts/python-test

check-python: wheel ## nightly: the wheel with MLflow, pandas, joblib, gunicorn and notebooks
	@Scripts/check-python

check-wheel: wheel ## nightly: the wheel in bare Debian systems of several Pythons
	@Scripts/check-wheel

check-metadata: build ## nightly: calibrated scores of packed models against the Task Library
	@Scripts/check-metadata

check-engines: ## nightly: a million rows on Ray, Spark and Dask with killed workers, federated training
	@Scripts/check-engines

fuzz: ## fuzz every parser of untrusted input for a minute
	@Scripts/fuzz

check-clients: build ## published clients of the inference protocols (Triton, KServe, MLflow, …)
	@Scripts/check-clients

check-gpu: build ## nightly, on a machine with a graphics processor: models on it, compared with the processor
	@Scripts/check-gpu

check-arm64: ## nightly: build for Linux on arm64, test under emulation (an hour)
	@Scripts/check-arm64

check-typed: ## nightly: make packages with the build plugin, build and run them
	@Scripts/check-typed-package

check-dist: ## nightly: build the release twice, install and run it in a Debian root
	@Scripts/check-dist

check-deep: ## nightly: sanitizers, leaks, disk errors, coverage (hours)
	@Scripts/check-deep

mutations: ## remove each check in turn and verify that a test fails
	@Scripts/mutations

bench-check: ## compare instruction counts with the committed ones
	@Scripts/bench-check

models: ## retrain the example bundles
	@Models/train-all

doctor: build ## check the installation
	@.build/release/tensorio doctor

clean: ## remove build products
	rm -rf .build .build-* Benchmarks/.build Tests/Bindings/PackageConsumer/.build
