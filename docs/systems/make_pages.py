"""Write the page of every system of the catalogue, and their index: `python docs/systems/make_pages.py`.

What a page says comes from the file of the system (header, parameters, what to see, source) and from EXAMPLES below; a test
compares the pages with what this makes of them.
"""

import importlib
from pathlib import Path

import locomote as lo
from locomote.systems.catalogue import groups

HERE = Path(__file__).parent
EXAMPLES = {
    "flexible_arm": """
        system = lo.systems.load("flexible_arm")
        run = system.problem().simulate(system.duration, every=0.02)
        hand = lo.forward_kinematics(system.model, run.q)[:, -1, :3, 3]
        rigid = np.array([np.cos(1.2) + np.cos(0.3), np.sin(1.2) + np.sin(0.3)])
        assert 1e-3 < np.linalg.norm(hand[-50:, :2] - rigid, axis=1).max() < 0.3  # it swings about where rigid links would be
        """,
    "flying_rod": """
        system = lo.systems.load("flying_rod")
        run = system.problem().simulate(1.0, every=0.05, rtol=1e-8)
        momentum = lo.momentum(system.model, run.q, run.v)
        assert np.ptp(momentum, axis=0).max() < 1e-6 and np.ptp(run.kinetic + run.elastic) < 1e-6
        """,
    "spin_up_beam": """
        system = lo.systems.load("spin_up_beam")
        run = system.problem().simulate(system.duration, every=0.1)
        tip = lo.forward_kinematics(system.model, run.q)[:, 1, :3, 3]
        c, s = np.cos(run.q[:, 0]), np.sin(run.q[:, 0])
        across = c * tip[:, 1] - s * tip[:, 0]
        assert -0.8 < across.min() < -0.3 and abs(across[-1]) < 0.02  # it lags by some decimetres of 10 m, then comes back
        """,
    "elastic_pendulum": """
        system = lo.systems.load("elastic_pendulum")
        run = system.problem().simulate(system.duration, every=0.02, rtol=1e-6)
        total = run.kinetic + run.potential + run.elastic
        assert total[-1] < total[0] and abs(total[-1] - total[0] - run.work["losses"][-1]) < 1e-4
        """,
    "tendon_robot": """
        system = lo.systems.load("tendon_robot")
        run = system.problem().simulate(system.duration, every=0.02)
        tip = lo.forward_kinematics(system.model, run.q)[:, -1, :3, 3]
        assert np.ptp(tip[:, 0]) > 0.05 and np.ptp(tip[:, 1]) > 0.05  # round, not to and fro
        """,
    "continuous_snake": """
        system = lo.systems.load("continuous_snake")
        problem = system.problem()
        run = problem.simulate(system.duration, every=0.1)
        assert np.linalg.norm(run.q[-1, :2] - run.q[0, :2]) > 1.5  # it went along its track
        assert np.allclose(run.v[:, 0], -0.35, atol=1e-4)  # at the speed of the wave, m/s
        ground = lo.rods.reaction_field(run, "keel")  # N/m along the snake, over time
        assert ground.force.shape == (len(run), len(ground.along)) and 0.1 < abs(ground.force).max() < 0.3
        """,
    "octopus": """
        system = lo.systems.load("octopus")
        run = system.problem().simulate(0.5, every=0.05)
        assert abs(lo.momentum(system.model, run.q, run.v)).max() < 1e-6
        """,
    "soft_snakeboard": """
        soft, rigid = (lo.systems.load(name) for name in ("soft_snakeboard", "snakeboard"))
        ends = [system.problem().simulate(system.duration, every=0.5).q[-1] for system in (soft, rigid)]
        assert -9.5 < ends[0][0] < -9.0 < ends[1][0]  # less inertia swings with the shaft, so that the board gets farther
        """,
    "ground_snake": """
        went = []
        for friction in ({}, {"forwards": 0.15, "backwards": 0.15, "sideways": 0.15}):
            system = lo.systems.load("ground_snake", **friction)
            run = system.problem().simulate(system.duration, every=0.1)
            went.append(np.linalg.norm(np.diff(lo.center_of_mass(system.model, run.q[[0, -1]]), axis=0)))
        assert went[0] > 0.15 > 10 * went[1]  # m; scales make the difference
        """,
    "turning_snake": """
        system = lo.systems.load("turning_snake")
        run = system.problem().simulate(system.duration, every=0.05)
        head = run.q[:, :2]
        first, last = (head[run.t < 1.5] - head[0])[-1], head[-1] - head[run.t < 3.6][-1]
        turned = np.degrees(np.arccos(first @ last / np.linalg.norm(first) / np.linalg.norm(last)))
        assert 50 < turned < 90 and run.audit.ok
        alike = {"along": 0.4, "across": 0.4, "turn": 0.0}  # friction, and no turn
        sideways = lo.systems.load("turning_snake", gait="sidewinding", lift=1.5, amplitude=5.0, **alike)
        x, y = sideways.problem().simulate(2.0, every=0.1).q[-1, :2]
        assert y > 4 * abs(x)  # across its body, though friction is the same in all directions
        """,
    "earthworm": """
        system, smooth = lo.systems.load("earthworm"), lo.systems.load("earthworm", forwards=0.9)
        runs = [s.problem().simulate(s.duration, every=0.1) for s in (system, smooth)]
        went = [np.diff(lo.center_of_mass(system.model, run.q[[0, -1]])[:, 0])[0] for run in runs]
        assert went[0] > 0.08 and abs(went[1]) < 1e-3  # m in six waves, and where bristles grip both ways
        """,
    "inchworm": """
        system = lo.systems.load("inchworm")
        run = system.problem().simulate(system.duration, every=0.05)
        rear, front = run.q[:, 0], lo.forward_kinematics(system.model, run.q)[:, -1, :3, 3]
        steps = 5 * (0.12 - (front[:, 0] - rear).min())  # the length of the back, less its shortest chord
        assert abs(front[:, 2]).max() < 1e-4 and 0.85 * steps < rear[-1] < steps
        """,
    "octopus_arm": """
        system = lo.systems.load("octopus_arm")
        run = system.problem().simulate(system.duration)
        bend = lo.rods.sections(system.model, run.q[np.searchsorted(run.t, 2.3)], "arm")
        root, tip = bend.strains[bend.along < 0.1, 5], bend.strains[bend.along > 0.3, 5]
        assert abs(root).max() < 1.0 < 8.0 < tip.min()  # 1/m: straight behind the bend, rolled up before it
        assert abs(run.q[-1, 6:]).max() < 0.05 and run["inner 1.activation"].max() > 0.99
        """,
    "soft_quadruped": """
        system = lo.systems.load("soft_quadruped")
        run = system.problem().simulate(system.duration)
        assert run.q[-1, 0] > 0.2 and abs(run.q[-1, 1:3]).max() < 0.1  # m ahead in six strides, m and rad aside
        """,
    "parallel_continuum": """
        system = lo.systems.load("parallel_continuum")
        run = system.problem().simulate(system.duration, every=0.05)
        up = lo.forward_kinematics(system.model, run.q)[:, system.model.body_index("platform"), :3, 2]
        lean = np.hypot(0.35, 2 * 0.14 * np.sin(np.radians(20))) / 0.35  # of the rods, over their height
        tilt = np.arccos(up[run.t > 2.0, 2])
        assert np.allclose(np.sin(tilt), 0.02 / 0.14 * lean, rtol=0.04)  # as rigid legs do
        assert run.position_residual.max() < 1e-6
        """,
    "mobile_pendulum": """
        system = lo.systems.load("mobile_pendulum")
        problem = system.problem()
        case = problem.classify(0.0, system.initial[0])
        assert case.over_constrained and case.free == 1 and case.self_stress == 1
        """,
    "bicycle": """
        system = lo.systems.load("bicycle", steering="imposed")  # held straight
        run = system.problem().simulate(1.0)
        x, y, z, w = run.q[-1, 3:7]
        assert np.arcsin(2 * (y * z + w * x)) > 0.5  # it has fallen over to the right, where it leaned
        """,
    "whipple_bicycle": """
        system = lo.systems.load("whipple_bicycle", speed=4.6, push=0.2)
        run = system.problem().simulate(system.duration)
        x, y, z, w = run.q[-1, 3:7]
        assert abs(2 * (y * z + w * x)) < 0.03  # upright again
        """,
    "snakeboard": """
        system = lo.systems.load("snakeboard")
        run = system.problem().simulate(system.duration)
        assert np.allclose(run.q[-1, :3], [-3.9285, -0.0286, -3.130], atol=1e-3)
        """,
    "unicycle": """
        system = lo.systems.load("unicycle", swing=0.0)  # both wheels alike
        run = system.problem().simulate(2.0)
        assert np.allclose(run.q[-1, :3], [0.05 * 6.0 * 2.0, 0.0, 0.0])
        """,
    "acm_snake": """
        system = lo.systems.load("acm_snake", imposed="joints")
        case = system.problem().classify(0.0, system.initial[0])
        assert (case.rank, case.locked_rank, case.self_stress) == (21, 3, 18)
        """,
    "trikke": """
        system = lo.systems.load("trikke")
        run = system.problem().simulate(system.duration)
        assert np.hypot(*run.q[-1, :2]) > 1.0
        """,
    "roller_racer": """
        system = lo.systems.load("roller_racer")
        run = system.problem().simulate(system.duration)
        assert abs(run.q[-1, 0]) > 1.0 and abs(run.q[-1, 1]) < 0.2 * abs(run.q[-1, 0])
        """,
    "falling_cat": """
        system = lo.systems.load("falling_cat")
        run = system.problem().simulate(system.duration)
        back = lo.forward_kinematics(system.model, run.q[[0, -1]])[:, 0, 2, 2]  # height of the back's direction
        assert np.allclose(back, [-1.0, 1.0], atol=1e-6)
        """,
    "satellite": """
        system = lo.systems.load("satellite", failed="z")
        run = system.problem().simulate(system.duration)
        assert np.allclose(run.q[-1, 4:], run.q[0, 4:], atol=1e-9)  # the wheels are back
        assert abs(run.q[-1, 2]) > 0.1  # and the satellite has turned about z
        """,
    "space_robot": """
        system = lo.systems.load("space_robot")
        run = system.problem().simulate(system.duration)
        assert np.allclose(run.q[-1, :3], [0.071842, 0.038193, 1.036176], atol=1e-5)
        """,
    "ice_skater": """
        system = lo.systems.load("ice_skater", phase="blade")
        run = system.problem().simulate(0.5)
        inertia = 1.2 + 2 * 4.0 * np.array([0.9, 0.25]) ** 2
        assert np.isclose(run.v[-1, 2] / run.v[0, 2], inertia[0] / inertia[1])
        """,
    "chaplygin_sleigh": """
        system = lo.systems.load("chaplygin_sleigh")
        run = system.problem().simulate(system.duration)
        assert np.isclose(run.v[-1, 0], np.sqrt(0.5), atol=1e-6) and abs(run.v[-1, 2]) < 1e-3
        """,
    "rolling_disc": """
        system = lo.systems.load("rolling_disc", upright="held", roll_rate=5.0, yaw_rate=0.8)
        run = system.problem().simulate(system.duration)
        assert np.allclose(np.hypot(run.q[:, 0], run.q[:, 1] - 1.25), 1.25)  # a circle of radius R roll / yaw
        """,
    "rattleback": """
        system = lo.systems.load("rattleback", spin=-5.0)
        run = system.problem().simulate(system.duration)
        assert run.v[0, 5] < -4.9 and run.v[-1, 5] > 4.0
        """,
    "ball_on_turntable": """
        system = lo.systems.load("ball_on_turntable")
        run = system.problem().simulate(2 * np.pi / (2 / 7 * 3.0))  # one turn of the ball's center
        assert np.allclose(run.q[-1, :2], run.q[0, :2], atol=1e-6)
        """,
    "four_bar": """
        system = lo.systems.load("four_bar", motion="driven")
        run = system.problem().simulate(system.duration)  # one turn of the crank
        assert np.isclose(run.tau[0, 0], 2.00999926) and np.isclose(run.tau[-1, 0], run.tau[0, 0])
        """,
    "linkages": """
        def drawn(kind, body, x):  # path of a point on the x axis of a body
            system = lo.systems.load("linkages", kind=kind)
            run = system.problem().simulate(system.duration, every=0.01)
            pose = lo.forward_kinematics(system.model, run.q)[:, system.model.body_index(body)]
            return run, pose[:, :3, 0] * x + pose[:, :3, 3]
        run, slider = drawn("slider_crank", "slider", 0.0)
        angle = run.q[:, 0]
        assert np.allclose(slider[:, 0], 0.1 * np.cos(angle) + np.sqrt(0.25**2 - (0.1 * np.sin(angle)) ** 2), atol=1e-7)
        run, foot = drawn("hoekens", "rod", 0.5)
        half = abs(np.mod(run.q[:, 0], 2 * np.pi) - np.pi) < np.pi / 2  # of a turn
        assert np.ptp(foot[half, 0]) > 0.35 > 100 * np.ptp(foot[half, 2])  # m; straight to a hundredth
        """,
    "walker_cases": """
        ranks = {}
        for phase in ("flight", "point", "single", "double"):
            system = lo.systems.load("walker_cases", phase=phase)
            ranks[phase] = system.problem().classify(0.0, system.initial[0]).locked_rank
        assert ranks == {"flight": 0, "point": 2, "single": 3, "double": 3}
        """,
    "andrews_squeezer": """
        system = lo.systems.load("andrews_squeezer")
        run = system.problem().simulate(0.03, rtol=1e-10, atol=1e-12)
        assert np.allclose(run.q[-1, :2], [15.81077119, -15.75637106], atol=1e-6)
        """,
    "n_four_bar": """
        system = lo.systems.load("n_four_bar", cells=2)
        level = np.pi / 2 * np.array([1, -1, 1, -1, 1])
        case = system.problem().classify(0.0, system.initial[0])
        assert case.rank == 4 and system.problem().classify(0.0, level).rank < 4
        """,
    "simple_pendulum": """
        system = lo.systems.load("simple_pendulum")
        run = system.problem().simulate(2.3678419475762373)  # one swing
        assert np.isclose(run.q[-1, 0], np.pi / 2, atol=1e-6)
        """,
    "pumped_pendulum": """
        system = lo.systems.load("pumped_pendulum")
        run = system.problem().simulate(system.duration)
        assert abs(run.q[:, 0]).max() > 1.0
        """,
    "box_stack": """
        system = lo.systems.load("box_stack", count=4)
        run = system.problem().simulate(0.2)
        moved = np.abs(run.q[-1] - run.q[0]).reshape(4, 7)
        assert moved[:3].max() < 1e-7 and abs(moved[3, 0] - 0.8**2 / (2 * 0.5 * 9.81)) < 1e-5  # only the one on top
        """,
    "tippe_top": """
        system = lo.systems.load("tippe_top")
        run = system.problem().simulate(system.duration, step=2.5e-4)
        x, y, z, w = run.q[-1, 3:7]
        assert 1 - 2 * (x * x + y * y) < -0.9  # upside down
        """,
    "spinning_coin": """
        system = lo.systems.load("spinning_coin")
        run = system.problem().simulate(system.duration)
        assert run.total[-1] < 0.7 * run.total[0] and np.diff(run.total).max() < 1e-6  # energy goes, and never comes
        """,
    "rimless_wheel": """
        system = lo.systems.load("rimless_wheel")
        run = system.problem().simulate(system.duration)
        w = 0.5
        for event in run.events:
            if event.kind == "impact":
                w = event.v[2] * np.cos(np.pi / 4)  # each impact leaves so much
        assert abs(w - 0.34975) < 0.02  # nearly the steady speed
        """,
    "planar_biped": """
        system = lo.systems.load("planar_biped")
        run = system.problem().simulate(system.duration)
        assert np.isclose(run.q[-1, 0] - run.q[0, 0], 4 * 0.3, atol=0.1)  # nearly a step of 0.3 m every second
        """,
    "trotting_quadruped": """
        system = lo.systems.load("trotting_quadruped", set="files")
        run = system.problem().simulate(2.0)
        assert 1.0 < run.q[-1, 0] - run.q[0, 0] < 1.8 and abs(run.q[:, 2] - 0.55).max() < 0.03
        """,
    "hexapod": """
        system = lo.systems.load("hexapod")
        run = system.problem().simulate(2.0)
        assert np.isclose(run.q[-1, 0] - run.q[0, 0], 2.0 * 0.4, atol=0.1) and abs(run.q[:, 1]).max() < 0.05
        """,
    "compass_walker": """
        from locomote.systems import compass_walker

        cycle = compass_walker.gait()
        assert cycle.stable and np.isclose(cycle.period, 0.7347, atol=1e-4)
        """,
    "slip_hopper": """
        from locomote.systems import slip_hopper

        cycle = slip_hopper.gait()
        assert np.allclose(sorted(cycle.multipliers.real), [0.0296575, 1.0], atol=1e-6)
        """,
    "simplest_walker": """
        from locomote.systems import simplest_walker

        cycle = simplest_walker.gait(slope=0.009)
        assert np.allclose(abs(cycle.multipliers), 0.589113, atol=1e-5)  # stable
        """,
    "gibbon": """
        system = lo.systems.load("gibbon")
        run = system.problem().simulate(system.duration, rtol=1e-10, atol=1e-12)
        poses = lo.forward_kinematics(system.model, run.q[[0, -1]])[:, system.model.body_index("free")]
        hands = poses[:, :3, 0] * 0.6 + poses[:, :3, 3]
        assert np.allclose(hands[1], [-hands[0, 0], 0.0, 0.0], atol=1e-6)  # on the next bar
        assert abs(run.v[-1]).max() < 1e-5 and run.audit.ok  # at rest
        """,
    "pendular_climber": """
        from locomote.systems import pendular_climber

        run = pendular_climber.climb(12.0)
        grips = [event for event in run.events if event.kind == "close"]
        height = [pendular_climber.hands(event.data["q"])[:, 1].max() for event in grips]
        assert len(grips) == 5 and np.diff(height).min() > 0.05  # m, hand over hand
        assert max(abs(np.array(event.data["v"][:3])).max() for event in grips) < 1e-9  # each takes hold at rest
        assert run.audit.ok
        """,
    "heavy_top": """
        system = lo.systems.load("heavy_top")
        run = system.problem().simulate(0.2)
        place = lo.center_of_mass(system.model, run.q[-1])
        assert np.allclose(place, [0.60555, 0.59896, -0.52398], atol=1e-4)
        """,
    "chain": """
        system = lo.systems.load("chain")
        run = system.problem().simulate(system.duration)
        energy = run.kinetic + run.potential
        assert np.ptp(energy) < 1e-6 * np.ptp(run.kinetic)
        """,
    "rope": """
        system = lo.systems.load("rope", links=100, bending=1e-4, damping=1e-5)
        run = system.problem().simulate(0.2)
        energy = run.kinetic + run.potential + run.elastic
        assert energy[-1] < energy[0]
        """,
    "stanford_arm": """
        system = lo.systems.load("stanford_arm")
        run = system.problem().simulate(system.duration)
        assert np.allclose(run.tau[[0, -1], 2], [63.47, 31.74], atol=0.01)  # N, of the boom
        """,
    "puma": """
        model = lo.systems.load("puma").model
        stretched = lo.gravity_force(model, [0, 0, np.pi / 2, 0, 0, 0])[1]
        assert np.isclose(stretched, -37.2 - 8.44, atol=0.1)  # N m, of the shoulder
        """,
    "kuka_kr5": """
        system = lo.systems.load("kuka_kr5")
        pose = lo.forward_kinematics(system.model, [0.3, 0.5, -0.4, 0.2, 0.6, 0.1])[-1]
        found = lo.all_inverse_kinematics(system.model, pose)
        assert found.closed and any(np.allclose(q, [0.3, 0.5, -0.4, 0.2, 0.6, 0.1]) for q in found.q)
        """,
    "spatial_biped": """
        errors = {}
        for motion in ("forced", "controlled"):
            system = lo.systems.load("spatial_biped", motion=motion, error=1e-3)
            run = system.problem().simulate(0.3)
            wanted = lo.systems.load("spatial_biped").problem().simulate(0.3, samples=run.t)
            errors[motion] = np.degrees(abs(run.q - wanted.q).max(axis=1))
        assert errors["forced"][-1] > 5 and errors["controlled"].max() < 0.06
        """,
    "dual_arm_satellite": """
        ends = {}
        for second in ("still", "mirrored", "alike"):
            system = lo.systems.load("dual_arm_satellite", second=second)
            ends[second] = system.problem().simulate(system.duration).q[-1, :3]
        assert abs(ends["mirrored"][2]) < 1e-9 and np.allclose(ends["alike"][:2], 0, atol=1e-9)
        assert abs(ends["still"][2]) > 0.5 and abs(ends["alike"][2]) > abs(ends["still"][2])
        """,
    "perfect_fluid_swimmer": """
        system = lo.systems.load("perfect_fluid_swimmer", rate=3.0)
        run = system.problem().simulate(2 * np.pi / 3.0)
        assert np.allclose(run.q[-1, :3], [0.192045, 0.024872, 0.0], atol=1e-5)  # at rate=0.1 the same
        """,
    "purcell_swimmer": """
        system = lo.systems.load("purcell_swimmer")
        problem = system.problem()
        assert problem.classify(0.0, system.initial[0]).name == "without inertia"
        run = problem.simulate(system.duration)
        assert np.allclose(run.q[-1, :2], [0.44549, 0.12060], atol=1e-4)
        """,
    "scallop": """
        for water in ("viscous", "perfect"):
            system = lo.systems.load("scallop", water=water)
            run = system.problem().simulate(system.duration)
            assert abs(run.q[-1, :2]).max() < 1e-6 and abs(run.q[:, :2]).max() > 1e-3
        """,
    "three_sphere_swimmer": """
        a, d = 0.01, 0.02
        system = lo.systems.load("three_sphere_swimmer", radius=a, amplitude=d)
        run = system.problem().simulate(2 * np.pi, rtol=1e-11, atol=1e-14)
        assert np.isclose(-run.q[-1, 0] / (2 * np.pi), 7 * a / 24 * d**2, rtol=0.03)
        """,
    "flagellum": """
        system = lo.systems.load("flagellum", links=6)
        run = system.problem().simulate(system.duration, rtol=1e-6, atol=1e-8)
        bends = abs(run.q[:, 1:]).max(axis=0)
        assert bends[0] > 2 * bends[-1]  # they die out towards the free end
        """,
    "eel": """
        system = lo.systems.load("eel")
        run = system.problem().simulate(system.duration)
        assert run.q[-1, 0] < -3.0 and run.audit.balance < 1e-8
        """,
    "fish": """
        straight, bent = (lo.systems.load("fish", turn=turn).problem().simulate(8.0) for turn in (0.0, 1.2))
        assert straight.q[-1, 0] < -1.3 and abs(straight.q[-1, 2]) < 0.1 < abs(bent.q[-1, 2])
        pulled = lo.systems.load("fish", body="muscles").problem().simulate(3.0)
        assert pulled.q[-1, 0] < -0.5 and pulled["left_1.activation"].max() > 0.9
        """,
    "tuna_robot": """
        system = lo.systems.load("tuna_robot")
        run = system.problem().simulate(system.duration)
        assert run.q[-1, 0] < -5.0 and abs(run.q[:, 4]).max() > 0.1  # the passive fin
        """,
    "dead_fish": """
        settings = ({}, {"stiffness": 1000.0}, {"flow": "uniform"})
        runs = [lo.systems.load("dead_fish", **one).problem().simulate(10.0) for one in settings]
        upstream, stiff, straight = (run.q[-1, 0] - run.q[len(run.t) // 2, 0] for run in runs)
        assert upstream < 0 < stiff < straight
        """,
    "hovering_moth": """
        system = lo.systems.load("hovering_moth", guide="held")
        run = system.problem().simulate(system.duration)
        lift = sum(run.loads[f"wing {side}"][:, :, 2].sum(axis=1) for side in ("left", "right"))
        mean = np.trapezoid(lift, run.t) / run.t[-1]
        assert 0.9 < mean / (9.81 * system.model.mass) < 1.1
        twisted = lo.systems.load("hovering_moth", wings="flexible").problem().simulate(system.duration)
        assert 0.7 < twisted.energetics.lift < 1.3 and twisted.energetics.power_per_mass < run.energetics.power_per_mass
        """,
    "soft_moth": """
        leans = {}
        for control in ("strokes", "none"):
            system = lo.systems.load("soft_moth", control=control)
            run = system.problem().simulate(6 / 26, every=1e-3, rtol=1e-6, atol=1e-9)
            up = lo.forward_kinematics(system.model, run.q)[:, 0, 2, 2]
            leans[control] = np.degrees(np.arccos(up)).max()
        assert leans["strokes"] < 20 and leans["none"] > 45
        """,
    "flapping_bird": """
        birds = (lo.systems.load("flapping_bird", flap=a, twisting=t) for a, t in ((32.0, 12.0), (0.0, 0.0)))
        flying, gliding = (bird.problem().simulate(4.0) for bird in birds)
        middle = len(flying.t) // 2
        climb = (flying.q[-1, 2] - flying.q[middle, 2]) / 2.0
        assert abs(climb) < 0.5 and gliding.q[-1, 2] < -0.5 and flying.audit.balance < 1e-8
        """,
    "jellyfish": """
        rowing, even = (lo.systems.load("jellyfish", skew=k).problem().simulate(8.0) for k in (0.25, 0.0))
        assert rowing.q[-1, 2] > 0.05 > 0.01 > even.q[-1, 2] and rowing.audit.balance < 1e-8
        """,
    "swimming_octopus": """
        run = lo.systems.load("swimming_octopus").problem().simulate(5.0)
        assert run.q[-1, 0] > 0.2 and abs(run.q[-1, 1:3]).max() < 1e-6 and run.audit.balance < 1e-8
        """,
    "falling_plate": """
        flutters, tumbles = (lo.systems.load("falling_plate", inertia=i).problem().simulate(4.0) for i in (1.1, 1.4))
        assert np.ptp(flutters.q[:, 2]) < np.pi and flutters.q[-1, 1] < -0.5
        assert np.ptp(tumbles.q[:, 2]) > 4 * np.pi and tumbles.audit.balance < 1e-8
        """,
    "sandfish": """
        slow, fast = (lo.systems.load("sandfish", frequency=f).problem().simulate(1.0 / f) for f in (1.0, 4.0))
        assert np.hypot(*slow.q[-1, :2]) > 0.03 and np.allclose(slow.q[-1, :2], fast.q[-1, :2], atol=2e-3)
        """,
    "humanoid": """
        system = lo.systems.load("humanoid", height=1.9)
        run = system.problem().simulate(system.duration)
        spin = [lo.momentum(system.model, q, v)[3:] for q, v in zip(run.q[[0, -1]], run.v[[0, -1]])]
        assert np.allclose(*spin, atol=1e-5)  # angular momentum about the mass center
        """,
    "handling": """
        system = lo.systems.load("handling", motion="ball")
        problem = system.problem()
        q, v = problem.initial()
        run = problem.simulate(0.2, q=q, v=v, every=0.05)
        ball = lo.forward_kinematics(system.model, run.q)[:, system.model.body("ball").index]
        assert abs(ball[:, 2, 3] - 0.4).max() < 1e-6 and run.audit.ok  # it stands; no push yet
        """,
    "hrp2_like": """
        system = lo.systems.load("hrp2_like")
        model, (q, v) = system.model, system.problem().initial()
        soles = [lo.control.Contact(f"{side}_sole", lo.control.rectangle(0.24, 0.14)) for side in ("left", "right")]
        control = lo.control.WholeBody(model, [lo.control.CenterOfMass(), lo.control.Posture(reference=q)], soles)
        now = control.evaluate(0.0, q, v)
        weight = sum(force.sum(axis=0) for force in now.forces.values())
        assert np.allclose(weight, [0, 0, 58 * 9.81], atol=0.1)
        """,
    "quadruped": """
        system = lo.systems.load("quadruped")
        run = system.problem().simulate(system.duration)
        height = lo.center_of_mass(system.model, run.q[[0, -1]])[:, 2]
        assert np.isclose(height[1] - height[0], 5.0 - 9.81 / 2)
        """,
}


def value(x) -> str:
    """A default as a user would write it."""
    return f"{x:.12g}" if isinstance(x, float) else str(x)


def page(name: str) -> str:
    """The page of a system."""
    module = importlib.import_module(f"locomote.systems.{name}")
    first, _, rest = module.__doc__.strip().partition("\n")
    lines = [f"# {name}", "", f"![Eight instants of a run of {name}](../pictures/{name}_strip.png)", "", first, ""]
    if rest.strip():
        lines += [rest.strip("\n"), ""]
    lines += ["## What to see", "", f"{module.SEE[0].upper()}{module.SEE[1:]}.", "", "```", f"locomote run {name}", "```", ""]
    lines += [f"![Net motion, shape, forces and audit of a run of {name}](../pictures/{name}.png)", ""]
    code = EXAMPLES[name].strip("\n").splitlines()
    inset = len(code[0]) - len(code[0].lstrip())
    needs = ["import numpy as np"] if "np." in EXAMPLES[name] else []
    lines += ["```python", *needs, "import locomote as lo", "", *(line[inset:] for line in code if line.strip()), "```", ""]
    lines += ["## Parameters", "", "| parameter | default | unit | meaning |", "|---|---|---|---|"]
    for p in lo.systems.parameters(name):
        words = f"{p.meaning}: {', '.join(p.options)}" if p.options else p.meaning
        lines.append(f"| `{p.name}` | {value(p.default)} | {p.unit} | {words} |")
    return "\n".join([*lines, "", "## Source", "", f"{module.SOURCE[0].upper()}{module.SOURCE[1:]}.", ""])


def index() -> str:
    """The page that lists all systems, group by group."""
    words = "`locomote list` shows them, `locomote info NAME` one with its parameters, `locomote run NAME` moves it."
    lines = ["# Systems", "", words, "Moving pictures of all of them are on the [front page](../index.md).", ""]
    for title, names in groups().items():
        lines += [f"## {title}", "", "| system | what it is |", "|---|---|"]
        lines += [*(f"| [{name}]({name}.md) | {lo.systems.title(name)} |" for name in names), ""]
    inside = [name for names in groups().values() for name in names]
    return "\n".join([*lines, "```{toctree}", ":hidden:", "", *inside, "```", ""])


def pages() -> dict[str, str]:
    """Name of a file -> its text."""
    return {"index.md": index()} | {f"{name}.md": page(name) for name in lo.systems.names()}


if __name__ == "__main__":
    for file, text in pages().items():
        (HERE / file).write_text(text, encoding="utf-8")
