"""Speed and correctness of cribev beside other programs: ``python -m benchmarks``."""
