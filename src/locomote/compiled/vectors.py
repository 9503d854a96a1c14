"""Text of LLVM functions on vectors that specialised kernels call: sine and cosine, transposition of rows and lanes.

A vector holds one number of WIDTH configurations. `Lanes(8)` are eight doubles, `Lanes(16, "float")` sixteen floats.
"""

import struct
from dataclasses import dataclass

from locomote.compiler import trigonometry as trig

ABREAST = 2  # vectors whose sines are computed side by side
FLAGS = "contract"  # a*b+c is fused; nothing is reordered, no NaN vanishes


@dataclass(frozen=True)
class Lanes:
    """A vector type of LLVM."""

    width: int
    scalar: str = "double"

    @property
    def bytes(self) -> int:
        """Size of one number."""
        return 8 if self.scalar == "double" else 4

    @property
    def size(self) -> int:
        """Size of a vector in bytes."""
        return self.width * self.bytes

    def __str__(self) -> str:
        return f"<{self.width} x {self.scalar}>"

    @property
    def suffix(self) -> str:
        """Ending of the names of LLVM's own functions on this type."""
        return f"v{self.width}f{8 * self.bytes}"

    def literal(self, value: float) -> str:
        """One constant."""
        if self.scalar == "float":
            value = struct.unpack("f", struct.pack("f", value))[0]
        return f"{self.scalar} 0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"

    def splat(self, value: float) -> str:
        """A constant in all lanes."""
        return "<" + ", ".join([self.literal(value)] * self.width) + ">"


# polynomials of sine and cosine, lowest power first; those of floats after the Cephes library (S. Moshier)
SINE = {
    "double": (trig.S1, trig.S2, trig.S3, trig.S4, trig.S5, trig.S6),
    "float": (-1.6666654611e-1, 8.3321608736e-3, -1.9515295891e-4),
}
COSINE = {
    "double": (trig.C1, trig.C2, trig.C3, trig.C4, trig.C5, trig.C6),
    "float": (4.166664568298827e-2, -1.388731625493765e-3, 2.443315711809948e-5),
}


class Text:
    """Instructions of a function, each giving a new name."""

    def __init__(self, lanes: Lanes, prefix: str = "t"):
        self.lanes, self.lines, self.prefix, self.count = lanes, [], prefix, 0

    def put(self, instruction: str) -> str:
        """Add an instruction and return the name of its result."""
        self.count += 1
        name = f"%{self.prefix}{self.count}"
        self.lines.append(f"  {name} = {instruction}")
        return name

    def do(self, instruction: str) -> None:
        """Add an instruction that has no result."""
        self.lines.append(f"  {instruction}")

    def at(self, pointer: str, place: int | str, kind: str | None = None) -> str:
        """Address of an element of an array."""
        return self.put(f"getelementptr {kind or self.lanes.scalar}, ptr {pointer}, i64 {place}")

    def load(self, kind, address: str, align: int) -> str:
        """A value from memory."""
        return self.put(f"load {kind}, ptr {address}, align {align}")

    def store(self, value: str, address: str, align: int) -> None:
        """A vector to memory."""
        self.do(f"store {self.lanes} {value}, ptr {address}, align {align}")

    def function(self, signature: str) -> str:
        """The text of a function that returns nothing."""
        return "\n".join([f"define internal void @{signature} {{", *self.lines, "  ret void", "}"])

    def op(self, code: str, a: str, b: str) -> str:
        """An arithmetic instruction on vectors."""
        return self.put(f"{code} {FLAGS} {self.lanes} {a}, {b}")

    def fma(self, a: str, b: str, c: str) -> str:
        """a b + c in one rounding."""
        t = self.lanes
        return self.put(f"call {t} @llvm.fma.{t.suffix}({t} {a}, {t} {b}, {t} {c})")

    def each_lane(self, name: str, *arguments: str) -> str:
        """A function of the math library, lane by lane."""
        v, result = self.lanes, "undef"
        for lane in range(v.width):
            ones = [self.put(f"extractelement {v} {x}, i32 {lane}") for x in arguments]
            if v.scalar == "float":
                ones = [self.put(f"fpext float {x} to double") for x in ones]
            one = self.put(f"call double @{name}({', '.join(f'double {x}' for x in ones)})")
            if v.scalar == "float":
                one = self.put(f"fptrunc double {one} to float")
            result = self.put(f"insertelement {v} {result}, {v.scalar} {one}, i32 {lane}")
        return result

    def fma_splat(self, a: str, b: str, c: float) -> str:
        """a b + constant."""
        return self.fma(a, b, self.lanes.splat(c))


def near_sincos(t: Text, x: str) -> tuple[str, str]:
    """Sine and cosine of all lanes, none of which is far out: reduced by multiples of pi/2, then two polynomials."""
    lanes, bits = t.lanes, 8 * t.lanes.bytes
    whole = f"<{lanes.width} x i{bits}>"

    def integers(value: int) -> str:
        return f"<{', '.join([f'i{bits} {value}'] * lanes.width)}>"

    r, (most, rest), quarter = reduced(t, x)
    if lanes.scalar == "float":
        quarter = t.put(f"trunc <{lanes.width} x i64> {quarter} to {whole}")
    z = t.op("fmul", r, r)
    zz = t.op("fmul", z, z)
    s, c = (polynomial(t, z, zz, factors[lanes.scalar]) for factors in (SINE, COSINE))
    s = t.op("fadd", most, t.fma(t.op("fmul", r, z), s, rest))
    c = t.fma(zz, c, t.fma_splat(z, lanes.splat(-0.5), 1.0))
    odd = t.put(f"shl {whole} {quarter}, {integers(bits - 1)}")
    swap = t.put(f"icmp slt {whole} {odd}, zeroinitializer")
    sine = t.put(f"select <{lanes.width} x i1> {swap}, {lanes} {c}, {lanes} {s}")
    cosine = t.put(f"select <{lanes.width} x i1> {swap}, {lanes} {s}, {lanes} {c}")
    turned = []
    for value, turns in ((sine, quarter), (cosine, t.put(f"add {whole} {quarter}, {integers(1)}"))):
        half = t.put(f"and {whole} {turns}, {integers(2)}")
        sign = t.put(f"shl {whole} {half}, {integers(bits - 2)}")
        flipped = t.put(f"xor {whole} {t.put(f'bitcast {lanes} {value} to {whole}')}, {sign}")
        turned.append(t.put(f"bitcast {whole} {flipped} to {lanes}"))
    return turned[0], turned[1]


def reduced(t: Text, x: str) -> tuple[str, tuple[str, str], str]:
    """x less the nearest multiple of pi/2, which is taken off in three parts: rounded, and as a sum with twice the digits; and
    the number of quarter turns.

    That number is rounded by adding a large one, which leaves its lowest bits in those of the sum. Floats are reduced as
    doubles: their own digits are too few.
    """
    lanes, wide = t.lanes, Lanes(t.lanes.width)
    if lanes.scalar == "float":
        x = t.put(f"fpext {lanes} {x} to {wide}")
    t.lanes = wide
    shifted = t.fma_splat(x, wide.splat(trig.TWO_OVER_PI), trig.ROUNDER)
    n = t.put(f"fsub {wide} {shifted}, {wide.splat(trig.ROUNDER)}")
    first, second, third = (wide.splat(-part) for part in (trig.PART_1, trig.PART_2, trig.PART_3))
    coarse = t.fma(n, first, x)  # exact
    finer = t.fma(n, second, coarse)
    lost = t.fma(n, second, t.put(f"fsub {wide} {coarse}, {finer}"))  # in the line above, exact
    r, rest = t.fma(n, third, finer), t.fma(n, third, lost)
    t.lanes = lanes
    if lanes.scalar == "float":
        r = finer = t.put(f"fptrunc {wide} {r} to {lanes}")
        rest = "zeroinitializer"
    return r, (finer, rest), t.put(f"bitcast {wide} {shifted} to <{lanes.width} x i64>")


def polynomial(t: Text, z: str, zz: str, factors: tuple[float, ...]) -> str:
    """A polynomial in z, lowest power first, by pairs and the square of z: the way where results wait least for others."""
    splats = [t.lanes.splat(k) for k in factors]
    pairs = [t.fma(z, b, a) for a, b in zip(splats[::2], splats[1::2], strict=False)]
    if len(splats) % 2:
        pairs.append(splats[-1])
    value = pairs.pop()
    while pairs:
        value = t.fma(zz, value, pairs.pop())
    return value


def all_near(t: Text, x: str) -> str:
    """Whether the polynomials hold in all lanes; not so for one that is not a number."""
    lanes = t.lanes
    size = t.put(f"call {lanes} @llvm.fabs.{lanes.suffix}({lanes} {x})")
    near = t.put(f"fcmp ole {lanes} {size}, {lanes.splat(trig.REACH)}")
    return t.put(f"call i1 @llvm.vector.reduce.and.v{lanes.width}i1(<{lanes.width} x i1> {near})")


def sincos_function(lanes: Lanes) -> str:
    """Sine and cosine of all lanes. If any of them is far out, the math library does them all."""
    t, pair = Text(lanes), f"{{{lanes}, {lanes}}}"

    def give(sine: str, cosine: str) -> None:
        first = t.put(f"insertvalue {pair} undef, {lanes} {sine}, 0")
        t.do(f"ret {pair} {t.put(f'insertvalue {pair} {first}, {lanes} {cosine}, 1')}")

    t.do(f"br i1 {all_near(t, '%x')}, label %inside, label %outside")
    t.lines.append("inside:")
    give(*near_sincos(t, "%x"))
    t.lines.append("outside:")
    give(*(t.each_lane(name, "%x") for name in ("sin", "cos")))
    return "\n".join([f"define internal {pair} @sincos({lanes} %x) {{", *t.lines, "}"])


def declarations(lanes: Lanes) -> str:
    """What the functions of this module and straight-line code call."""
    v, width = lanes, lanes.width
    wide = f"declare <{width} x double> @llvm.fma.v{width}f64({', '.join([f'<{width} x double>'] * 3)})"
    return f"""{wide if v.scalar == "float" else ""}
declare {v} @llvm.fma.{v.suffix}({v}, {v}, {v})
declare {v} @llvm.floor.{v.suffix}({v})
declare {v} @llvm.sqrt.{v.suffix}({v})
declare {v} @llvm.fabs.{v.suffix}({v})
declare i1 @llvm.vector.reduce.and.v{width}i1(<{width} x i1>)
declare double @sin(double)
declare double @cos(double)
declare double @exp(double)
declare double @log(double)
declare double @atan2(double, double)"""


def transposed(t: Text, rows: list[str]) -> list[str]:
    """Columns of a square of WIDTH vectors, by exchange of ever larger blocks."""
    lanes, width, block = t.lanes, t.lanes.width, 1
    while block < width:
        low = [k if not k & block else width + k - block for k in range(width)]
        high = [k + block if not k & block else width + k for k in range(width)]
        masks = [f"<{width} x i32> <{', '.join(f'i32 {k}' for k in mask)}>" for mask in (low, high)]
        for k in range(width):
            if not k & block:
                a, b = rows[k], rows[k + block]
                rows[k], rows[k + block] = (t.put(f"shufflevector {lanes} {a}, {lanes} {b}, {mask}") for mask in masks)
        block *= 2
    return rows


def way_on(column: int, columns: int, width: int) -> tuple[str, int, int]:
    """How to take columns of a matrix from here on: in what, its first column, and that after the last.

    Squares of WIDTH columns; the last may overlap the one before if half of it is new, else the last columns go one by one.
    """
    left = columns - column
    if left >= width:
        return "square", column, column + width
    if left > width // 2 and columns >= width:
        return "square", columns - width, columns
    return "single", column, column + 1


def pack_function(lanes: Lanes, name: str, columns: int) -> str:
    """WIDTH rows of a matrix into consecutive vectors."""
    t, v, k = Text(lanes), lanes, 0
    while k < columns:
        way, start, k = way_on(k, columns, v.width)
        if way == "square":
            rows = [t.load(v, t.at("%source", r * columns + start), v.bytes) for r in range(v.width)]
            for c, column in enumerate(transposed(t, rows)):
                t.store(column, t.at("%target", start + c, str(v)), v.size)
            continue
        one = "undef"
        for r in range(v.width):
            value = t.load(v.scalar, t.at("%source", r * columns + start), v.bytes)
            one = t.put(f"insertelement {v} {one}, {v.scalar} {value}, i32 {r}")
        t.store(one, t.at("%target", start, str(v)), v.size)
    return t.function(f"{name}(ptr noalias %source, ptr noalias %target)")


WAY_OUT = "ptr noalias %scratch, ptr noalias %table, i64 %count, ptr noalias %target, i64 %columns"


def square_function(lanes: Lanes) -> str:
    """Vectors into WIDTH rows of a matrix, in squares: %table says for each of %count squares the column where it starts,
    then where the vectors of its columns stand, all in bytes."""
    t, v, width = Text(lanes), lanes, lanes.width
    targets = [t.at("%target", t.put(f"mul i64 %columns, {k}")) for k in range(width)]
    head, t.lines = t.lines, []
    first, *places = table_entries(t, "%i", width + 1)
    rows = transposed(t, [t.load(v, t.at("%scratch", place, "i8"), v.size) for place in places])
    for target, row in zip(targets, rows, strict=True):
        t.store(row, t.at(target, first, "i8"), v.bytes)
    return counted(f"square({WAY_OUT})", head, t.lines)


def single_function(lanes: Lanes) -> str:
    """Vectors into WIDTH rows of a matrix, one by one: %table says of each its column and where it stands, in bytes."""
    t, v = Text(lanes), lanes
    targets = [t.at("%target", t.put(f"mul i64 %columns, {k}")) for k in range(v.width)]
    head, t.lines = t.lines, []
    column, place = table_entries(t, "%i", 2)
    one = t.load(v, t.at("%scratch", place, "i8"), v.size)
    for k, target in enumerate(targets):
        value = t.put(f"extractelement {v} {one}, i32 {k}")
        t.do(f"store {v.scalar} {value}, ptr {t.at(target, column, 'i8')}, align {v.bytes}")
    return counted(f"single({WAY_OUT})", head, t.lines)


def table_entries(t: Text, row: str, columns: int) -> list[str]:
    """A row of %table."""
    start = t.at("%table", t.put(f"mul i64 {row}, {columns}"), "i32")
    return [t.put(f"zext i32 {t.load('i32', t.at(start, k, 'i32'), 4)} to i64") for k in range(columns)]


def counted(signature: str, head: list[str], body: list[str]) -> str:
    """A function that does its body for %i from 0 to %count - 1."""
    lines = [
        *head, "  %any = icmp sgt i64 %count, 0", "  br i1 %any, label %loop, label %end", "loop:",
        "  %i = phi i64 [0, %0], [%j, %loop]", *body, "  %j = add i64 %i, 1", "  %more = icmp slt i64 %j, %count",
        "  br i1 %more, label %loop, label %end", "end:", "  ret void", "}",
    ]  # fmt: skip
    return "\n".join([f"define internal void @{signature} {{", *lines])


def sines_function(lanes: Lanes) -> str:
    """Sines and cosines of consecutive vectors into consecutive pairs, %count times ABREAST.

    Quick ones for all, and if one was far out, careful ones for all. Several at a time, instruction by instruction, since
    each waits long for its own results.
    """
    v = lanes
    head, quick, careful, sizes = [], [], [], []
    for n in range(ABREAST):
        t = Text(lanes, f"s{n}_")
        place = t.put(f"add i64 {t.put(f'mul i64 %i, {ABREAST}')}, {n}")
        x = t.load(v, t.at("%angles", place, str(v)), v.size)
        pair = t.at("%pairs", t.put(f"mul i64 {place}, 2"), str(v))
        places = [pair, t.at(pair, 1, str(v))]
        head += t.lines
        t.lines = []
        for place, value in zip(places, near_sincos(t, x), strict=True):
            t.store(value, place, v.size)
        sizes.append(t.put(f"call {v} @llvm.fabs.{v.suffix}({v} {x})"))
        quick.append(t.lines)
        t.lines = []
        both = t.put(f"call {{{v}, {v}}} @sincos({v} {x})")
        for k, place in enumerate(places):
            t.store(t.put(f"extractvalue {{{v}, {v}}} {both}, {k}"), place, v.size)
        careful += t.lines
    t, largest = Text(lanes), "%largest"
    for size in sizes:  # what is not a number is left out: the quick way does it right
        larger = t.put(f"fcmp ogt {v} {size}, {largest}")
        largest = t.put(f"select <{v.width} x i1> {larger}, {v} {size}, {v} {largest}")
    parameters = "(ptr %angles, ptr %pairs, i64 %count)"
    lines = [
        "  %any = icmp sgt i64 %count, 0", "  br i1 %any, label %loop, label %end", "loop:",
        "  %i = phi i64 [0, %0], [%j, %loop]", f"  %largest = phi {v} [zeroinitializer, %0], [{largest}, %loop]",
        *head, *(line for abreast in zip(*quick, strict=True) for line in abreast), *t.lines,
        "  %j = add i64 %i, 1", "  %more = icmp slt i64 %j, %count",
        "  br i1 %more, label %loop, label %check", "check:",
        f"  %near = fcmp ole {v} {largest}, {v.splat(trig.REACH)}",
        f"  %all = call i1 @llvm.vector.reduce.and.v{v.width}i1(<{v.width} x i1> %near)",
        "  br i1 %all, label %end, label %far", "far:",
        "  call void @far_sines(ptr %angles, ptr %pairs, i64 %count)", "  br label %end", "end:", "  ret void", "}",
    ]  # fmt: skip
    far = counted(f"far_sines{parameters}", [], [*head, *careful])
    return "\n".join([far, f"define internal void @sines{parameters} {{", *lines])
