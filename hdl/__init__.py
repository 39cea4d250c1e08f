"""Synthesizable hardware: building blocks and engines in Amaranth, and the register maps behind them."""
