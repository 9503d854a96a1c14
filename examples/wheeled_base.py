"""A wheeled base drives a circle on two wheels and a caster, by friction alone: a scene of MJCF with velocity motors.

Wheels of radius r at distance b that turn with rates wl, wr and do not slip take the base along an arc:

    v = r (wl + wr) / 2 ,   w = r (wr - wl) / b                                                                     (1)
"""

import common
import numpy as np

import locomote as lo

RADIUS, WIDTH = 0.08, 0.36  # m, of wheels and between them
RATES = (4.0, 6.0)  # rad/s, left and right
WHEEL = """
  <body name="NAME" pos="0 Y 0">
    <joint name="NAME" type="hinge" axis="0 1 0" damping="0.01"/>
    <geom type="cylinder" size="0.08 0.002" euler="1.5707963267948966 0 0" density="800" friction="0.9 0 0"/>
  </body>"""
SCENE = """
<mujoco model="wheeled base">
  <compiler angle="radian"/>
  <option timestep="0.002"/>
  <worldbody>
    <geom type="plane" size="10 10 0.1" friction="0.9 0 0"/>
    <body name="base" pos="0 0 0.08">
      <freejoint name="base"/>
      <geom type="box" size="0.2 0.15 0.03" mass="6"/>
      <geom type="sphere" size="0.04" pos="-0.15 0 -0.04" mass="0.5" friction="0 0 0" priority="1"/>
      WHEELS
    </body>
  </worldbody>
  <actuator>
    <velocity name="left" joint="left" kv="2"/>
    <velocity name="right" joint="right" kv="2"/>
  </actuator>
</mujoco>"""


def scene() -> lo.Locomotion:
    """The problem, with motors that come to their rates within a second."""
    wheels = "".join(WHEEL.replace("NAME", name).replace("Y", repr(s * WIDTH / 2)) for name, s in (("left", 1), ("right", -1)))
    told = {name: lo.Cycloid(0.0, rate, 1.0) for name, rate in zip(("left", "right"), RATES, strict=True)}
    return lo.load_scene(SCENE.replace("WHEELS", wheels), controls=told)


def main(given: list[str] | None = None) -> dict:
    """Drive, and compare with (1)."""
    options = common.arguments(__doc__, given)
    run = scene().simulate(4.0 if options.short else 8.0, step=2e-3, every=0.02, progress=False)
    rates = np.array([run.v[-1][run.model.joint(name).v.start] for name in ("left", "right")])
    v, w = RADIUS * rates.mean(), RADIUS * (rates[1] - rates[0]) / WIDTH
    moved = float(np.hypot(*run.v[-1, :2]))
    turned = float(run.v[-1, 5])
    print(f"it drives at {moved:.4f} m/s and turns at {turned:.4f} rad/s; rolling wheels would give {v:.4f} and {w:.4f}")
    run.film(options.out / "wheeled_base.png")
    result = {"speed": moved, "rolled": v, "turn": turned, "rolled_turn": w, "ok": bool(run.audit.ok)}
    common.save(options.out, "wheeled_base", result)
    return result | {"motion": run}


if __name__ == "__main__":
    main()
