"""Names of bodies and joints: those of the file, and made-up ones that stay clear of them."""

from locomote.formats.faults import Faults
from locomote.formats.xml import Node

KINDS = {"body": "body", "joint": "joint", "freejoint": "joint"}


class Names:
    """The names that are taken, by kind of element."""

    def __init__(self, root: Node, faults: Faults):
        self.taken: dict[str, dict[str, Node | None]] = {"body": {"world": None}, "joint": {}}
        self.uses: dict[str, int] = {}
        for node in (node for world in root.all("worldbody") for node in world.walk()):
            if node.tag in KINDS and (name := node.get("name")):
                self._claim(node, name, faults)

    def _claim(self, node: Node, name: str, faults: Faults) -> None:
        taken = self.taken[KINDS[node.tag]]
        if name in taken:
            holder = taken[name]
            faults.add(node, "the name is that of the world" if holder is None else f"the name is taken ({holder})")
        else:
            taken[name] = node

    def of(self, node: Node, otherwise: str) -> str:
        """The name of an element, or `otherwise` made unique."""
        if own := node.get("name"):
            return own
        taken = self.taken[KINDS[node.tag]]
        name = otherwise
        while name in taken:
            self.uses[otherwise] = self.uses.get(otherwise, 1) + 1
            name = f"{otherwise} ({self.uses[otherwise]})"
        taken[name] = node
        return name
