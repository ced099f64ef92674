"""Benchmarks: Treadle beside its peers, measured in one run, printed as one table."""
