{{- define "resourceclass.controller.selector" -}}
app.kubernetes.io/name: resourceclass
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: controller
{{- end -}}
