"""Importing this registers the ready tasks: programs that take the name of an environment take
`locomote.learning.registered:locomote/CartPole-v0` as they are."""

from locomote.learning.env import register

register()
