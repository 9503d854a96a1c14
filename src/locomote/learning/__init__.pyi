# written by packaging/stubs.py from public.py
from locomote.learning.env import Env as Env
from locomote.learning.env import register as register
from locomote.learning.heights import Heights as Heights
from locomote.learning.ready import task_of as task_of
from locomote.learning.task import Task as Task
from locomote.learning.task import TaskError as TaskError
from locomote.learning.vector_env import VectorEnv as VectorEnv
