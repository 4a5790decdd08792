"""A network on one machine: a hub with its world file, robots as members, and faults that can be added to calls.

Builds on ``hub`` and changes nothing in it: faults wrap its ports. Start at ``sandbox_network``.
"""
