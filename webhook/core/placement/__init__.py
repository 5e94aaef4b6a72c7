"""Which devices of a node a pod gets, or why it cannot be served there. One node at a time."""
