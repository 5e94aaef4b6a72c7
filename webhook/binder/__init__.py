"""The scheduler's extender: which nodes can serve a pod, and which devices it gets when it is bound.

The rules of this room:

- The records on unfinished pods are the only truth of what is taken. What this process has bound and not yet
  seen come back is held beside it; nothing is stored.
- Who is in doubt holds: a device is free only when every possible holder is known not to hold it.
- Choices are made under the one lock of the books; no call to the API server is made while it is held.
"""
