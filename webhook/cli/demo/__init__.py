"""`make demo`: the real webhook in front of a played API server, on the manifests in examples/.

Real are the certificates, the server process, its TLS and the bytes of every review. Played (by
`webhook.admission.played`) is what an API server does around it, its admission policy and its quota
plugin included; the tests of the repository do the same with a real kube-apiserver.
"""
