"""How fast and how right, beside others: ``python -m benchmarks``."""
