"""Three fingers close on a box and lift it by friction alone: a scene of MJCF, shapes that touch each other, motors that hold.

Each finger presses with P, and friction carries at most 3 mu P: the box, of weight W, slips where

    P < W / (3 mu)                                                                                                  (1)

The fingers press too little, and enough; the box stays, or comes along.
"""

import common
import numpy as np

import locomote as lo

MASS, FRICTION, LIFT, ARM = 0.3, 0.6, 0.15, 0.1  # kg, -, m, m from hinge to finger tip
FINGER = """
  <body pos="X Y 0" euler="0 0 TURN">
    <joint name="fingerNUMBER" type="hinge" axis="0 1 0" damping="0.05" range="-0.9 0.9" limited="true"/>
    <geom type="capsule" fromto="0 0 0 0 0 -0.1" size="0.008" density="800" contype="0" conaffinity="0"/>
    <geom name="tipNUMBER" type="sphere" pos="0 0 -0.1" size="0.012" density="800" friction="MU 0 0"/>
  </body>"""
SCENE = """
<mujoco model="three fingers">
  <compiler angle="radian" autolimits="false"/>
  <option timestep="0.002"/>
  <worldbody>
    <geom type="plane" size="2 2 0.1" friction="0.6 0 0"/>
    <body name="hand" pos="0 0 0.14">
      <joint name="lift" type="slide" axis="0 0 1" damping="20"/>
      <geom type="cylinder" size="0.07 0.01" pos="0 0 0.02" density="500"/>
      FINGERS
    </body>
    <body name="box" pos="0 0 0.03">
      <freejoint name="box"/>
      <geom name="box" type="box" size="0.03 0.03 0.03" mass="MASS" friction="MU 0 0"/>
    </body>
  </worldbody>
  <actuator>
    <position name="lift" joint="lift" kp="4000"/>
    MOTORS
  </actuator>
</mujoco>"""


def text() -> str:
    """The file."""
    places = [(0.055 * np.cos(a), 0.055 * np.sin(a), a) for a in (0.0, 2 * np.pi / 3, 4 * np.pi / 3)]
    fingers = "".join(
        FINGER.replace("NUMBER", str(n)).replace("X", f"{x:.17g}").replace("Y", f"{y:.17g}").replace("TURN", f"{a:.17g}")
        for n, (x, y, a) in enumerate(places)
    )
    motors = "".join(f'<motor name="finger{n}" joint="finger{n}" gear="1"/>' for n in range(3))
    made = SCENE.replace("FINGERS", fingers).replace("MOTORS", motors)
    return made.replace("MU", repr(FRICTION)).replace("MASS", repr(MASS))


def told(press: float) -> dict:
    """What motors are told: fingers close within 0.5 s and press with `press`, N each, then the hand goes up for 1 s."""
    close, times = lo.Cycloid(0.0, press * ARM, 0.5), np.linspace(0.0, 2.0, 41)
    part = np.clip(times - 0.8, 0.0, 1.0)
    up = lo.Spline(times, LIFT * (part - np.sin(2 * np.pi * part) / (2 * np.pi)))
    return {"lift": up, **{f"finger{n}": close for n in range(3)}}


def scene(press: float) -> lo.Locomotion:
    """The problem with fingers that press with `press`, N each."""
    return lo.load_scene(text(), controls=told(press))


def main(given: list[str] | None = None) -> dict:
    """Too little and enough."""
    options = common.arguments(__doc__, given)
    needed = MASS * 9.81 / (3 * FRICTION)
    result = {"needed": needed}
    for word, factor in (("weak", 0.6), ("firm", 2.5)):
        run = scene(factor * needed).simulate(2.0, step=2e-3 if options.short else 1e-3, every=0.02, progress=False)
        rise = float(run["box.z"][-1] - run["box.z"][0])
        print(f"{factor * needed:.2f} N a finger, {needed:.2f} N needed: the box rises by {rise:.3f} m; {run.audit.ok=}")
        result[word] = rise
    run.film(options.out / "three_fingers.png")
    common.save(options.out, "three_fingers", result)
    return result | {"motion": run}


if __name__ == "__main__":
    main()
