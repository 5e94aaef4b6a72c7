"""Plugins of all tests: the tiers, and a control plane that starts when the first test asks for it."""

from hypothesis import settings

pytest_plugins = ("pytester", "tests.harness.tiers", "tests.harness.fixtures")

# How long one example takes says more of the machine than of the code: on a busy one, 200 ms are soon over.
settings.register_profile("any-machine", deadline=None)
settings.load_profile("any-machine")
