# Seckill: build, run and test. `make` lists what there is.

CARGO ?= cargo
SHELL := /bin/sh

.DEFAULT_GOAL := help
.PHONY: help run test check fmt fmt-check lint deps deps-test
# Each target ends in one cargo that uses all cores; two at a time would wait for each other.
.NOTPARALLEL:

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# `exec`, so that Ctrl-C and SIGTERM reach the program itself.
run: deps ## install what is missing, build, and run a demo sale on this machine
	@exec $(CARGO) run --locked --bin seckill -- up --demo

test: deps-test ## install what is missing and run all tests
	$(CARGO) test --locked

check: fmt-check lint test ## what a change must pass

fmt: ## format the code
	$(CARGO) fmt

fmt-check: ## fail when the code is not formatted
	$(CARGO) fmt --check

lint: deps ## clippy, where a warning is an error
	$(CARGO) clippy --locked --all-targets -- -D warnings

deps: ## install the packages that running needs
	@deploy/packages.sh run

deps-test: ## and those that the tests need
	@deploy/packages.sh test
