"""The parts of the in-memory reference store, one per group of operations; `memory_store` puts them together."""
