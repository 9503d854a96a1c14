"""Small files of every kind that says more than a mechanism: an arm with muscles, xacro, SRDF, recorded motion."""

MUSCLE_ARM = """
<mujoco model="arm">
  <worldbody>
    <site name="shoulder blade" pos="-.06 0 1.3"/> <site name="collar" pos=".03 0 1.32"/>
    <body name="upper arm" pos="0 0 1.3">
      <joint name="shoulder" axis="0 -1 0" range="-60 150" damping=".2"/>
      <geom type="capsule" fromto="0 0 0 0 0 -.3" size=".035" mass="1.9"/>
      <geom name="pulley" type="cylinder" pos="0 0 -.3" size=".025 .03" euler="90 0 0" contype="0" conaffinity="0" mass="0"/>
      <geom name="ring" type="sphere" pos=".05 0 -.15" size=".02" contype="0" conaffinity="0" mass="0"/>
      <site name="upper back" pos="-.04 0 -.1"/> <site name="behind" pos="-.1 0 -.3"/> <site name="inside" pos=".05 0 -.15"/>
      <body name="forearm" pos="0 0 -.3">
        <joint name="elbow" axis="0 -1 0" range="-20 140" damping=".1"/> <joint name="turn" axis="0 0 1" range="-90 90"/>
        <geom type="capsule" fromto="0 0 0 0 0 -.26" size=".025" mass="1.5"/>
        <site name="radius" pos=".02 .01 -.05"/> <site name="ulna" pos="-.025 0 -.04"/> <site name="hand" pos="0 0 -.26"/>
      </body>
    </body>
  </worldbody>
  <tendon>
    <spatial name="front"> <site site="collar"/> <geom geom="ring" sidesite="inside"/> <site site="radius"/> </spatial>
    <spatial name="back">
      <site site="shoulder blade"/> <site site="upper back"/> <geom geom="pulley" sidesite="behind"/> <site site="ulna"/>
    </spatial>
    <spatial name="band" stiffness="40" damping="2" springlength=".1 .25">
      <site site="upper back"/> <geom geom="pulley"/> <site site="ulna"/> <pulley divisor="2"/> <site site="hand"/>
      <site site="collar"/>
    </spatial>
  </tendon>
  <actuator>
    <muscle name="biceps" tendon="front" force="500" lengthrange="0.15 0.45" timeconst=".02 .05" tausmooth=".1"/>
    <muscle name="triceps" tendon="back" scale="300" lengthrange="0.2 0.45" range=".6 1.2" lmin=".4" vmax="3" fvmax="1.4"/>
    <muscle name="twister" joint="turn" gear=".03" force="100" lengthrange="-.05 .05"/>
    <position name="winch" tendon="band" kp="20" kv="1" gear="2"/>
  </actuator>
</mujoco>"""

XACRO = """
<robot xmlns:xacro="http://www.ros.org/wiki/xacro" name="arm">
  <xacro:arg name="links" default="3"/>
  <xacro:property name="length" value="0.5"/>
  <xacro:property name="half" value="${length / 2}"/>
  <xacro:macro name="inertia" params="mass r:=${0.1 * 2} *origin">
    <inertial>
      <xacro:insert_block name="origin"/>
      <mass value="${mass}"/>
      <inertia ixx="${0.4 * mass * r**2}" iyy="${0.4 * mass * r**2}" izz="${0.4 * mass * r * r}" ixy="0" ixz="0" iyz="0"/>
    </inertial>
  </xacro:macro>
  <xacro:macro name="chain" params="k last">
    <link name="link${k}"> <xacro:inertia mass="${k + 1}"> <origin xyz="${half} 0 0"/> </xacro:inertia> </link>
    <xacro:if value="${k > 0}">
      <joint name="joint${k}" type="revolute">
        <parent link="link${k - 1}"/> <child link="link${k}"/> <axis xyz="0 1 0"/>
        <origin xyz="${length} 0 ${sin(pi)}"/> <limit lower="${-pi / 2}" upper="${radians(90)}"/>
      </joint>
    </xacro:if>
    <xacro:unless value="${k == last}"> <xacro:chain k="${k + 1}" last="${last}"/> </xacro:unless>
  </xacro:macro>
  <xacro:chain k="0" last="$(arg links)"/>
  <ros2_control name="motors" type="system">
    <joint name="joint1">
      <command_interface name="position"> <param name="min">-1</param> <param name="max">0.5</param> </command_interface>
      <command_interface name="effort"> <param name="min">-7</param> <param name="max">7</param> </command_interface>
    </joint>
  </ros2_control>
</robot>"""

SRDF = """
<robot name="arm">
  <group name="all"> <chain base_link="link0" tip_link="link3"/> </group>
  <group name="wrist"> <joint name="joint3"/> </group>
  <group name="both"> <group name="wrist"/> <link name="link1"/> </group>
  <group_state name="bent" group="all"> <joint name="joint1" value="0.3"/> <joint name="joint3" value="-0.2"/> </group_state>
  <group_state name="home" group="wrist"> <joint name="joint3" value="0.1"/> </group_state>
  <group_state name="home" group="all"> <joint name="joint1" value="0.1"/> </group_state>
  <passive_joint name="joint2"/>
  <disable_collisions link1="link0" link2="link2" reason="Never"/>
  <disable_collisions link1="link0" link2="gone" reason="Never"/>
</robot>"""

MOT = "walk\nnRows=3\ninDegrees=yes\nendheader\ntime\thip\tknee_angle\n0\t1\t2\n0.01\t1.5\t2.5\n0.02\t2\tnan\n"
TRC = (
    "PathFileType\t4\t(X/Y/Z)\twalk.trc\nDataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\n100\t100\t2\t2\tmm\n"
    "Frame#\tTime\tRKNE\t\t\tLKNE\n\t\tX1\tY1\tZ1\tX2\tY2\tZ2\n1\t0.00\t1000\t2\t3\t4\t5\t6\n2\t0.01\t1\t2\t3\t\t\t\n"
)
