"""The default quota of a namespace, from `spec.quota.default` of the classes."""

from webhook.controller.kept import QUOTAS, keep_quota
from webhook.controller.notices import Notices
from webhook.controller.world import World
from webhook.controller.writing import Writer
from webhook.core.inventory.default_quota import NOT_OURS, default_quota
from webhook.core.values.names import DEFAULT_QUOTA


class QuotaWork:
    """Keeps the one ResourceQuota of ours in one namespace."""

    def __init__(self, world: World, writer: Writer, notices: Notices) -> None:
        self._world = world
        self._writer = writer
        self._notices = notices

    def __call__(self, namespace: str) -> None:
        """Create, change or delete it, where that is due."""
        obj = self._world.namespaces.get(("", namespace))
        if obj is None:
            return
        classes, _ = self._world.read_classes()
        plan = default_quota(obj, self._world.quotas.of(namespace), classes)
        key = namespace, DEFAULT_QUOTA
        present = self._world.quotas.get(key)
        if plan.warning and present is not None:
            self._notices.tell(present, NOT_OURS, plan.warning)
        if plan.create is not None:
            self._world.quotas.learn(key, keep_quota(self._writer.create(QUOTAS, plan.create)))
        elif present is not None and plan.patch is not None:
            self._writer.patch(QUOTAS, present, plan.patch)
        elif present is not None and plan.delete:
            self._writer.delete(QUOTAS, present)
