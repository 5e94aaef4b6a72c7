"""ResourceQuota: the keys of classes, in the one spelling that the API server enforces.

Reads and changes: the keys of spec.hard. The API server stores `resourceclass.io/<class>` and `limits.…`
as well, but counts nothing under them; a quota that looks like a limit and is none is the worst of all.
"""

from typing import Final

from webhook.core.mutate.checks import refuse_bad_amount
from webhook.core.mutate.draft import Draft
from webhook.core.mutate.removal import Intent
from webhook.core.mutate.rename import STORED_RANK, Spelling, quota_spelling, rename
from webhook.core.outcome import Outcome, Reason
from webhook.core.patch import same
from webhook.core.raw import value_at
from webhook.core.values import names
from webhook.core.values.classes import Classes
from webhook.core.values.names import Json
from webhook.core.values.pod_template import has_controller, name_of

_HARD: Final = ("spec", "hard")


def mutate_quota(obj: Json, old: Json | None, classes: Classes) -> Outcome:
    """Return what a ResourceQuota that is created or updated becomes."""
    draft, hard = Draft(obj), value_at(obj, _HARD)
    if not isinstance(hard, dict):
        return draft.outcome()
    if has_controller(obj):
        _warn_of_controlled(draft, hard, classes)
        return draft.outcome()
    gone = _removed(old, obj, hard) if old is not None else set()
    if old is not None and not gone and same(hard, value_at(old, _HARD)):
        return draft.outcome()
    _drop(draft, hard, gone)
    _check_names(draft, hard, classes)
    _rename(draft, classes)
    return draft.outcome()


def _removed(old: Json, obj: Json, hard: Json) -> set[str]:
    """Return the stored keys whose typed form was just removed and that no other key in `hard` names."""
    spelled = {
        found.class_name for key in hard if (found := quota_spelling(key)) and found.rank != STORED_RANK
    }
    removed = Intent(old, obj).removed(_HARD, quota_spelling) - spelled
    return {key for name in removed if (key := names.quota_key(name)) in hard}


def _drop(draft: Draft, hard: Json, gone: set[str]) -> None:
    if gone:
        kept = {key: value for key, value in hard.items() if key not in gone}
        listed, why = ", ".join(sorted(gone)), "its line was removed from the manifest"
        draft.put(_HARD, kept, f"{listed} is dropped", why)
        draft.warn(f"{_title(draft)}: dropped {listed}, because {why}")


def _rename(draft: Draft, classes: Classes) -> None:
    hard = value_at(draft.object, _HARD)
    renamed = rename(hard, quota_spelling, lambda found: _is_class(found, classes))
    if renamed.renames:
        what = ", ".join(f"{typed} becomes {stored}" for typed, stored in renamed.renames.items())
        draft.put(_HARD, renamed.amounts, what, "the API server enforces no other spelling")
    for typed, stored in renamed.renames.items():
        draft.warn(
            f"{_title(draft)}: stored {typed} as {stored}, the only spelling that is enforced; "
            "write it so in Git"
        )
    for stored, typed in renamed.typed.items():
        refuse_bad_amount(draft, _title(draft), typed, renamed.amounts[stored])


def _warn_of_controlled(draft: Draft, hard: Json, classes: Classes) -> None:
    """Its controller would write the old keys again, so they stay; but nobody must take them for a limit."""
    renamed = rename(hard, quota_spelling, lambda found: _is_class(found, classes))
    for typed, stored in renamed.renames.items():
        draft.warn(
            f"{_title(draft)}: {typed} limits nothing: only {stored} is enforced, and a quota that a "
            "controller owns is left as it is; have it written so"
        )


def _check_names(draft: Draft, hard: Json, classes: Classes) -> None:
    """Refuse what is nearly a class; warn where a key in our domain names none yet."""
    spelled = {key: found for key in hard if (found := quota_spelling(key)) is not None}
    slips = classes.slips(found.class_name for found in spelled.values())
    for key, found in spelled.items():
        if classes.exists(found.class_name):
            continue
        near = slips.get(found.class_name)
        hint = f"did you mean {near}?" if near else "it limits nothing until there is one"
        if found.in_domain:
            draft.warn(f'{_title(draft)}: {key}: there is no class "{found.class_name}"; {hint}')
        elif near:
            draft.fault(Reason.UNKNOWN_CLASS, f'{_title(draft)}: "{key}" is no class; {hint}')


def _is_class(found: Spelling, classes: Classes) -> bool:
    """Whether a key surely means a class: one that exists, or a possible name in our domain."""
    return classes.exists(found.class_name) or (found.in_domain and names.is_class_name(found.class_name))


def _title(draft: Draft) -> str:
    return f"ResourceQuota {name_of(draft.object)}"
