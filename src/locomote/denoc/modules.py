"""Kinematic modules: the links of a tree, grouped into chains.

A module is a serial set of links that grows out of the last link of its parent module (or out of the world). Modules are
numbered outward; a rod is in one module with all its stations. Without further word: a root that moves in more than one
direction at once (a free or planar base) is a module, and so is every chain from a branch to the next one.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from locomote.brief import brief
from locomote.denoc.flexible import units
from locomote.errors import UnknownName
from locomote.model import columns as col
from locomote.model.model import Model, checked_model


@brief
@dataclass(frozen=True)
class Module:
    """A chain of links.

    links : their numbers, outward ; parent : the number of the module that it grows out of, -1 for the world
    joints : names of the joints of its links
    """

    name: str
    links: tuple[int, ...]
    parent: int
    joints: tuple[str, ...]


@brief
@dataclass(frozen=True)
class Modules:
    """All modules of a model, outward; `link_names` are those of joints, with a number where a joint has several links."""

    model: Model
    modules: tuple[Module, ...]
    link_names: tuple[str, ...]

    def __iter__(self):
        return iter(self.modules)

    def __len__(self) -> int:
        return len(self.modules)

    def __getitem__(self, k: int) -> Module:
        return self.modules[k]

    def __str__(self) -> str:
        rows = []
        for k, module in enumerate(self):
            parent = "the world" if module.parent < 0 else self[module.parent].name
            rows.append(f"{k} {module.name}: {', '.join(self.link_names[i] for i in module.links)}; on {parent}")
        return "\n".join(rows)


def modularise(model: Model, by_hand: Sequence[Sequence[str]] | None = None) -> Modules:
    """The modules of a model, found, or given as lists of names of joints, outward: each list is one module.

    by_hand : every joint in one list; the first joint of a list hangs on the last link of another list, or on the world
    """
    names, owner = _link_names(checked_model(model))
    parent = [int(row[col.PARENT]) if row[col.PARENT] < len(names) else -1 for row in model.topology[:-1]]
    chains = _found(model, parent) if by_hand is None else _given(model, by_hand, owner, parent, names)
    home = {link: k for k, chain in enumerate(chains) for link in chain}
    modules = tuple(
        Module(
            f"M{k}",
            tuple(chain),
            home[parent[chain[0]]] if parent[chain[0]] >= 0 else -1,
            tuple(dict.fromkeys(owner[i] for i in chain)),
        )
        for k, chain in enumerate(chains)
    )
    return Modules(model, modules, tuple(names))


def _link_names(model: Model) -> tuple[list[str], list[str]]:
    """A name for each link, and the joint it belongs to."""
    rows, first = model.topology[:-1], {}
    unfolded = model.unfolded
    for name in unfolded.joint_names:
        view = unfolded.joint(name)
        first.update(dict.fromkeys(range(view.v.start, view.v.stop), name))
    owner = [first[int(row[col.V])] for row in rows]
    names, total, seen = [], Counter(owner), Counter()
    for name in owner:
        seen[name] += 1
        names.append(name if total[name] == 1 else f"{name} {seen[name]}")
    return names, owner


def _found(model: Model, parent: list[int]) -> list[list[int]]:
    """Chains from branch to branch."""
    children: dict[int, list[int]] = {}
    for i, p in enumerate(parent):
        children.setdefault(p, []).append(i)
    whole = units(model)
    chains: list[list[int]] = []
    ends: dict[int, list[int]] = {}  # by its last link
    for i, p in enumerate(parent):
        if whole[i] != i:  # a station
            continue
        base = p >= 0 and parent[p] < 0 and model.topology[p, col.V_COUNT] > 1
        if p < 0 or base or len(children[p]) > 1 or p not in ends:
            chains.append([])
            chain = chains[-1]
        else:
            chain = ends.pop(p)
        chain += [k for k in range(len(parent)) if whole[k] == i]
        ends[chain[-1]] = chain
    return chains


def _given(model: Model, by_hand, owner: list[str], parent: list[int], names: list[str]) -> list[list[int]]:
    """Chains as said by the user, checked, and sorted outward."""
    if isinstance(by_hand, str) or any(isinstance(chain, str) for chain in by_hand):
        raise ValueError("modules by hand are lists of names of joints, such as [['base'], ['hip', 'knee']]")
    said = [name for chain in by_hand for name in chain]
    for name in said:
        if name not in owner:
            raise UnknownName("joint", name, model.joint_names, f"model {model.name!r}")
    faults = [f"joint {name!r} is in more than one module" for name in dict.fromkeys(said) if said.count(name) > 1]
    faults += [f"joint {name!r} is in no module" for name in dict.fromkeys(owner) if name not in said]
    if not all(by_hand):
        faults.append("a module has no joint")
    if faults:
        raise ValueError(f"modules of {model.name!r}: " + "; ".join(faults))
    chains = sorted([[i for i, name in enumerate(owner) if name in chain] for chain in by_hand])
    whole = units(model)  # stations of a flexible body are one
    last = {whole[chain[-1]] for chain in chains}
    for chain in chains:
        for before, link in zip(chain, chain[1:], strict=False):
            if parent[link] != before and whole[link] != whole[before]:
                faults.append(
                    f"{names[link]!r} does not hang on {names[before]!r}, so they are no chain; put them into two modules"
                )
        root = parent[chain[0]]
        if root >= 0 and whole[root] not in last:
            faults.append(
                f"{names[chain[0]]!r} grows out of {names[root]!r}, in the middle of its module; end that module there"
            )
    if faults:
        raise ValueError(f"modules of {model.name!r}: " + "; ".join(faults))
    return chains
