"""What gives torques: motors, muscles and chambers, controllers with a clock and without.

Takes  targets, gains, functions of users.
Gives  records that a problem is made with; compiled code of them is in `evaluation`.
"""
