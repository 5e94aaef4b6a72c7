"""A real control plane for the tests: etcd, kube-apiserver, kube-controller-manager, started per run.

Rules of this room: nothing of Kubernetes is imitated; every wait has a deadline and polls; every process is
ended by its own id; nothing outlives the run, also when the run is killed. It knows the product by its
command line and its chart alone, so that the tests see what a user would install.
"""
