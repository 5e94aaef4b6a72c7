"""Which annotation each device variable reads."""

from webhook.core.values.device_env import variable_annotations
from webhook.core.values.resource_class import ResourceClass
from webhook.core.values.selector import Selector

MAIN = "devices.resourceclass.io/train"


def a_class(name, *variables, delivery="Env"):
    return ResourceClass(name, Selector(()), device_env=variables, delivery=delivery)


def test_variables_that_every_class_names_read_the_main_annotation():
    classes = [a_class("a", "NVIDIA_VISIBLE_DEVICES", "B"), a_class("b", "NVIDIA_VISIBLE_DEVICES", "B")]
    assert variable_annotations("train", classes) == {
        "NVIDIA_VISIBLE_DEVICES": MAIN,
        "B": MAIN,
        "RESOURCECLASS_DEVICES": MAIN,
    }


def test_a_variable_that_only_some_classes_name_reads_an_annotation_of_its_own():
    classes = [a_class("a", "NVIDIA_VISIBLE_DEVICES", "B"), a_class("b", "ROCR_VISIBLE_DEVICES", "B")]
    assert variable_annotations("train", classes) == {
        "NVIDIA_VISIBLE_DEVICES": "nvidia-visible-devices.devices.resourceclass.io/train",
        "B": MAIN,
        "ROCR_VISIBLE_DEVICES": "rocr-visible-devices.devices.resourceclass.io/train",
        "RESOURCECLASS_DEVICES": MAIN,
    }


def test_beside_a_class_of_a_device_plugin_the_main_annotation_lists_more_than_the_variable_may_say():
    classes = [a_class("a", "NVIDIA_VISIBLE_DEVICES"), a_class("ib", "X", delivery="DevicePlugin")]
    assert variable_annotations("train", classes)["NVIDIA_VISIBLE_DEVICES"] == (
        "nvidia-visible-devices.devices.resourceclass.io/train"
    )


def test_classes_of_a_device_plugin_alone_set_no_variable():
    assert variable_annotations("train", [a_class("ib", "X", delivery="DevicePlugin")]) == {}
