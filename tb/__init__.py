"""What only simulation needs: the simulated top, the host world over cocotb, and how both are run."""
