"""The machine around the ring: CPUs with their contexts, memory, the DMA API, and the two worlds they live
in."""
