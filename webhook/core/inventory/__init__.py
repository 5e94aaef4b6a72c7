"""What the cluster has: who holds which device, and what nodes, devices, classes and quotas should say."""
