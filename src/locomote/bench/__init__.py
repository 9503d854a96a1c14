"""Speed, side by side with other programs; see docs/benchmarks.md for how it is measured."""
