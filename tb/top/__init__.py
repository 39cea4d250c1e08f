"""SystemVerilog blocks around an engine (memory, register manager, wire, PHY) and what joins them."""
