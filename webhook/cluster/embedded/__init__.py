"""An API server within the process: the port `Api` over a folder of manifests.

It knows what binder and controller ask of an API server, and nothing else. What is written stays in memory.
The tests hold it to the answers of a real kube-apiserver.
"""
