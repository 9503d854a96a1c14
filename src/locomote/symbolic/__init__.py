"""The kernels on symbols: operation counts, equations, derivatives, CasADi functions, C code."""
