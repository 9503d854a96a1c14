"""Kernels made for one model: straight-line vector code from a trace, through LLVM.

Takes  a model or a problem, whose kernels run on symbols once (`symbolic.trace`).
Gives  machine code that public functions take for batches (`compile`), rollouts by it (`rollout`), C source (`c_code`).
"""
