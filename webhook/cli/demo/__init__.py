"""`make demo`: from a labelled node to a container that sees its device, and every manifest in examples/.

Real are the webhook (its certificates, its process, TLS, the bytes of every review), the controller and the
binder. A folder stands for the cluster (`webhook.cluster.embedded`). Played is what an API server does around
the webhook (`webhook.admission.played`), its admission policy and its quota plugin included, and one round of
kube-scheduler (`scheduler.py`); the tests of the repository do the same with the real ones.
"""
