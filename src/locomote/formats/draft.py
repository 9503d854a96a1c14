"""What the writers of all formats share: numbers and names as text, what a format cannot say, and the file itself."""

import os
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np

from locomote.files import checked_path, whole_file
from locomote.formats.faults import Faults, shown
from locomote.formats.numbers import LARGEST
from locomote.formats.unsupported import Unsupported
from locomote.formats.xml import Node
from locomote.formats.xml_text import UNWRITABLE, to_text
from locomote.model.description import Body, Description, Joint
from locomote.model.joints import WORDS
from locomote.model.packing import per_coordinate
from locomote.spatial.inertia import Inertia

UNSAID = Joint("")  # says nothing that is not the default
ROTATION_TOLERANCE = 1e-12
SYMMETRY_TOLERANCE = 1e-12


class Draft:
    """A file in the making. `where` says an element of the model, as in "joint 'knee'"."""

    def __init__(self, description: Description, form: str, unsupported: str, path=None):
        self.path = path
        self.folder = None if path is None else checked_path(path).parent
        self.faults = Faults(f"model {description.name!r} as {form}")
        self.unsupported = Unsupported(unsupported, self.faults, "writes")
        if not description.name:
            self.unsupported.refuse(None, "an empty name of the model")

    # text

    def name(self, where: str, name: str) -> str:
        """A name, if XML can hold it."""
        wrong = UNWRITABLE.search(name) if isinstance(name, str) else None
        if wrong or not isinstance(name, str):
            why = f"has the character {wrong[0]!a}, which no XML file can hold" if wrong else "is not a text"
            self.faults.add(where, f"the name {why}; give it another")
            return ""
        return name

    def number(self, where: str, label: str, value: float) -> str:
        """A number that reads back with the same bits; a fault if no reader takes it."""
        value = float(value)
        if not abs(value) <= LARGEST:
            self.faults.add(where, f"{label} is {value!r}; files hold finite numbers up to {LARGEST:g}")
        return text_of(value)

    def numbers(self, where: str, label: str, values) -> str:
        """Numbers with blanks between them."""
        return " ".join(self.number(where, label, value) for value in values)

    def check_rotation(self, where: str, error: float) -> None:
        """Refuse what is a rotation only roughly: the file would have another."""
        if error > ROTATION_TOLERANCE:
            self.unsupported.refuse(where, f"a placement that is {error:.1e} away from a rotation")

    def moment(self, where: str, moment: np.ndarray) -> np.ndarray:
        """xx, xy, xz, yy, yz, zz of a moment of inertia; refused if it is not symmetric."""
        if np.max(abs(moment - moment.T)) > SYMMETRY_TOLERANCE * np.max(abs(moment)):
            self.unsupported.refuse(where, "a moment of inertia that is not symmetric")
        return moment[np.triu_indices(3)]

    def inertia(self, body: Body) -> Inertia | None:
        """The inertia of a body, None if it has no mass; added inertia is refused."""
        if body.added_inertia is not None and np.any(body.added_inertia):
            self.unsupported.refuse(f"body {body.name!r}", "added inertia")
        nothing = body.inertia is None or not (body.inertia.mass or body.inertia.moment.any())
        return None if nothing else body.inertia

    def mesh(self, file: str) -> str:
        """Where a mesh is, seen from the folder of the new file if it has a path of its own."""
        file = os.fspath(file)
        if self.folder is None or not os.path.isabs(file):
            return file
        try:
            return Path(os.path.relpath(file, self.folder)).as_posix()
        except ValueError:  # another drive
            return file

    # joints

    def one_value(self, joint: Joint, label: str) -> float:
        """What a joint says alike for all its coordinates; refused if they differ."""
        values = per_coordinate(getattr(joint, label), joint.sizes[1])
        if (values == values[0]).all():
            return float(values[0])
        self.unsupported.refuse(f"joint {joint.name!r}", f"{label} that differs between coordinates ({_listed(values)})")
        return getattr(UNSAID, label)

    def refuse_said(self, joint: Joint, *labels: str, moves: bool = True) -> None:
        """Refuse all of these that the joint says; moves : whether they change the motion, else they are left out."""
        said = [label for label in labels if np.any(np.asarray(getattr(joint, label), dtype=float) != getattr(UNSAID, label))]
        if said:
            what = " and ".join(f"{label} {_listed(np.atleast_1d(getattr(joint, label)))}" for label in said)
            note = self.unsupported.refuse if moves else self.unsupported.leave_out
            note(f"joint {joint.name!r}", f"{what} of a {joint.kind} joint")

    # the file

    def finished(self, root: Node, comment: str = "") -> str:
        """The text, also in the file if there is to be one; a ModelError with all that is wrong, and warnings."""
        self.faults.check()
        text = to_text(root, comment)
        if self.path is not None:
            with whole_file(self.path) as stream:
                stream.write(text.encode())
        for sentence in self.faults.all_warnings():
            warnings.warn(f"{self.faults.source}: {sentence}", stacklevel=3)
        return text


def text_of(value: float) -> str:
    """The shortest text with the same bits."""
    return repr(float(value)).removesuffix(".0")


def other_name(wish: str, taken: set[str]) -> str:
    """A name that is not taken yet, and is from now on."""
    name, count = wish, 1
    while name in taken:
        count += 1
        name = f"{wish} ({count})"
    taken.add(name)
    return name


def base_word(description: Description) -> str:
    """The `base` with which a file without the joint of the root gives the same model; "fixed" if there is none such."""
    roots = [body for body in description.bodies if body.parent is None]
    if len(roots) != 1 or len(roots[0].joints) != 1 or not np.array_equal(roots[0].placement, np.eye(4)):
        return "fixed"
    joint = roots[0].joints[0]
    base = WORDS[joint.kind].base
    if base in ("", "fixed"):
        return "fixed"
    bare = replace(description, bodies=tuple(replace(b, joints=()) if b is roots[0] else b for b in description.bodies))
    again = next(body for body in bare.with_base(base).bodies if body.parent is None).joints[0]
    same = all(np.array_equal(getattr(joint, label), getattr(again, label)) for label in vars(joint))
    return base if same else "fixed"


def _listed(values) -> str:
    return shown(" ".join(f"{float(value):g}" for value in values)).strip("'")
