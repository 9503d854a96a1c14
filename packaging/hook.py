"""Part of the build of a wheel: takes ready kernels in, if there are some, and names the Python and system that they are for.

LOCOMOTE_READY_KERNELS is the folder that `wheel.py` filled. Without it the wheel is one for all systems, which compiles at
first use.
"""

import os
import sys
import sysconfig

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


def tag() -> str:
    """Of a wheel with kernels: they are for one version of Python, and load no libraries but those that Numba loads."""
    system = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    if system.startswith("linux_"):
        system = f"manylinux_2_28_{system.removeprefix('linux_')}"  # that of Numba; an index takes no plain linux
    return f"cp{sys.version_info[0]}{sys.version_info[1]}-none-{system}"


class ReadyKernels(BuildHookInterface):
    """Kernels into the wheel."""

    def initialize(self, version, build_data):
        folder = os.environ.get("LOCOMOTE_READY_KERNELS")
        if not folder or version == "editable":
            return
        build_data["force_include"][folder] = "locomote/ready"
        build_data["pure_python"] = False
        build_data["tag"] = tag()
