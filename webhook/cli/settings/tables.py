"""The tables of docs/configuration.md, made from the settings of each part."""

from collections.abc import Mapping
from typing import Any, Final

from webhook.cli.options import options_of
from webhook.cli.settings.binder import BinderSettings
from webhook.cli.settings.commands import CheckSettings, ClassesSettings, DoctorSettings, ExplainSettings
from webhook.cli.settings.controller import ControllerSettings
from webhook.cli.settings.webhook import WebhookSettings

PARTS: Final[Mapping[str, type]] = {
    "webhook": WebhookSettings,
    "binder": BinderSettings,
    "controller": ControllerSettings,
    "check": CheckSettings,
    "explain": ExplainSettings,
    "classes": ClassesSettings,
    "doctor": DoctorSettings,
}


def table(settings: type) -> str:
    """Return the options of a settings class as a Markdown table."""
    required = getattr(settings, "required", ())
    lines = ["| flag and key | value | default | what it does |", "| --- | --- | --- | --- |"]
    for option in options_of(settings):
        values = " or ".join(f"`{choice}`" for choice in option.choices) or option.word.lower()
        default = "must be given" if option.name in required else _shown(option.default)
        text = option.help.replace("``", "`")
        lines.append(f"| `{option.name}` | {values} | {default} | {text} |")
    return "\n".join(lines)


def _shown(default: Any) -> str:
    return f"`{default}`" if default != "" else "none"


def tables() -> str:
    """Return the tables of all parts, as docs/configuration.md holds them."""
    return "\n\n".join(f"### resourceclass {part}\n\n{table(settings)}" for part, settings in PARTS.items())
