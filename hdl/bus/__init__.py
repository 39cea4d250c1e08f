"""The bus side of the engines: AXI4 signatures, and the readers, writers and arbiters between them and the
engines."""
