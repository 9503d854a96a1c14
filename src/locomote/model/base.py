"""What the base of a model is: for dynamics, joints that carry the net motion; for pictures, the body whose path shows."""

from locomote.model.description import Body, Joint
from locomote.model.joints import WORDS
from locomote.model.model import Model


def base_joints(model: Model) -> tuple[Joint, ...]:
    """The joints between the world and the only root of a model that move; none where that is an arm on the ground."""
    roots = [body for body in model.description.bodies if body.parent is None and body.joints]
    return () if len(roots) != 1 or WORDS[roots[0].joints[0].kind].grounded else roots[0].moving


def moving_root(model: Model) -> Body | None:
    """The first body on the world that can move as a whole, a cart on its rail too; None if there is none.

    Its path is what a run shows. Unlike `base_joints` it also answers for several roots.
    """
    for name in model.body_names:
        body = model.body(name).body
        if body.parent is None and body.joints and WORDS[body.joints[0].kind].goes:
            return body
    return None
