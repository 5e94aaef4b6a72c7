"""Certificates of the webhook: issue, inspect, renew, store."""
