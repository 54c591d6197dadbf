"""Benchmarks: they print figures and ratios, assert nothing and are no part of any test.

`python -m bench --help` lists them. Corpora are generated, deterministic, and written outside the repository.
"""
