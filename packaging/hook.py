"""Part of the build of a wheel: takes ready kernels in, if there are some, and names the system that they are for.

LOCOMOTE_READY_KERNELS is the folder that `wheel.py` filled. Without it the wheel is one for all systems, which compiles at
first use.
"""

import os
import sysconfig

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ReadyKernels(BuildHookInterface):
    """Kernels into the wheel."""

    def initialize(self, version, build_data):
        folder = os.environ.get("LOCOMOTE_READY_KERNELS")
        if not folder or version == "editable":
            return
        build_data["force_include"][folder] = "locomote/ready"
        build_data["pure_python"] = False
        build_data["tag"] = "py3-none-" + sysconfig.get_platform().replace("-", "_").replace(".", "_")
