"""The webhook's decisions: which rules apply to which review, and what they need to know of the cluster.

The rule of this room: it asks the cluster through the small ports of `ports.py` and hands plain data to
`webhook.core`; it never talks to an API server itself.
"""
