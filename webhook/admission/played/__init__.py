"""As much of an API server as admission needs, played in one process: for `check`, the demo and tests.

The order is the real one: defaults, mutating webhooks, the server's own validation, the admission policy,
validating webhooks, quota, storing. Played are the parts that touch classes; everything else of an object
(images, volumes, cpu quotas, the bounds of a LimitRange) is taken as right. Tests hold the verdicts to those
of a real kube-apiserver.
"""
