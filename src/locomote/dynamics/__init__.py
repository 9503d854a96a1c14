"""Public functions of models: checks, single calls, batches, bodies that bend.

Takes  Model and states of any batch shape.
Gives  what the kernels compute, as arrays of that shape; kinematics of arms; base parameters.
"""
