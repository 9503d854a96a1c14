"""Systems by name. Nothing is built, and no system file is read, before it is asked for.

The file of a system, `systems/<name>.py`, has, with p all parameters of the system as attributes,

    PARAMETERS                   name -> Parameter: default, unit, meaning, and what values make sense
    SOURCE                       where the equations and numbers come from
    SEE                          what to look at when it moves
    build(p) -> Model
    setting(p) -> dict           arguments of Locomotion: drives, torques, springs, constraints, environment, contacts,
                                 actuators; nothing if there is none
    initial(p, model) -> q, v    where it starts; neutral and at rest if it is not there
    duration(p) -> float         how long a run shows what there is to see, s
    TOLERANCES                   if not those of the method: (rtol, atol) of its runs
    shown(p) -> Trajectory       the run that pictures show, if it needs more than the problem: events, another length
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from locomote.brief import brief
from locomote.errors import UnknownName
from locomote.later import later
from locomote.quantities import Parameters, Quantity
from locomote.systems.parameters import Parameter, values
from locomote.tables import lines_of

if TYPE_CHECKING:
    from locomote.locomotion.problem import Locomotion
    from locomote.model.model import Model
    from locomote.runs.trajectory import Trajectory

TITLES = {
    "mobile_pendulum": "a cart on two driven wheels with a pendulum below: torques are shared between the wheels",
    "bicycle": "a bicycle with rolling discs, or with the paper's frozen contacts; steered into the fall or held",
    "whipple_bicycle": "the benchmark bicycle of Meijaard et al., riding by itself",
    "snakeboard": "a board on two steered axles, moved by turning a rotor",
    "unicycle": "a platform on two driven wheels",
    "acm_snake": "a snake of many links on wheels that follows its head",
    "trikke": "a three-wheeler, moved by steering and swaying",
    "roller_racer": "two hinged bodies on wheels, moved by wiggling the steering",
    "falling_cat": "two halves of a cat that turn over in free fall",
    "satellite": "a satellite turned by three wheels, or by two",
    "space_robot": "an arm on a floating base, or three hinged bodies",
    "ice_skater": "a skater on a blade or in a jump, pulling in the arms; or a skier on a slope",
    "chaplygin_sleigh": "a sleigh on one blade, gliding or on a slope",
    "rolling_disc": "a disc that rolls on the ground",
    "rattleback": "an ellipsoid that refuses to spin one way",
    "ball_on_turntable": "a ball that rolls on a turning table",
    "four_bar": "a four-bar linkage, falling or driven at its crank",
    "linkages": "planar linkages: slider-crank, Hoekens' leg, a gripper, a 3-RRR platform, a cam with its follower",
    "walker_cases": "a planar biped in flight, on one foot, on two, on a toe",
    "andrews_squeezer": "Andrews' squeezing mechanism, a benchmark of seven bodies and three loops",
    "n_four_bar": "a row of four-bar linkages that pass through a singular position, a benchmark",
    "simple_pendulum": "a point mass on a rod, a benchmark",
    "pumped_pendulum": "a pendulum whose length is changed, as on a swing",
    "gibbon": "two arms that swing from bar to bar without effort",
    "pendular_climber": "a robot that swings its tail and goes up a wall hand over hand",
    "heavy_top": "a fast top on a fixed point, a benchmark",
    "chain": "a chain of rods on hinges in one plane, up to 10,000 of them, let go from level",
    "rope": "a rope in space of links on ball joints, up to 10,000 of them, with bending stiffness and damping",
    "stanford_arm": "the Stanford arm, with a sliding boom, moved or let go",
    "puma": "the PUMA 560 arm, moved or let go",
    "kuka_kr5": "the KUKA KR5 arm, moved or let go",
    "spatial_biped": "a biped in space on its fixed support foot, one step: imposed, forced by torques, or controlled",
    "planar_biped": "a planar biped that walks on soft ground, by computed torque, or feed-forward with PD",
    "trotting_quadruped": "a quadruped that trots on soft ground, by computed torque, or feed-forward with PD",
    "hexapod": "a hexapod that walks on soft ground, three feet at a time",
    "dual_arm_satellite": "two arms on a floating base: one reaches out, the other one stands still or answers",
    "box_stack": "ten boxes on top of each other",
    "tippe_top": "a ball with a low mass center that turns over when it is spun",
    "spinning_coin": "a coin spun on its edge, which sinks and whirls",
    "rimless_wheel": "spokes without a rim, rolling down a slope from impact to impact",
    "simplest_walker": "two legs without mass that walk down a slope by themselves",
    "compass_walker": "two stiff legs with mass that walk down a slope by themselves",
    "slip_hopper": "a mass on a spring that runs: apex, touchdown, take-off, apex",
    "perfect_fluid_swimmer": "three links that swim in a perfect fluid by its inertia alone",
    "purcell_swimmer": "three rods that swim where mass does not matter, by drag alone",
    "scallop": "two shells with one hinge, which cannot swim in honey",
    "three_sphere_swimmer": "three spheres on a line that swim by each other's wakes",
    "flagellum": "a flexible filament in honey, waved at its root",
    "eel": "an eel of rigid links that swims by a wave of bending",
    "fish": "a fish with a caudal fin that cruises and turns",
    "tuna_robot": "a stiff body with a driven tail and a fin on a spring",
    "dead_fish": "a dead fish in the vortex street behind a cylinder",
    "hovering_moth": "a hawkmoth-sized flier whose wings pitch by themselves",
    "soft_moth": "a flier of a hawkmoth's size with soft wings, its body free and kept upright by its strokes",
    "flapping_bird": "a bird of a gull's size in forward flight",
    "jellyfish": "a jellyfish that rows with the lappets around its bell",
    "swimming_octopus": "an octopus that swims by opening and closing its arms",
    "falling_plate": "a card that flutters or tumbles as it falls through air",
    "sandfish": "a lizard that swims within sand",
    "humanoid": "a person-sized humanoid of boxes and capsules, 29 joint coordinates on a free base, thrown",
    "hrp2_like": "a humanoid of the size of HRP-2, 30 joints on a free base, for whole-body control with contacts",
    "handling": "robot and object in one program: a drawer is opened, a box carried, a ball balanced on",
    "quadruped": "a trunk on four two-link legs, universal hips and revolute knees, on a free base, thrown",
    "flexible_arm": "an arm of two flexible links, moved by its joints",
    "flying_rod": "a flexible rod that tumbles in space",
    "spin_up_beam": "a beam that is spun up about its root and stiffened by the spin",
    "elastic_pendulum": "a soft rod that swings on a hinge with a weight at its tip",
    "tendon_robot": "a soft arm that three tendons pull round",
    "continuous_snake": "a snake without links that winds itself forward along its own track",
    "octopus": "a mantle with eight soft arms, curled by tendons",
    "soft_snakeboard": "a snakeboard whose rotor is two flexible beams",
    "ground_snake": "a snake without links that slithers on bare ground by the friction of its scales",
    "turning_snake": "a snake without links in space, on soft ground: it goes straight, turns, and goes straight again",
    "earthworm": "a worm that crawls by waves of shortening, with bristles",
    "inchworm": "a caterpillar that arches its back between two feet",
    "octopus_arm": "a tapered arm that muscles roll up and unroll from root to tip",
    "soft_quadruped": "a robot that crawls on four pneumatic legs",
    "parallel_continuum": "a platform on six flexible rods with ball joints",
}

# title of a group -> its systems, in the order in which they are shown
GROUPS = {
    "Wheels": "snakeboard roller_racer trikke bicycle whipple_bicycle unicycle mobile_pendulum acm_snake chaplygin_sleigh "
    "ice_skater",
    "Legs": "trotting_quadruped hexapod planar_biped spatial_biped hrp2_like handling compass_walker simplest_walker "
    "slip_hopper rimless_wheel walker_cases gibbon pendular_climber quadruped humanoid",
    "Water": "fish eel tuna_robot dead_fish jellyfish swimming_octopus perfect_fluid_swimmer purcell_swimmer scallop "
    "three_sphere_swimmer flagellum",
    "Air and space": "hovering_moth soft_moth flapping_bird falling_plate falling_cat satellite space_robot dual_arm_satellite",
    "Rods and soft bodies": "octopus_arm octopus tendon_robot soft_quadruped earthworm inchworm ground_snake continuous_snake "
    "turning_snake "
    "sandfish soft_snakeboard parallel_continuum flexible_arm elastic_pendulum flying_rod",
    "Arms and linkages": "puma kuka_kr5 stanford_arm four_bar linkages",
    "Benchmarks": "rattleback tippe_top spinning_coin rolling_disc ball_on_turntable heavy_top box_stack andrews_squeezer "
    "n_four_bar simple_pendulum pumped_pendulum chain rope spin_up_beam",
}
ALSO = {  # group -> words by which its systems are looked for besides
    "Wheels": "roll ride vehicle",
    "Legs": "walk step",
    "Water": "swim swimmer",
    "Air and space": "fly flight wing float",
    "Rods and soft bodies": "rod soft continuum",
    "Arms and linkages": "manipulator robot mechanism loop",
}
OTHERS = "Others"


@brief
@dataclass(frozen=True)
class System:
    """A system of the catalogue with all its parameters set.

    model : the mechanism
    parameters, units : every parameter of the system with the value used, and with its unit; print the first for a table
    changed : numbers of its problem that are not what these make them, by name (`problem().parameters`)
    source : where the equations and default numbers come from
    see : what to look at when it moves
    duration : how long a run shows that, s
    """

    name: str
    title: str
    model: Model
    parameters: Parameters
    units: Mapping[str, str]
    source: str
    see: str
    duration: float
    changed: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        rows = [(name, str(value), self.units.get(name, "")) for name, value in self.parameters.items()]
        return "\n".join([f"{self.name}: {self.title}", "", *lines_of(rows, ("parameter", "value", "unit"))])

    def _repr_html_(self) -> str:
        return later("view.notebook", "of_system")(self)

    @property
    def initial(self) -> tuple[np.ndarray, np.ndarray]:
        """q (nq,) and v (nv,) at the start; `problem().initial()` makes them consistent with drives and constraints."""
        own = getattr(_module(self.name), "initial", None)
        if own is None:
            return self.model.neutral(), np.zeros(self.model.nv)
        return own(SimpleNamespace(**self.parameters), self.model)

    def problem(self) -> Locomotion:
        """The locomotion problem: what is imposed, what acts, what is held, and the start."""
        from locomote.locomotion.problem import Locomotion

        own = getattr(_module(self.name), "setting", None)
        setting = {} if own is None else own(SimpleNamespace(**self.parameters))
        origin = {"system": self.name, "parameters": dict(self.parameters)}
        setting["tolerances"] = getattr(_module(self.name), "TOLERANCES", None)
        problem = Locomotion(self.model, name=self.name, start=self.initial, origin=origin, **setting)
        if self.parameters.get("gait", "own") != "own":
            from locomote.systems.gaits import MEANING, with_gait

            if self.parameters["gait"] in MEANING:  # others have gaits of their own making
                problem = with_gait(problem, self.name, SimpleNamespace(**self.parameters))
        return problem.with_parameters(self.changed) if self.changed else problem

    def with_parameters(self, values: Mapping[Any, Any]) -> System:
        """The system with some parameters changed: its own, on which many numbers may depend, and then numbers of its problem
        by the names of `problem().parameters`.

        >>> load("snakeboard").with_parameters({"board_mass": 2.0, "*_axle.mass": 0.5})
        """
        own = {key: value for key, value in values.items() if isinstance(key, str) and key in self.parameters}
        others = {key: value for key, value in values.items() if key not in own}
        system = load(self.name, **{**self.parameters, **own}) if own else self
        changes = {**self.changed, **others} if own else others
        if not changes:
            return system
        problem = system.problem()
        try:
            said = problem.with_parameters(changes).statement
        except UnknownName as error:
            known = [*self.parameters, *(error.known if "." in str(error.name) else [])]
            raise UnknownName("parameter", error.name, known, f"system {self.name!r}") from None
        assert said.origin is not None
        return replace(system, model=said.model, changed=said.origin["changed"])


def names() -> list[str]:
    """The names of all systems."""
    return list(TITLES)


def groups(find: str = "") -> dict[str, list[str]]:
    """Names of systems by what they are; find : only those whose name, title or group has this word, or ALSO of the group."""
    listed = {group: words.split() for group, words in GROUPS.items()}
    known = {name for names in listed.values() for name in names}
    listed[OTHERS] = [name for name in TITLES if name not in known]
    word = find.strip().lower()
    kept = {
        group: [name for name in names if word in f"{name} {TITLES[name]} {group} {ALSO.get(group, '')}".lower()]
        for group, names in listed.items()
    }
    return {group: names for group, names in kept.items() if names}


def title(name: str) -> str:
    """What a system is, in one line."""
    return TITLES[_known(name)]


def parameters(name: str) -> list[Parameter]:
    """The parameters of a system with their defaults and units."""
    return [replace(parameter, name=key) for key, parameter in _module(name).PARAMETERS.items()]


def load(name: str, **given: Any) -> System:
    """A system of the catalogue, with some parameters changed from their defaults.

    >>> load("humanoid", height=1.9).model.mass
    75.0
    """
    module = _module(name)
    p = values(name, module.PARAMETERS, given)
    units = {key: parameter.unit for key, parameter in module.PARAMETERS.items()}
    length = float(module.duration(p))
    return System(name, TITLES[name], module.build(p), own_parameters(name, p), units, module.SOURCE, module.SEE, length)


def pictured(system: System) -> Trajectory:
    """The run that pictures of a system show: that of its problem, or one of its own making (`shown`)."""
    own = getattr(_module(system.name), "shown", None)
    if own is not None:
        return own(SimpleNamespace(**system.parameters))
    return system.problem().simulate(system.duration, progress=False)


def own_parameters(name: str, p: SimpleNamespace) -> Parameters:
    """The parameters of a system with their values, as a table."""
    known = _module(name).PARAMETERS.items()
    return Parameters.of([Quantity(key, getattr(p, key), x.unit, x.meaning) for key, x in known], f"system {name!r}")


def _known(name: str) -> str:
    if not isinstance(name, str) or name not in TITLES:
        raise UnknownName("system", name, TITLES, "the catalogue")
    return name


def _module(name: str) -> ModuleType:
    return importlib.import_module(f"locomote.systems.{_known(name)}")
