"""A walking person in OpenSim's format, made here: 12 coordinates, knees whose shanks shift along splines, four muscles."""

LINE = '<LinearFunction name="function"><coefficients>1 0</coefficients></LinearFunction>'
STILL = '<Constant name="function"><value>0</value></Constant>'
BEND = "-2.0944 -1.74533 -1.39626 -1.0472 -0.698132 -0.349066 -0.174533 0.197344 0.337395 0.490178 1.52146 2.0944"
FORWARD = "-0.0032 0.00179 0.00411 0.0041 0.00212 -0.001 -0.0031 -0.005227 -0.005435 -0.005574 -0.005435 -0.00525"
DOWN = "-0.4226 -0.4082 -0.399 -0.3976 -0.3966 -0.395264 -0.396 -0.397 -0.398 -0.3985 -0.399 -0.3995"


def body(name, mass, center, inertia):
    inside = f"<mass>{mass}</mass><mass_center>{center}</mass_center><inertia>{inertia} 0 0 0</inertia>"
    return f'<Body name="{name}">{inside}</Body>'


def frame(name, parent, place, turn="0 0 0"):
    inside = f"<socket_parent>{parent}</socket_parent><translation>{place}</translation><orientation>{turn}</orientation>"
    return f'<PhysicalOffsetFrame name="{name}">{inside}</PhysicalOffsetFrame>'


def coordinates(*names, start=0.0):
    inside = f"<default_value>{start}</default_value><range>-3 3</range><clamped>true</clamped>"
    return "".join(f'<Coordinate name="{name}">{inside}</Coordinate>' for name in names)


def axes(*rows):
    """Rows of (name, axis, function), three turns and three shifts; rows that are left out do not move."""
    given = {row[0]: row[1:] for row in rows}
    plain = {"rotation1": "0 0 1", "rotation2": "0 1 0", "rotation3": "1 0 0"}
    plain |= {"translation1": "1 0 0", "translation2": "0 1 0", "translation3": "0 0 1"}
    made = []
    for name, usual in plain.items():
        coordinate, axis, function = given.get(name, ("", usual, STILL))
        inside = f"<coordinates>{coordinate}</coordinates><axis>{axis}</axis>{function}"
        made.append(f'<TransformAxis name="{name}">{inside}</TransformAxis>')
    return f"<SpatialTransform>{''.join(made)}</SpatialTransform>"


def spline(x, y):
    return f'<SimmSpline name="function"><x>{x}</x><y>{y}</y></SimmSpline>'


def joint(kind, name, parent, child, frames, inside, transform=""):
    sockets = f"<socket_parent_frame>{parent}</socket_parent_frame><socket_child_frame>{child}</socket_child_frame>"
    inner = f"{sockets}<coordinates>{inside}</coordinates><frames>{frames}</frames>{transform}"
    return f'<{kind} name="{name}">{inner}</{kind}>'


def muscle(name, points, force, fibre, tendon):
    stops = "".join(
        f'<PathPoint name="{k}"><socket_parent_frame>/bodyset/{own}</socket_parent_frame><location>{at}</location></PathPoint>'
        for k, (own, at) in enumerate(points)
    )
    path = f'<GeometryPath name="path"><PathPointSet><objects>{stops}</objects></PathPointSet></GeometryPath>'
    numbers = f"<max_isometric_force>{force}</max_isometric_force><optimal_fiber_length>{fibre}</optimal_fiber_length>"
    return (
        f'<Thelen2003Muscle name="{name}">{path}{numbers}<tendon_slack_length>{tendon}</tendon_slack_length></Thelen2003Muscle>'
    )


def leg(side, z):
    """Bodies, joints and muscles of one side."""
    femur, tibia, foot = f"femur_{side}", f"tibia_{side}", f"calcn_{side}"
    bodies = body(femur, 7.7, "0 -0.17 0", "0.1105 0.029 0.1165") + body(tibia, 3.1, "0 -0.1867 0", "0.0414 0.0042 0.0419")
    bodies += body(foot, 1.05, "0.09 0.03 0", "0.002 0.003 0.003")
    flexion, adduction, knee = f"hip_flexion_{side}", f"hip_adduction_{side}", f"knee_angle_{side}"
    joints = joint(
        "CustomJoint", f"hip_{side}", "socket", f"/bodyset/{femur}",
        frame("socket", "/bodyset/pelvis", f"-0.0707 -0.0661 {0.0835 * z}"), coordinates(flexion, adduction),
        axes(("rotation1", flexion, "0 0 1", LINE), ("rotation2", adduction, f"{z} 0 0", LINE),
             ("rotation3", "", "0 1 0", STILL)),
    )  # fmt: skip
    curve = f"<function>{spline(BEND, FORWARD)}</function><scale>1.1</scale>"
    scaled = f'<MultiplierFunction name="function">{curve}</MultiplierFunction>'
    joints += joint(
        "CustomJoint", f"knee_{side}", f"/bodyset/{femur}", "head", frame("head", f"/bodyset/{tibia}", "0 0.01 0", "0 0.05 0"),
        coordinates(knee),
        axes(("rotation1", knee, "0 0 1", LINE), ("translation1", knee, "1 0 0", scaled),
             ("translation2", knee, "0 1 0", spline(BEND, DOWN))),
    )  # fmt: skip
    joints += joint(
        "PinJoint", f"ankle_{side}", "shank", "foot",
        frame("shank", f"/bodyset/{tibia}", "0 -0.43 0", "0.1 -0.2 0.05") + frame("foot", f"/bodyset/{foot}", "0.05 0.04 0"),
        coordinates(f"ankle_angle_{side}"),
    )  # fmt: skip
    front = [("pelvis", f"-0.03 -0.03 {0.09 * z}"), (femur, "0.05 -0.38 0"), (tibia, "0.045 0.02 0")]
    muscles = muscle(f"rect_fem_{side}", front, 1169, 0.114, 0.31)
    muscles += muscle(f"gastroc_{side}", [(femur, "-0.02 -0.39 -0.02"), (foot, "0 0.03 -0.005")], 1500, 0.06, 0.39)
    return bodies, joints, muscles


def gait():
    """The text of the file."""
    bodies = body("pelvis", 9.7, "-0.0707 0 0", "0.0815 0.0815 0.0445") + body(
        "torso", 34.2, "-0.03 0.32 0", "1.4745 0.7555 1.4314"
    )
    joints = joint(
        "CustomJoint", "ground_pelvis", "/ground", "/bodyset/pelvis", "", coordinates("pelvis_tilt", "pelvis_tx", "pelvis_ty"),
        axes(("rotation1", "pelvis_tilt", "0 0 1", LINE), ("translation1", "pelvis_tx", "1 0 0", LINE),
             ("translation2", "pelvis_ty", "0 1 0", LINE)),
    )  # fmt: skip
    joints += joint(
        "PinJoint", "back", "low", "high",
        frame("low", "/bodyset/pelvis", "-0.1007 0.0815 0") + frame("high", "/bodyset/torso", "0 0 0"),
        coordinates("lumbar_extension"),
    )  # fmt: skip
    right, left = leg("r", 1), leg("l", -1)
    bodies, joints = bodies + right[0] + left[0], joints + right[1] + left[1]
    sets = (("BodySet", "bodyset", bodies), ("JointSet", "jointset", joints), ("ForceSet", "forceset", right[2] + left[2]))
    inside = "".join(f'<{tag} name="{name}"><objects>{parts}</objects></{tag}>' for tag, name, parts in sets)
    model = f'<Model name="gait"><gravity>0 -9.80665 0</gravity>{inside}</Model>'
    return f'<?xml version="1.0" encoding="UTF-8"?><OpenSimDocument Version="40000">{model}</OpenSimDocument>'
