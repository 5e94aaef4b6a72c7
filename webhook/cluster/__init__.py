"""What the cluster holds, over a real API server (watched caches, direct reads) or a folder of manifests.

The rule of this room: it is the only importer of `httptools` and of `kubernetes`, and of the latter only
configuration, authentication and TLS are used. Objects stay raw JSON: the package's typed models refuse what
the API server accepts and drop the fields they do not know. Errors of foreign packages leave it as the errors
of `webhook.core.errors`.
"""
