"""Learning: problems as environments of gymnasium, thousands of copies at a time.

`task` says what is observed, rewarded and ended; `vector_env` and `env` are gymnasium's interfaces to it; `tasks` are ready.
"""

from locomote.public import attach

__getattr__, __dir__, __all__ = attach("learning")
