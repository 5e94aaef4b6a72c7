"""What the product costs, measured; docs/performance.md has the figures.

    python -m bench            all measurements
    python -m bench.bench_core one of them
    python -m bench.soak       races, crowds and the search for a device given twice, in full

The measurements with a control plane use that of the tests, which is the real one.
"""
