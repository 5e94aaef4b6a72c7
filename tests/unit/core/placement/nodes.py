"""Nodes, devices and pods in few words, for the tests of placement and inventory."""

from webhook.core.placement.membership import Membership
from webhook.core.placement.node import loaded, node_devices
from webhook.core.placement.place import Assignment
from webhook.core.placement.requests import pod_requests
from webhook.core.values.classes import Classes
from webhook.core.values.demand import demand
from webhook.core.values.extended_resource import ExtendedResource
from webhook.core.values.names import stored_key

GIB = 1 << 30
MIB = 1 << 20


def a_class(name, selector=None, **spec):
    selector = selector or {"matchLabels": {"model": name}}
    return {"metadata": {"name": name}, "spec": {"selector": selector, **spec}}


def share(name, memory, model="k80", **spec):
    return a_class(name, {"matchLabels": {"model": model}}, share={"memory": memory}, **spec)


def any_of(name, *models, **spec):
    return a_class(
        name, {"matchExpressions": [{"key": "model", "operator": "In", "values": [*models]}]}, **spec
    )


def device(device_id, model="k80", mib=11441, phase="Available", **places):
    return ExtendedResource(
        name=f"node-a-{device_id.lower()}",
        node="node-a",
        device_id=device_id,
        properties={"model": model, "memory": f"{mib}MiB", **places},
        memory_bytes=mib * MIB,
        phase=phase,
    )


def node(devices, classes, uses=(), **more):
    own = node_devices("node-a", devices, Membership(Classes.of(classes)))
    return loaded(own, uses, **more)


def container(name, amounts=None, **more):
    limits = {stored_key(key): str(value) for key, value in (amounts or {}).items()}
    return {"name": name, "resources": {"limits": limits}, **more}


def sidecar(name, amounts):
    return container(name, amounts, restartPolicy="Always")


def spec(*main, init=()):
    return {"initContainers": list(init), "containers": list(main)}


def asks(classes, *main, init=()):
    return pod_requests(demand(spec(*main, init=init)), Classes.of(classes))


def devices_of(found, of_node):
    """Return container to device ids of an assignment; fails on a refusal."""
    assert isinstance(found, Assignment), found
    record = found.record(of_node)
    return {name: record.devices_of(name) for name in record.containers}
