"""The problem and its analyses.

Takes  a model and what is imposed, held, acting.
Gives  Locomotion: evaluate, simulate, classify, reduction, connection, linearisation, statics, limit cycles.
"""
