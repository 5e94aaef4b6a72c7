"""The Lease of binder and controller, given by namespace and name."""

from collections.abc import Iterator


def half_a_lease(namespace: str, name: str) -> Iterator[str]:
    """Yield what is wrong where one of the two is given without the other."""
    if bool(namespace) != bool(name):
        given, missing = ("lease_name", "lease_namespace") if name else ("lease_namespace", "lease_name")
        yield f"{missing} is missing: {given} is given, and one is of no use without the other"
