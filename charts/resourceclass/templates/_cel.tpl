{{/*
CEL that the webhook configurations and the CRDs share.

A condition that fails to evaluate refuses the object, so a missing field must never be an error: every step
into an object is `.?field` with a default, and lists that the API server writes as null (`containers` has no
omitempty) are known to be lists before they are walked.
*/}}

{{/* Whether a resource key, the CEL expression given, has the form of a bare class name: no slash and not
     Kubernetes' own. The names are those of pkg/apis/core/helper/helpers.go in Kubernetes 1.36. */}}
{{- define "resourceclass.cel.bare" -}}
{{- $key := . -}}
!{{ $key }}.contains("/") && !({{ $key }} in {{ include "resourceclass.cel.standardNames" . }})
{{- range (include "resourceclass.cel.standardPrefixes" . | fromJsonArray) }} && !{{ $key }}.startsWith({{ . | toJson }}){{ end -}}
{{- end -}}

{{- define "resourceclass.cel.standardNames" -}}
["cpu", "memory", "storage", "ephemeral-storage", "pods", "count", "services", "replicationcontrollers", "resourcequotas", "secrets", "configmaps", "persistentvolumeclaims", "services.nodeports", "services.loadbalancers", "requests", "limits"]
{{- end -}}

{{- define "resourceclass.cel.standardPrefixes" -}}
["hugepages-", "requests.", "limits.", "attachable-volumes-", "count."]
{{- end -}}

{{/* Whether any resource key of a pod passes `test`, an expression in k. `pod` is the expression of the pod spec, which
     is walked like a container too: it has `resources` of its own (pod-level resources). */}}
{{- define "resourceclass.cel.anyKey" -}}
[{{ .pod }}].exists(pod,
  [dyn([pod]), pod.?containers.orValue([]), pod.?initContainers.orValue([])].exists(items,
    type(items) == list && items.exists(c,
      [c.?resources.?limits.orValue({}), c.?resources.?requests.orValue({})].exists(m,
        m.exists(k, {{ .test }})))))
{{- end -}}

{{- define "resourceclass.cel.asksForClass" -}}
{{ include "resourceclass.cel.anyKey" (dict "pod" .pod "test" (printf "k.startsWith(\"resourceclass.io/\") || %s" (include "resourceclass.cel.bare" "k"))) }}
{{- end -}}

{{- define "resourceclass.cel.holdsBareKey" -}}
{{ include "resourceclass.cel.anyKey" (dict "pod" .pod "test" (include "resourceclass.cel.bare" "k")) }}
{{- end -}}

{{/*
A pending removal: the stored key is still there, but the user has just taken its bare name out of the manifest. kubectl
then sends the removal of the bare key, which nobody stores, and only the bookkeeping shows it:
- client-side apply: the last-applied annotation changed, and its old text names the bare key. (If the new text names
  it too, kubectl sends the bare key again and the object holds it.)
- server-side apply: a manager with operation Apply owned the bare key, and none does any more. Managers with operation Update
  keep it for ever, and a reset of managedFields sends none at all: neither is a removal.
Scaling, labels, finalizers, image changes and rollouts leave both as they are.
*/}}
{{- define "resourceclass.cel.pendingRemovalInPod" -}}
request.operation == "UPDATE" && [{{ .pod }}].exists(pod,
  ["containers", "initContainers"].exists(field, [pod[?field].orValue([])].exists(items,
    type(items) == list && items.exists(c,
      [c.?resources.?limits.orValue({}), c.?resources.?requests.orValue({})].exists(m,
        m.exists(k, k.startsWith("resourceclass.io/") && [k.replace("resourceclass.io/", "")].exists(bare,
          {{ include "resourceclass.cel.leftLastApplied" "[bare]" }}
          || ["f:limits", "f:requests"].exists(part,
            {{ include "resourceclass.cel.leftApplySet" (dict "path" (printf "%s[?(\"f:\" + field)][?('k:{\"name\":\"' + c.name + '\"}')][?\"f:resources\"][?part]" .fields) "names" "[bare]") }}))))))))
{{- end -}}

{{- define "resourceclass.cel.pendingRemovalInQuota" -}}
request.operation == "UPDATE" && object.spec.?hard.orValue({}).exists(k,
  k.startsWith("requests.resourceclass.io/") && [k.replace("requests.resourceclass.io/", "")].exists(bare,
    [["", "requests.", "limits.", "resourceclass.io/", "limits.resourceclass.io/"].map(prefix, prefix + bare)].exists(spellings,
      {{ include "resourceclass.cel.leftLastApplied" "spellings" }}
      || {{ include "resourceclass.cel.leftApplySet" (dict "path" "[?\"f:spec\"][?\"f:hard\"]" "names" "spellings") }})))
{{- end -}}

{{/* Whether one of the names given (a CEL list) may have left the last-applied annotation. */}}
{{- define "resourceclass.cel.leftLastApplied" -}}
[[oldObject, object].map(o, o.metadata.?annotations[?"kubectl.kubernetes.io/last-applied-configuration"].orValue(""))].exists(applied,
  applied[1] != "" && applied[0] != applied[1] && {{ . }}.exists(n, applied[0].contains("\"" + n + "\"")))
{{- end -}}

{{/* Whether one of the names given left the fields that server-side apply owns at `path` of fieldsV1. */}}
{{- define "resourceclass.cel.leftApplySet" -}}
object.metadata.?managedFields.orValue([]).size() > 0 && {{ .names }}.exists(n,
  [oldObject, object].map(o, o.metadata.?managedFields.orValue([]).exists(f, f.?operation.orValue("") == "Apply"
    && f.?fieldsV1{{ .path }}[?("f:" + n)].hasValue())) == [true, false])
{{- end -}}

{{/* Quota keys in any accepted spelling but the stored one: bare or resourceclass.io/, with requests. or limits. in front
     or not. */}}
{{- define "resourceclass.cel.quotaHoldsOtherSpelling" -}}
object.spec.?hard.orValue({}).exists(k, !k.startsWith("requests.resourceclass.io/")
  && [k.startsWith("requests.") ? k.substring(9) : k.startsWith("limits.") ? k.substring(7) : k].exists(rest,
    rest.startsWith("resourceclass.io/") || {{ include "resourceclass.cel.bare" "rest" }}))
{{- end -}}

{{- define "resourceclass.cel.limitRangeHoldsBareKey" -}}
[object.spec.?limits.orValue([])].exists(items, type(items) == list && items.exists(l,
  [l.?default, l.?defaultRequest, l.?max, l.?min, l.?maxLimitRequestRatio].exists(m,
    m.orValue({}).exists(k, {{ include "resourceclass.cel.bare" "k" }}))))
{{- end -}}

{{/* What a controller owns follows from its owner, which was looked at already. */}}
{{- define "resourceclass.cel.notControlled" -}}
!object.metadata.?ownerReferences.orValue([]).exists(o, o.?controller.orValue(false))
{{- end -}}
