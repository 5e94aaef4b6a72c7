"""Which annotation each device variable of a container reads.

The webhook writes the variables and whoever chooses the devices writes the annotations, so both must
derive them from one rule. The main annotation of a container lists all its devices. A variable reads it
when every class of the container names that variable; any other variable must see the devices of its
own classes alone and reads an annotation of its own.
"""

from collections.abc import Sequence

from webhook.core.values import names
from webhook.core.values.resource_class import ENV, ResourceClass


def variable_annotations(container: str, classes: Sequence[ResourceClass]) -> dict[str, str]:
    """Return variable to annotation key for a container that asks for these classes.

    Empty when no class is delivered through the environment; else in the order of the classes, with
    RESOURCECLASS_DEVICES at the end.
    """
    delivered = [item for item in classes if item.delivery == ENV]
    if not delivered:
        return {}
    variables = dict.fromkeys(variable for item in delivered for variable in item.device_env)
    main = names.devices_annotation(container)
    found = {
        variable: main
        if all(names_variable(item, variable) for item in classes)
        else names.variable_annotation(variable, container)
        for variable in variables
    }
    return {**found, names.DEVICES_VARIABLE: main}


def names_variable(resource_class: ResourceClass, variable: str) -> bool:
    """Whether a class tells its devices through this variable."""
    return resource_class.delivery == ENV and variable in resource_class.device_env
