"""ResourceClass: device classes for Kubernetes.

The rooms and what they may import (held by the contracts in setup.cfg):

    cli -> admission, binder -> serve, cluster, certs -> wire -> core

``core`` holds the rules and uses the standard library alone; only ``cluster`` imports ``kubernetes``.
"""
