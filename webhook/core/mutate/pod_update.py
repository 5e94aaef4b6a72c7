"""A pod that is updated: names alone.

`kubectl apply` sends the bare key again, beside the stored one; unless it is renamed the API server
refuses the update. A class whose line was removed is taken out, and the API server then says what it
says of any change to the resources of a pod.
"""

from webhook.core.mutate.draft import Draft
from webhook.core.mutate.pod import rename_and_check
from webhook.core.mutate.removal import Intent
from webhook.core.mutate.requests import drop_removed
from webhook.core.outcome import Outcome
from webhook.core.values.classes import Classes
from webhook.core.values.names import Json


def mutate_pod_update(pod: Json, old: Json, classes: Classes) -> Outcome:
    """Return what an updated pod becomes."""
    draft = Draft(pod)
    drop_removed(draft, ("spec",), Intent(old, pod))
    rename_and_check(draft, ("spec",), classes)
    return draft.outcome()
