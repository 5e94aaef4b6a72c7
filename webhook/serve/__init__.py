"""What a server needs: TLS, the worker, the health port, metrics, logs.

The rules of the room:

- It knows nothing of admission: an application is a WSGI callable with a readiness check.
- gunicorn runs the processes. What is ours here is what its stock ``gthread`` worker lacks behind an API
  server: no thread ever waits for the network, so parked and slow connections cost a file descriptor each and
  nothing else.
- The import is light: neither Flask nor ``kubernetes`` nor ``cryptography``, and gunicorn and
  ``prometheus_client`` only once a server starts.
"""
