"""Surfaces and shapes: gap, normal, curvature, and where rolling bodies touch.

Takes  surfaces that users describe (`surfaces`).
Gives  packed rows (`packing`) and the routines that compiled code asks for gaps (`gaps`, `rolling`).
"""
