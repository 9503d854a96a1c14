# written by packaging/stubs.py from public.py
from locomote.bridges.casadi_bridge import to_casadi as to_casadi
from locomote.bridges.functions import Function as Function
from locomote.bridges.functions import evaluation_function as evaluation_function
from locomote.bridges.functions import model_function as model_function
from locomote.bridges.functions import rollout_function as rollout_function
from locomote.bridges.jax_bridge import to_jax as to_jax
from locomote.bridges.torch_bridge import to_torch as to_torch
