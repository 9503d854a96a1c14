"""A quadrotor with rotors from its MJCF takes off from the floor, flies to a place and hovers there.

The file says where the rotors sit and which drag moment comes with their thrust (`gear` of motors at sites). Thrusts u give the
wrench B u, B from the file; a controller asks for a wrench and gets u from the inverse of B, within what rotors can do.
"""

import common
import numpy as np

import locomote as lo

GOAL = np.array([0.5, -0.3, 1.0])  # m
ROTORS = ((0.14, 0.18, -1), (-0.14, 0.18, 1), (-0.14, -0.18, -1), (0.14, -0.18, 1))  # x, y, sense of turning
SCENE = """
<mujoco model="quadrotor">
  <option timestep="0.002"/>
  <worldbody>
    <geom type="plane" size="5 5 0.1"/>
    <body name="frame" pos="0 0 0.05">
      <freejoint name="flight"/>
      <geom type="box" size="0.06 0.04 0.02" mass="0.9"/>
      <geom type="box" size="0.15 0.19 0.005" mass="0.4" pos="0 0 -0.045"/>
      SITES
    </body>
  </worldbody>
  <actuator>MOTORS</actuator>
</mujoco>"""


def text() -> str:
    """The file."""
    sites = "".join(f'<site name="rotor{n}" pos="{x} {y} 0.02"/>' for n, (x, y, _) in enumerate(ROTORS))
    motors = "".join(
        f'<motor name="rotor{n}" site="rotor{n}" gear="0 0 1 0 0 {0.02 * s}" ctrlrange="0 8" ctrllimited="true"/>'
        for n, (_, _, s) in enumerate(ROTORS)
    )
    return SCENE.replace("SITES", sites).replace("MOTORS", motors)


class Flight:
    """The wrench of the rotors on the frame, as the controller asks for."""

    def __init__(self, scene, mass: float, inertia: np.ndarray):
        self.rotors, self.mass, self.inertia = scene.thrusters, mass, inertia
        columns = []
        for rotor in self.rotors:
            R, p, g = rotor.frame[:3, :3], rotor.frame[:3, 3], np.array(rotor.gear)
            force = R @ g[:3]
            columns.append([force[2], *(R @ g[3:] + np.cross(p, force))])
        self.B = np.array(columns).T  # thrust along z and three moments, of each rotor

    def thrusts(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """(4,) N, for a state."""
        pose = lo.forward_kinematics(self.model, q)[0]
        R = pose[:3, :3]
        wanted = 3.0 * (GOAL - q[:3]) - 2.6 * (R @ v[:3]) + [0, 0, 9.81]
        z = wanted / np.linalg.norm(wanted)
        tilt = np.cross(R[:, 2], z)
        yaw = np.arctan2(R[1, 0], R[0, 0])
        moment = self.inertia @ (60.0 * (R.T @ tilt) - 14.0 * v[3:6] - [0, 0, 10.0 * yaw])
        u = np.linalg.solve(self.B, [self.mass * wanted @ R[:, 2], *moment])
        return np.clip(u, 0.0, 8.0)

    def __call__(self, t, q, v):
        force, *moment = self.B @ self.thrusts(q, v)
        return {"frame": [0.0, 0.0, force, *moment]}


def scene() -> lo.Locomotion:
    """The problem: floor and frame of the file, the rotors told by a controller."""
    still = lo.load_scene(text())
    body = still.model.body("frame").body.inertia
    flight = Flight(lo.read_scene(text()), body.mass, np.array(body.moment))
    flight.model = still.model
    return still.replaced(environment=[flight])


def main(given: list[str] | None = None) -> dict:
    """Take off, fly, hover."""
    options = common.arguments(__doc__, given)
    run = scene().simulate(4.0 if options.short else 8.0, step=4e-3 if options.short else 2e-3, every=0.04, progress=False)
    away = float(np.linalg.norm(run.q[-1, :3] - GOAL))
    print(f"it hovers {away:.4f} m from where it should, at {np.linalg.norm(run.v[-1]):.4f} m/s")
    run.film(options.out / "quadrotor.png")
    result = {"away": away, "highest": float(run.q[:, 2].max())}
    common.save(options.out, "quadrotor", result)
    return result | {"motion": run}


if __name__ == "__main__":
    main()
