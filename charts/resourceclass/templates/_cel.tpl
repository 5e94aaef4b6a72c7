{{/*
CEL that the webhook configurations and the CRDs share.

A condition that fails to evaluate refuses the object, so a missing field must never be an error: every step
into an object is `.?field` with a default, and what the API server may write as null (`containers` has no
omitempty) is known to be a list before it is walked. `[x].exists(name, ...)` binds a name; CEL has no other way here.
*/}}

{{/* Whether a resource key, the CEL expression given, has the form of a bare class name: no slash and not
     Kubernetes' own. The names are those of pkg/apis/core/helper/helpers.go in Kubernetes 1.36. */}}
{{- define "resourceclass.cel.bare" -}}
{{- $key := . -}}
!{{ $key }}.contains("/") && !({{ $key }} in {{ include "resourceclass.cel.standardNames" . }})
{{- range (include "resourceclass.cel.standardPrefixes" . | fromJsonArray) }} && !{{ $key }}.startsWith({{ . | toJson }}){{ end -}}
{{- end -}}

{{- define "resourceclass.cel.standardNames" -}}
["cpu", "memory", "storage", "ephemeral-storage", "pods", "count", "services", "replicationcontrollers", "resourcequotas", {{/**/ -}}
"secrets", "configmaps", "persistentvolumeclaims", "services.nodeports", "services.loadbalancers", "requests", "limits"]
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

{{/* Whether a pod asks for the devices of another device plugin and for no unit of any class. The API server writes every
     zero as "0". */}}
{{- define "resourceclass.cel.asksForVendorAlone" -}}
{{ include "resourceclass.cel.anyKey" (dict "pod" .pod "test" "k.contains(\"/\") && !k.startsWith(\"resourceclass.io/\") && !k.contains(\"kubernetes.io/\") && !k.startsWith(\"requests.\")") }} &&
!{{ include "resourceclass.cel.anyKey" (dict "pod" .pod "test" "k.startsWith(\"resourceclass.io/\") && m[k] != \"0\"") }}
{{- end -}}

{{- define "resourceclass.cel.holdsBareKey" -}}
{{ include "resourceclass.cel.anyKey" (dict "pod" .pod "test" (include "resourceclass.cel.bare" "k")) }}
{{- end -}}

{{/* Quota keys in any accepted spelling but the stored one: bare or resourceclass.io/, with requests. or limits. in front
     or not. */}}
{{- define "resourceclass.cel.quotaHoldsOtherSpelling" -}}
object.spec.?hard.orValue({}).exists(k, !k.startsWith("requests.resourceclass.io/") &&
  [k.startsWith("requests.") ? k.substring(9) : k.startsWith("limits.") ? k.substring(7) : k].exists(rest,
    rest.startsWith("resourceclass.io/") || {{ include "resourceclass.cel.bare" "rest" }}))
{{- end -}}

{{- define "resourceclass.cel.limitRangeHoldsBareKey" -}}
[object.spec.?limits.orValue([])].exists(items, type(items) == list && items.exists(l,
  [l.?default, l.?defaultRequest, l.?max, l.?min, l.?maxLimitRequestRatio].exists(m,
    m.orValue({}).exists(k, {{ include "resourceclass.cel.bare" "k" }}))))
{{- end -}}

{{/* What a controller owns it would write again as it wants it: an owner of Kubernetes' own was looked at already, and with any
other one we would fight. */}}
{{- define "resourceclass.cel.notControlled" -}}
!object.metadata.?ownerReferences.orValue([]).exists(o, o.?controller.orValue(false))
{{- end -}}
