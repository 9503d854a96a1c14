"""Readable equations against Lagrangians that are derived here by hand, as expressions: the difference is zero."""

import pytest
import sympy as sp

import locomote as lo


def cart_with_poles(poles):
    """Poles that stand upright at zero, each with its center at half its length."""
    builder = lo.Builder("cart").body("cart", joint=lo.Joint("slide", "prismatic", axis="x"), inertia=lo.Inertia(1.3))
    parent, at = "cart", (0, 0, 0)
    for k in range(poles):
        rod = lo.Inertia(0.2 + 0.1 * k, (0, 0, 0.5), (0.02, 0.02, 0.001))
        builder.body(f"pole{k}", parent=parent, at=at, joint=lo.Joint(f"pivot{k}", axis="y"), inertia=rod)
        parent, at = f"pole{k}", (0, 0, 0.9)
    return builder.build()


def lagrange(kinetic, potential, q, v, a):
    """d/dt dT/dv - dT/dq + dV/dq."""
    forces = []
    for x, rate in zip(q, v, strict=True):
        momentum = sp.diff(kinetic, rate)
        change = sum(sp.diff(momentum, y) * u + sp.diff(momentum, u) * w for y, u, w in zip(q, v, a, strict=True))
        forces.append(change - sp.diff(kinetic, x) + sp.diff(potential, x))
    return forces


def is_zero(expression):
    """Whether a polynomial of sines and cosines is zero: by exponentials, whose products are independent."""
    return sp.expand(expression.rewrite(sp.exp)) == 0


def motion(names):
    return [[sp.Symbol(f"{letter}_{name}", real=True) for name in names] for letter in "qva"]


def hand_made(poles):
    """Forces of the cart with poles from positions and velocities of its parts, with x to the right and z up."""
    names = ["slide", *(f"pivot{k}" for k in range(poles))]
    q, v, a = motion(names)
    g, m_cart = sp.Symbol("g", real=True), sp.Symbol("m_cart", positive=True)
    kinetic, potential = m_cart * v[0] ** 2 / 2, 0
    x, z, angle, turn = q[0], sp.Integer(0), 0, 0
    for k in range(poles):
        m, c, I = sp.Symbol(f"m_pole{k}", positive=True), *(sp.Symbol(s, real=True) for s in (f"c_pole{k}", f"I_pole{k}_yy"))
        if k:
            length = sp.Symbol(f"l_pivot{k}", real=True)
            x, z = x + length * sp.sin(angle), z + length * sp.cos(angle)
        angle, turn = angle + q[k + 1], turn + v[k + 1]
        center = [x + c * sp.sin(angle), z + c * sp.cos(angle)]
        speed = [sum(sp.diff(coordinate, y) * u for y, u in zip(q, v, strict=True)) for coordinate in center]
        kinetic += m * (speed[0] ** 2 + speed[1] ** 2) / 2 + I * turn**2 / 2
        potential += m * g * center[1]
    return kinetic, potential, q, v, a


@pytest.mark.parametrize("poles", [1, 2])
def test_cart_with_poles(poles):
    kinetic, potential, q, v, a = hand_made(poles)
    model = cart_with_poles(poles)
    found = lo.equations(model, parameters="all")
    for ours, theirs in zip(found.results["tau"], lagrange(kinetic, potential, q, v, a), strict=True):
        assert is_zero(ours - theirs) and not is_zero(ours - 2 * theirs)
    assert is_zero(lo.equations(model, "kinetic_energy", parameters="all").results["energy"][0] - kinetic)
    assert is_zero(lo.equations(model, "potential_energy", parameters="all").results["energy"][0] - potential)
    assert {str(x): value for x, value in found.values.items()}["m_cart"] == 1.3


def test_forward_dynamics_of_the_cart_pole():
    """Accelerations put into the hand-made forces give the forces back."""
    kinetic, potential, q, v, a = hand_made(1)
    found = lo.equations(cart_with_poles(1), "forward_dynamics", parameters="all").results["a"]
    tau = [sp.Symbol(f"tau_{name}", real=True) for name in ("slide", "pivot0")]
    for force, wanted in zip(lagrange(kinetic, potential, q, v, a), tau, strict=True):
        difference, _ = sp.fraction(sp.together(force.subs(dict(zip(a, found, strict=True))) - wanted))
        assert is_zero(difference)


def test_planar_base():
    """A body with its center off the origin, in its own frame: Newton and Euler by hand."""
    model = lo.Builder("puck", base="planar").body("puck", inertia=lo.Inertia(2.0, (0.3, 0, 0), (0.1, 0.1, 0.1))).build()
    m, c, I = sp.Symbol("m_puck", positive=True), *sp.symbols("c_puck I_puck_zz", real=True)
    vx, vy, w = sp.symbols("v_base_vx v_base_vy v_base_wz", real=True)
    ax, ay, turn = sp.symbols("a_base_vx a_base_vy a_base_wz", real=True)
    force = [m * (ax - w * vy - c * w**2), m * (ay + w * vx + c * turn)]
    expected = [*force, I * turn + c * force[1]]
    found = lo.equations(model, parameters="all").results["tau"]
    assert all(sp.expand(x - y) == 0 for x, y in zip(found, expected, strict=True))


def test_text_is_short():
    text = lo.equations(cart_with_poles(1), parameters="all", form="text")
    assert text.splitlines() == [
        "tau_slide = a_pivot0*c_pole0*m_pole0*cos(q_pivot0) + a_slide*(m_cart + m_pole0) "
        "- c_pole0*m_pole0*v_pivot0**2*sin(q_pivot0)",
        "tau_pivot0 = a_pivot0*(I_pole0_yy + c_pole0**2*m_pole0) + a_slide*c_pole0*m_pole0*cos(q_pivot0) "
        "- c_pole0*g*m_pole0*sin(q_pivot0)",
    ]


def test_numbers_of_the_model_stay_without_parameters():
    text = lo.equations(cart_with_poles(1), form="text")
    assert "1.3" not in text and "3*a_slide/2" in text and "0.981*sin(q_pivot0)" in text


def test_latex():
    text = lo.equations(cart_with_poles(1), "mass_matrix", parameters=["pole0.mass"], form="latex")
    assert text.startswith("\\begin{aligned}") and "m_{pole0}" in text and text.count("&=") == 4


def test_springs():
    rod = lo.Inertia.rod(1.0, 1.0)
    joint = lo.Joint("pivot", axis="y", stiffness=3.0, rest=0.2, damping=0.5)
    model = lo.Builder("sprung").body("rod", joint=joint, inertia=rod).build()
    k, d, rest, q, v = sp.symbols("k_pivot d_pivot rest_pivot q_pivot v_pivot", real=True)
    assert sp.expand(lo.equations(model, "passive_force", parameters="all").results["tau"][0] + k * (q - rest) + d * v) == 0


def test_coupled_joints():
    """Two rods that fold: numbers put into the equations give the numbers of the library."""
    rod = lo.Inertia.rod(1.0, 1.0)
    builder = lo.Builder("fold").body("inner", joint=lo.Joint("root", axis="y"), inertia=rod)
    builder.body("outer", parent="inner", at=(1, 0, 0), joint=lo.Joint("fold", axis="y"), inertia=rod)
    model = builder.couple("fold", {"root": -2.0}, offset=0.5).build()
    found = lo.equations(model, parameters="all")
    assert str(found).startswith("tau_root = ")
    numbers = found.values | dict(zip(sp.symbols("q_root v_root a_root", real=True), (0.3, 0.7, -0.2), strict=True))
    assert float(found.results["tau"][0].subs(numbers)) == pytest.approx(lo.inverse_dynamics(model, [0.3], [0.7], [-0.2])[0])


def test_refusals():
    with pytest.raises(ValueError, match="operations; equations are written out up to"):
        lo.equations(lo.systems.load("humanoid").model)
    with pytest.raises(lo.UnknownName, match="no form named 'html'"):
        lo.equations(cart_with_poles(1), form="html")
    rubbing = lo.Builder("rubbing").body("rod", joint=lo.Joint("pivot", friction=1.0), inertia=lo.Inertia.rod(1.0, 1.0)).build()
    with pytest.raises(ValueError, match="goes by cases"):
        lo.equations(rubbing, "passive_force")


def test_without_sympy(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "sympy", None)
    with pytest.raises(ImportError, match=r"pip install locomote\[symbolic\]"):
        lo.equations(cart_with_poles(1))
