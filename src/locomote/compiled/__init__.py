"""Kernels specialised to one model: straight-line vector code from a trace, through LLVM."""
