{{/*
CEL for a pending removal: the stored key is still there, but the user has just taken its bare name out of the manifest.
Clients then send the removal of the bare key, which nobody stores, and only the bookkeeping shows it:

- client-side apply: the last-applied annotation changed, and its old text names the bare key. (If the new text names
  it too, kubectl sends the bare key again, and the object holds it.)
- server-side apply: a manager with operation Apply owned the bare key, and none does any more. Managers with operation
  Update keep it for ever, and a reset of managedFields leaves no manager at all: neither is a removal.

Scaling, labels, finalizers, image changes and rollouts leave both as they are, so they pass while the webhook is down.
*/}}

{{/* `pod` is the expression of the pod spec, `fields` the path to its managed fields. */}}
{{- define "resourceclass.cel.removalInPod" -}}
{{- $place := printf "%s[?(\"f:\" + field)][?('k:{\"name\":\"' + c.name + '\"}')][?\"f:resources\"][?part]" .fields -}}
request.operation == "UPDATE" && [{{ .pod }}].exists(pod,
  ["containers", "initContainers"].exists(field, [pod[?field].orValue([])].exists(items,
    type(items) == list && items.exists(c,
      [c.?resources.?limits.orValue({}), c.?resources.?requests.orValue({})].exists(m,
        m.exists(k, k.startsWith("resourceclass.io/") && [k.replace("resourceclass.io/", "")].exists(n,
          {{ include "resourceclass.cel.leftLastApplied" "n" }} ||
          ["f:limits", "f:requests"].exists(part,
            {{ include "resourceclass.cel.leftApplySet" (dict "place" $place "name" "n") }}))))))))
{{- end -}}

{{/* A quota key can have been written in five ways that are stored as this one. */}}
{{- define "resourceclass.cel.removalInQuota" -}}
request.operation == "UPDATE" && object.spec.?hard.orValue({}).exists(k, k.startsWith("requests.resourceclass.io/") &&
  ["", "requests.", "limits.", "resourceclass.io/", "limits.resourceclass.io/"].exists(prefix,
    [k.replace("requests.resourceclass.io/", prefix)].exists(n,
      {{ include "resourceclass.cel.leftLastApplied" "n" }} ||
      {{ include "resourceclass.cel.leftApplySet" (dict "place" "[?\"f:spec\"][?\"f:hard\"]" "name" "n") }})))
{{- end -}}

{{- define "resourceclass.cel.leftLastApplied" -}}
[[oldObject, object].map(o, o.metadata.?annotations[?"kubectl.kubernetes.io/last-applied-configuration"].orValue(""))].exists(text, {{/**/ -}}
text[1] != "" && text[0] != text[1] && text[0].contains("\"" + {{ . }} + "\""))
{{- end -}}

{{- define "resourceclass.cel.leftApplySet" -}}
object.metadata.?managedFields.orValue([]).size() > 0 && {{/**/ -}}
[oldObject, object].map(o, o.metadata.?managedFields.orValue([]).exists(f, f.?operation.orValue("") == "Apply" && {{/**/ -}}
f.?fieldsV1{{ .place }}[?("f:" + {{ .name }})].hasValue())) == [true, false]
{{- end -}}
