"""The envelope: what the API server sends, read into plain values, and what goes back.

The rule of this room: bytes in, values out, and the reverse; no decisions. What cannot be read raises
an error of `webhook.core.errors` that names the part at fault.
"""
