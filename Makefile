# ringbench: `make sim` sets up everything on a fresh machine and runs every scenario; `make help` lists the rest.

PYTHON ?= python3
# Variables that choose what to run; `make help` explains them.
export MAC SCENARIO VARIANT SIM WAVES PCAP FRAMES

VENV  := .venv
# This make's own flags and variables must not reach the make that Verilator calls.
# .venv/bin comes first on PATH: Verilator's makefile calls `python`, which Debian does not have by that name.
# `exec`, here and below: make hands a signal on to its child, and a shell between them would keep it.
CLEAN := exec env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u MAKEOVERRIDES PATH="$(CURDIR)/$(VENV)/bin:$$PATH"
# The CLI ends itself if the make with this number is killed outright.
RUN   := RINGBENCH_MAKE=$$PPID; export RINGBENCH_MAKE; $(CLEAN) $(VENV)/bin/python -m tb.cli

.DEFAULT_GOAL := help
.PHONY: sim test waves report bench lint prove list help clean

$(VENV)/ready: pyproject.toml constraints.txt tb/setup/prepare.py tb/setup/debian.py tb/setup/place.py
	@$(PYTHON) tb/setup/prepare.py

sim: $(VENV)/ready  ## run scenarios and compare with what they expect
	@$(RUN) sim

test: $(VENV)/ready  ## run all tests
	@$(CLEAN) $(VENV)/bin/python -m pytest -n auto $(ARGS)

waves: $(VENV)/ready  ## run one scenario with waves and show them (MAC= SCENARIO= VARIANT=)
	@$(PYTHON) tb/setup/prepare.py --waves
	@$(RUN) waves

report: $(VENV)/ready  ## write build/report/index.html from the results
	@$(RUN) report

bench: $(VENV)/ready  ## measure simulated cycles and golden frames per second
	@$(RUN) bench

lint: $(VENV)/ready  ## check the sources
	@$(VENV)/bin/ruff check .

prove: $(VENV)/ready  ## run the proofs there are
	@if [ -d tests/proofs ]; then $(CLEAN) $(VENV)/bin/python -m pytest tests/proofs $(ARGS); \
	else echo "no proofs in tests/proofs yet; the building blocks are tested by simulation: make test"; fi

list: $(VENV)/ready  ## list MACs, scenarios and variants
	@$(RUN) list

clean:  ## remove everything generated (.venv stays)
	rm -rf build

help:  ## this text
	@echo "make TARGET [VARIABLE=value ...]"
	@sed -n 's/^\([a-z]*\):.*##  *\(.*\)/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 12
	@echo "variables"
	@echo "  MAC         one, or several with commas (all)"
	@echo "  SCENARIO    names with commas, or paths of scenario files (all)"
	@echo "  VARIANT     names with commas (all)"
	@echo "  SIM         verilator, icarus or both (verilator)"
	@echo "  FRAMES      so many frames instead of the scenario's number"
	@echo "  PCAP        a capture to replay instead of the scenario's traffic"
	@echo "  WAVES       1: write waves too"
	@echo "  ARGS        more arguments for pytest, with test and prove"
