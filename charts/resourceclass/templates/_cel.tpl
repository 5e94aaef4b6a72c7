{{/*
CEL that the webhook configurations, the policy and the CRDs share.

A condition that fails to evaluate refuses the object, so a missing field must never be an error: every step
into an object is guarded by `has()` or is `.?field` with a default, and what the API server may write as null (`containers`
has no omitempty) is known to be a list before it is walked. `[x].exists(name, ...)` binds a name; CEL has no other way here.

The API server evaluates what concerns pods for every pod of the cluster, and evaluates all conditions of an entry even when the
first is false. So there the plain pod is decided first, and with `has()`, which is cheaper than an optional with a default.
*/}}

{{/* Whether a resource key, the CEL expression given, has the form of a bare class name: no slash and not
     Kubernetes' own. The names are those of pkg/apis/core/helper/helpers.go in Kubernetes 1.36. */}}
{{- define "resourceclass.cel.bare" -}}
{{- $key := . -}}
!({{ $key }} in {{ include "resourceclass.cel.standardNames" . }}) && !{{ $key }}.contains("/")
{{- range (include "resourceclass.cel.standardPrefixes" . | fromJsonArray) }} && !{{ $key }}.startsWith({{ . | toJson }}){{ end -}}
{{- end -}}

{{- define "resourceclass.cel.standardNames" -}}
["cpu", "memory", "storage", "ephemeral-storage", "pods", "count", "services", "replicationcontrollers", "resourcequotas", {{/**/ -}}
"secrets", "configmaps", "persistentvolumeclaims", "services.nodeports", "services.loadbalancers", "requests", "limits"]
{{- end -}}

{{- define "resourceclass.cel.standardPrefixes" -}}
["hugepages-", "requests.", "limits.", "attachable-volumes-", "count."]
{{- end -}}

{{/* Whether any resource key of a pod passes `test`, an expression in k; `amount`, if given, is what must be true of its amount
     too. `pod` is the expression of the pod spec, which has `resources` of its own, like a container (pod-level resources). */}}
{{- define "resourceclass.cel.anyKey" -}}
[{{ .pod }}].exists(pod,
{{- range $field := list "containers" "initContainers" }}
  has(pod.{{ $field }}) && type(pod.{{ $field }}) == list && pod.{{ $field }}.exists(c,
    {{- include "resourceclass.cel.anyKeyOf" (dict "of" "c" "test" $.test "amount" $.amount) }}) ||
{{- end }}
  {{- include "resourceclass.cel.anyKeyOf" (dict "of" "pod" "test" .test "amount" .amount) }})
{{- end -}}

{{/* A map that is there is never null: what admission sees was decoded into Go's types, which leave out empty maps. */}}
{{- define "resourceclass.cel.anyKeyOf" }}
    has({{ .of }}.resources) && (
{{- range $number, $part := list "limits" "requests" }}{{ $map := printf "%s.resources.%s" $.of $part }}{{ if $number }} ||{{ end }}
      has({{ $map }}) && {{ $map }}.exists(k, {{ with $.amount }}{{ $map }}[k] {{ . }} && {{ end }}({{ $.test }}))
{{- end }})
{{- end -}}

{{- define "resourceclass.cel.asksForClass" -}}
{{ include "resourceclass.cel.anyKey" (dict "pod" .pod "test" (printf "k.startsWith(\"resourceclass.io/\") || %s" (include "resourceclass.cel.bare" "k"))) }}
{{- end -}}

{{/* Whether a pod asks for the devices of another device plugin and for no unit of any class. The API server writes every
     zero as "0". */}}
{{- define "resourceclass.cel.asksForVendorAlone" -}}
{{ include "resourceclass.cel.anyKey" (dict "pod" .pod "test" "k.contains(\"/\") && !k.startsWith(\"resourceclass.io/\") && !k.contains(\"kubernetes.io/\") && !k.startsWith(\"requests.\")") }} &&
!{{ include "resourceclass.cel.anyKey" (dict "pod" .pod "test" "k.startsWith(\"resourceclass.io/\")" "amount" "!= \"0\"") }}
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
