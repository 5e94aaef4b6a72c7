"""One node and its device objects, to which plans are applied as the API server would."""

import copy

from webhook.core.inventory.plan_devices import plan_devices


def merged(target, patch):
    """RFC 7386, JSON merge patch."""
    result = dict(target)
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        elif isinstance(value, dict):
            result[key] = merged(result.get(key) if isinstance(result.get(key), dict) else {}, value)
        else:
            result[key] = value
    return result


class DeviceWorld:
    """`tick` plans at a time and applies the plan; the world remembers the state between two of them."""

    def __init__(self, node, objects=()):
        self.node = node
        self.objects = {obj["metadata"]["name"]: obj for obj in objects}
        self.held = set()
        self.settling = None
        self.now = 0.0

    def tick(self, *labels, after=0.0):
        """Give the node these labels (none: as they are), let time pass, plan and apply."""
        if labels:
            self.node["metadata"]["labels"] = {key: value for item in labels for key, value in item.items()}
        self.now += after
        plan, self.settling = plan_devices(
            self.node, tuple(self.objects.values()), self.held, self.settling, self.now
        )
        self.apply(plan)
        return plan

    def apply(self, plan):
        for obj in plan.delete:
            del self.objects[obj["metadata"]["name"]]
        for obj in plan.create:
            assert obj["metadata"]["name"] not in self.objects
            self.objects[obj["metadata"]["name"]] = copy.deepcopy(obj) | {"status": {"phase": "Available"}}
        for patches in (plan.spec_patches, plan.status_patches):
            for name, patch in patches.items():
                self.objects[name] = merged(self.objects[name], patch)

    def restart(self):
        self.settling = None

    def shown(self):
        """Device id to model and phase, the reason in brackets where there is one."""
        return {
            obj["spec"]["deviceID"]: (obj["spec"]["properties"]["model"], _phase(obj["status"]))
            for obj in self.objects.values()
        }


def _phase(status):
    return f"{status['phase']} ({status['reason']})" if status.get("reason") else status["phase"]
