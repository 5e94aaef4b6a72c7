"""What `doctor` reads, and how little it keeps of each object. Nothing is written."""

from collections.abc import Collection
from typing import Final

from webhook.cluster.listing import Resource, keep_whole
from webhook.controller import kept
from webhook.core.doctor.definitions import FIELDS
from webhook.core.doctor.facts import BINDING, DEFINITION, MUTATING, POLICY, VALIDATING
from webhook.core.doctor.parts import PARTS
from webhook.core.doctor.webhook_calls import SERVICE_LABEL
from webhook.core.raw import name_of
from webhook.core.values.names import Json

_CORE: Final = "/api/v1"
_ADMISSION: Final = "/apis/admissionregistration.k8s.io/v1"
# The chart gives this label to all that it installs.
_OF_THE_CHART: Final = {"labelSelector": "app.kubernetes.io/name=resourceclass"}


def _keep_part(obj: Json) -> Json | None:
    return kept.keep_object(obj) if name_of(obj) in PARTS else None


QUOTAS: Final[Resource[Json]] = Resource("ResourceQuota", _CORE, "resourcequotas", kept.keep_object)
COLLECTIONS: Final[tuple[Resource[Json], ...]] = (
    kept.NODES,
    kept.DEVICES,
    kept.CLASSES,
    kept.NAMESPACES,
    QUOTAS,
    Resource(MUTATING, _ADMISSION, "mutatingwebhookconfigurations", kept.keep_object),
    Resource(VALIDATING, _ADMISSION, "validatingwebhookconfigurations", kept.keep_object),
    Resource(POLICY, _ADMISSION, "validatingadmissionpolicies", kept.keep_object),
    Resource(BINDING, _ADMISSION, "validatingadmissionpolicybindings", kept.keep_object),
    Resource("Deployment", "/apis/apps/v1", "deployments", _keep_part, query=_OF_THE_CHART),
    Resource("ConfigMap", _CORE, "configmaps", _keep_part, query=_OF_THE_CHART),
)
SECRET: Final[Resource[Json]] = Resource("Secret", _CORE, "secrets", keep_whole)
DEFINITIONS: Final[Resource[Json]] = Resource(
    DEFINITION, "/apis/apiextensions.k8s.io/v1", "customresourcedefinitions", keep_whole
)
DEFINITION_NAMES: Final = tuple(FIELDS)
# Its path is /version: no collection, and read like an object without a name.
VERSION: Final[Resource[Json]] = Resource("Version", "", "version", keep_whole)


def leases_of(name: str) -> Resource[Json]:
    """Return the Leases of a name: in all namespaces, for nobody says where the product is installed."""

    def keep(obj: Json) -> Json | None:
        return obj if name_of(obj) == name else None

    query = {"fieldSelector": f"metadata.name={name}"}
    return Resource("Lease", "/apis/coordination.k8s.io/v1", "leases", keep, query=query)


def endpoints_of(services: Collection[str]) -> Resource[Json]:
    """Return the EndpointSlices of Services of these names."""
    query = {"labelSelector": f"{SERVICE_LABEL} in ({','.join(sorted(services))})"}
    return Resource("EndpointSlice", "/apis/discovery.k8s.io/v1", "endpointslices", keep_whole, query=query)
