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
{{- include "resourceclass.cel.bindRemoval" . }}
  [{{ .pod }}].exists(pod, ["containers", "initContainers"].exists(field,
    [pod[?field].orValue([])].exists(items, type(items) == list && items.exists(c,
      [c.?resources.?limits.orValue({}), c.?resources.?requests.orValue({})].exists(m,
        m.exists(k, k.startsWith("resourceclass.io/") && [k.replace("resourceclass.io/", "")].exists(n,
          text.contains("\"" + n + "\"") || ["f:limits", "f:requests"].exists(part,
            {{ include "resourceclass.cel.ownerLeft" $place }})))))))))))
{{- end -}}

{{/* A quota key can have been written in five ways that are stored as this one. */}}
{{- define "resourceclass.cel.removalInQuota" -}}
{{- include "resourceclass.cel.bindRemoval" . }}
  object.spec.?hard.orValue({}).exists(k, k.startsWith("requests.resourceclass.io/") &&
    ["", "requests.", "limits.", "resourceclass.io/", "limits.resourceclass.io/"].exists(prefix,
      [k.replace("requests.resourceclass.io/", prefix)].exists(n,
        text.contains("\"" + n + "\"") ||
        {{ include "resourceclass.cel.ownerLeft" "[?\"f:spec\"][?\"f:hard\"]" }}))))))
{{- end -}}

{{/* Binds what tells of a removal, and leaves three parentheses open:
     text  the old last-applied annotation if the annotation is there and changed, else ""
     now   the entries of server-side apply in the managed fields
     left  those of the old object that changed or went; none on most updates, and then nothing is walked */}}
{{- define "resourceclass.cel.bindRemoval" -}}
{{- $annotation := "metadata.?annotations[?\"kubectl.kubernetes.io/last-applied-configuration\"]" -}}
{{- $applied := "f.?operation.orValue(\"\") == \"Apply\"" -}}
request.operation == "UPDATE" &&
[[oldObject.{{ $annotation }}.orValue("")].filter(t, t != object.{{ $annotation }}.orValue(t)).join("")].exists(text,
[object.metadata.?managedFields.orValue([]).filter(f, {{ $applied }})].exists(now,
[oldObject.metadata.?managedFields.orValue([]).filter(f, {{ $applied }} && object.metadata.?managedFields.orValue([]).size() > 0 &&
  !now.exists(g, g.?fieldsV1 == f.?fieldsV1))].exists(left, (text != "" || left.size() > 0) &&
{{- end -}}

{{/* Whether an entry that left owned the name n at the place given, and no entry owns it now. */}}
{{- define "resourceclass.cel.ownerLeft" -}}
left.exists(f, f.?fieldsV1{{ . }}[?("f:" + n)].hasValue()) && !now.exists(f, f.?fieldsV1{{ . }}[?("f:" + n)].hasValue())
{{- end -}}
