"""The chart on a real control plane: ``python -m tests.helm.cluster``, which ``make cluster`` runs.

etcd, API server, controllers and scheduler are real; kwok plays the nodes, so that pods become ready without
containers. Start at ``scenario.py`` (what is done), then ``control_plane.py``.
"""
