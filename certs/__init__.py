"""Certificates of the webhook: issue, inspect, renew, store.

The rules of the room:

- It is the only importer of ``cryptography`` and knows nothing of the rest of the product. Callers import its
  modules where they need them, so that a server starts without paying for it.
- Bytes in, bytes out: PEM everywhere, and the present time is an argument. Only ``store`` touches files.
- Every error is a :class:`certs.errors.CertificateError` whose text names the thing and the remedy.
"""
