"""What the base of a model is."""

from locomote.model.description import Joint
from locomote.model.model import Model

ON_THE_GROUND = ("revolute", "prismatic", "helical", "cylindrical", "universal")  # first joints of arms, not of bases


def base_joints(model: Model) -> tuple[Joint, ...]:
    """The joints between the world and the only root of a model; none where that is an arm on the ground."""
    roots = [body for body in model.description.bodies if body.parent is None and body.joints]
    return () if len(roots) != 1 or roots[0].joints[0].kind in ON_THE_GROUND else roots[0].joints
