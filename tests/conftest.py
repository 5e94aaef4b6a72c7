"""Plugins of all tests: the tiers, and a control plane that starts when the first test asks for it."""

pytest_plugins = ("pytester", "tests.harness.tiers", "tests.harness.fixtures")
