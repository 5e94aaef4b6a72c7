{{/*
All names are fixed: class names, webhooks and the policy are cluster-wide, so there is one release per cluster, and
the commands of the documentation work as they stand.
*/}}

{{- define "resourceclass.labels" -}}
app.kubernetes.io/name: resourceclass
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "resourceclass.webhook.selector" -}}
app.kubernetes.io/name: resourceclass
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: webhook
{{- end -}}

{{- define "resourceclass.image" -}}
{{ .Values.image.repository }}{{ with .Values.image.digest }}@{{ . }}{{ else }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}
{{- end -}}

{{/* The user name of one of our service accounts, as the API server sees it. */}}
{{- define "resourceclass.user" -}}
system:serviceaccount:{{ .namespace }}:{{ .account }}
{{- end -}}

{{/* Both webhook configurations leave out kube-system and our own namespace, else an outage could keep us from starting. */}}
{{- define "resourceclass.namespaceExpressions" -}}
- key: kubernetes.io/metadata.name
  operator: NotIn
  values: {{ append .Values.webhook.excludedNamespaces .Release.Namespace | uniq | toJson }}
- key: resourceclass.io/webhook
  operator: NotIn
  values: [ignore]
{{- end -}}

{{/* What every entry of the webhook configurations has in common; "path" is the one of the server. */}}
{{- define "resourceclass.entry" -}}
admissionReviewVersions: [v1]
{{- /* A refusal for quota may make an event about the quota; a dry run never does. */}}
sideEffects: {{ hasPrefix "/validate" .path | ternary "NoneOnDryRun" "None" }}
matchPolicy: Equivalent
clientConfig:
  service:
    name: resourceclass-webhook
    namespace: {{ .root.Release.Namespace }}
    port: 443
    path: {{ .path }}
  caBundle: {{ include "resourceclass.caBundle" .root }}
{{- end -}}

{{- define "resourceclass.caBundle" -}}
{{- required "webhook.caBundle is empty: pass the PEM certificate of the CA that signed tls.secretName (--set-file webhook.caBundle=ca.crt)" .Values.webhook.caBundle | b64enc -}}
{{- end -}}

{{- define "resourceclass.tlsSecret" -}}
{{- required (printf "tls.secretName is empty: create a Secret of type kubernetes.io/tls for resourceclass-webhook.%s.svc (resourceclass certs issue writes the files) and pass --set tls.secretName=NAME" .Release.Namespace) .Values.tls.secretName -}}
{{- end -}}

{{/* Our own namespace is exempt from admission: in a namespace that others use, their pods would bypass every rule. */}}
{{- define "resourceclass.checkNamespace" -}}
{{- if eq .Release.Namespace "default" -}}
{{- fail "the release namespace is \"default\": pods beside the webhook bypass it, so give it a namespace of its own (--namespace resourceclass-system --create-namespace)" -}}
{{- end -}}
{{- end -}}
