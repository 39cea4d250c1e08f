"""Drivers, host and golden engines: what a run should do, cycle by cycle (no amaranth, no cocotb)."""
