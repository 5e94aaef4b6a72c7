"""The controller: what the cluster has is written where people, the scheduler and the kubelet look for it.

The rules of this room:

- What is to be written follows from the caches alone (webhook/core/inventory says how), never from what was
  written before: a restart, at any point, ends in the same state.
- Only the holder of the Lease writes, and only while its caches follow the API server.
- Of objects that are not ours, only our own keys are touched; where nothing changes, nothing is written.
"""
