"""An arm of two joints and two muscles from an MJCF file lifts its hand to a height: excitations by a search.

The muscles pull along paths, the triceps round a pulley at the elbow; they follow their excitations with the delays of muscles.
Unknown are the excitations, constant over time, with which the hand comes to rest at the height with least effort.
"""

import time

import common
import numpy as np
from scipy.optimize import minimize

import locomote as lo

HEIGHT, TIME = 1.1, 2.0  # m, s
ARM = """
<mujoco model="arm">
  <option timestep="0.005"/>
  <worldbody>
    <site name="blade" pos="-.06 0 1.3"/> <site name="collar" pos=".03 0 1.32"/>
    <body name="upper arm" pos="0 0 1.3">
      <joint name="shoulder" axis="0 -1 0" range="-60 150" damping="3"/>
      <geom type="capsule" fromto="0 0 0 0 0 -.3" size=".035" mass="1.9"/>
      <geom name="pulley" type="cylinder" pos="0 0 -.3" size=".025 .03" euler="90 0 0" contype="0" conaffinity="0" mass="0"/>
      <site name="front" pos=".05 0 -.1"/> <site name="low" pos=".04 0 -.2"/>
      <site name="back" pos="-.04 0 -.1"/> <site name="behind" pos="-.1 0 -.3"/>
      <body name="forearm" pos="0 0 -.3">
        <joint name="elbow" axis="0 -1 0" range="-5 140" damping="2"/>
        <geom type="capsule" fromto="0 0 0 0 0 -.26" size=".025" mass="1.5"/>
        <site name="radius" pos=".02 0 -.05"/> <site name="ulna" pos="-.025 0 -.04"/>
      </body>
    </body>
  </worldbody>
  <tendon>
    <spatial name="biceps path"> <site site="collar"/> <site site="front"/> <site site="low"/> <site site="radius"/> </spatial>
    <spatial name="triceps path"> <site site="blade"/> <site site="back"/> <geom geom="pulley" sidesite="behind"/>
      <site site="ulna"/> </spatial>
  </tendon>
  <actuator>
    <muscle name="biceps" tendon="biceps path" force="600" lengthrange="0.15 0.5"/>
    <muscle name="triceps" tendon="triceps path" force="500" lengthrange="0.2 0.5"/>
  </actuator>
</mujoco>"""


def moved(excitations, duration: float) -> lo.Trajectory:
    """The motion of the arm from hanging, a little bent, to the end."""
    told = dict(zip(("biceps", "triceps"), map(float, np.clip(excitations, 0.0, 1.0)), strict=True))
    return lo.load_scene(ARM, controls=told, contacts=False).simulate(duration, q=[0.0, 0.2], every=0.02)


def hand(model: lo.Model, q) -> np.ndarray:
    """Where the hand is, m."""
    return (lo.forward_kinematics(model, q)[model.body_index("forearm")] @ (0.0, 0.0, -0.26, 1.0))[:3]


def main(given: list[str] | None = None) -> dict:
    """Search, run, draw."""
    options = common.arguments(__doc__, given)
    duration, begin, calls = (1.0 if options.short else TIME), time.perf_counter(), [0]

    def cost(excitations) -> float:
        calls[0] += 1
        run = moved(excitations, duration)
        off = hand(run.model, run.q[-1])[2] - HEIGHT
        return 100.0 * off**2 + 0.1 * float(run.v[-1] @ run.v[-1]) + 0.01 * float(np.sum(np.square(excitations)))

    found = minimize(
        cost, [0.4, 0.1], method="Nelder-Mead", bounds=[(0.0, 1.0)] * 2,
        options={"maxfev": 12 if options.short else 40, "xatol": 1e-3, "fatol": 1e-6},
    )  # fmt: skip
    run = moved(found.x, duration)
    heights = np.array([hand(run.model, q)[2] for q in run.q])
    result = {
        "biceps": float(found.x[0]), "triceps": float(found.x[1]), "height": float(heights[-1]), "runs": calls[0],
        "seconds": time.perf_counter() - begin, "audit": bool(run.audit.ok),
    }  # fmt: skip
    print(f"{calls[0]} runs in {result['seconds']:.1f} s: biceps {found.x[0]:.2f}, triceps {found.x[1]:.2f}; the hand ends")
    print(f"{1000 * (heights[-1] - HEIGHT):+.1f} mm from its height; audit {'passed' if run.audit.ok else 'FAILED'}")
    draw(options.out / "muscle_arm.png", run, heights)
    common.save(options.out, "muscle_arm", result)
    return result | {"motion": run}


def draw(file, run: lo.Trajectory, heights: np.ndarray) -> None:
    """Angles and the height of the hand."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (above, below) = plt.subplots(2, 1, figsize=(8, 6), layout="constrained", sharex=True)
    above.plot(run.t, np.rad2deg(run.q), label=["shoulder", "elbow"])
    above.set(ylabel="angle in degrees")
    above.legend()
    below.plot(run.t, heights)
    below.axhline(HEIGHT, color="0.7")
    below.set(xlabel="t in s", ylabel="height of the hand in m")
    figure.savefig(file, dpi=110)


if __name__ == "__main__":
    main()
