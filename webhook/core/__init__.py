"""The rules of ResourceClass, as pure functions of plain data.

The rule of this room: standard library only; no clock, no sockets, no logging, no randomness. What a
rule needs to know comes in as an argument, what it decides goes out as a value. Kubernetes objects are
raw JSON (``dict``), exactly as the API server sent them: a typed model would drop the fields it does
not know.
"""
