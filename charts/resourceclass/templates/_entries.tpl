{{/* Objects that hold a pod template: `pod` is the CEL of its spec, `fields` the path of its managed fields. */}}
{{- define "resourceclass.templateEntries" -}}
- name: templates
  pod: 'object.spec.?template.?spec.orValue({})'
  fields: '[?"f:spec"][?"f:template"][?"f:spec"]'
  rules:
    - {apiGroups: [apps], apiVersions: [v1], resources: [deployments, statefulsets, daemonsets, replicasets]}
    - {apiGroups: [""], apiVersions: [v1], resources: [replicationcontrollers]}
    - {apiGroups: [batch], apiVersions: [v1], resources: [jobs]}
- name: cronjobs
  pod: 'object.spec.?jobTemplate.?spec.?template.?spec.orValue({})'
  fields: '[?"f:spec"][?"f:jobTemplate"][?"f:spec"][?"f:template"][?"f:spec"]'
  rules:
    - {apiGroups: [batch], apiVersions: [v1], resources: [cronjobs]}
- name: podtemplates
  pod: 'object.?template.?spec.orValue({})'
  fields: '[?"f:template"][?"f:spec"]'
  rules:
    - {apiGroups: [""], apiVersions: [v1], resources: [podtemplates]}
{{- end -}}

{{/* Every pod of an isolated namespace, with a class or without: no matchConditions, and no label of a pod opts out. */}}
{{- define "resourceclass.isolateEntry" -}}
- name: isolate.resourceclass.io
  {{- include "resourceclass.entry" . | nindent 2 }}
  failurePolicy: {{ .root.Values.webhook.failurePolicy }}
  timeoutSeconds: {{ .timeout }}
  rules:
    - {apiGroups: [""], apiVersions: [v1], resources: [pods], operations: [CREATE], scope: Namespaced}
    - {apiGroups: [""], apiVersions: [v1], resources: [pods/ephemeralcontainers], operations: [UPDATE], scope: Namespaced}
  namespaceSelector:
    matchLabels:
      resourceclass.io/isolate: "true"
    matchExpressions:
      {{- include "resourceclass.namespaceExpressions" .root | nindent 6 }}
{{- end -}}

{{/* In a namespace that adopts, pods that ask for a vendor's resource alone. What was adopted asks for a class, and has its
     entry among the others. */}}
{{- define "resourceclass.adoptEntry" -}}
- name: adopt.resourceclass.io
  {{- include "resourceclass.entry" . | nindent 2 }}
  failurePolicy: {{ .root.Values.webhook.failurePolicy }}
  timeoutSeconds: {{ .timeout }}
  rules:
    - {apiGroups: [""], apiVersions: [v1], resources: [pods], operations: [CREATE], scope: Namespaced}
  namespaceSelector:
    matchExpressions:
      {{- include "resourceclass.namespaceExpressions" .root | nindent 6 }}
      - key: resourceclass.io/adopt
        operator: Exists
  matchConditions:
    - name: vendor-resource-alone
      expression: |-
        {{- include "resourceclass.cel.asksForVendorAlone" (dict "pod" "object.spec") | nindent 8 }}
{{- end -}}
