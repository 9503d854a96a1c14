"""What the parts of the MJCF reader share while they read one file."""

from dataclasses import dataclass

from locomote.formats.faults import Faults
from locomote.formats.mjcf.assets import Assets
from locomote.formats.mjcf.defaults import Defaults
from locomote.formats.mjcf.settings import Settings
from locomote.formats.unsupported import Unsupported


@dataclass(frozen=True)
class Reading:
    """The settings, classes and assets of a file, and where to note what is wrong. `policy` is that of inertias."""

    settings: Settings
    defaults: Defaults
    assets: Assets
    unsupported: Unsupported
    policy: str
    faults: Faults
