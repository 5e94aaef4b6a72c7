{{- define "resourceclass.scheduler.selector" -}}
app.kubernetes.io/name: resourceclass
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: scheduler
{{- end -}}

{{- define "resourceclass.scheduler.image" -}}
{{- required (printf "scheduler.image is empty: name an image of kube-scheduler that your nodes can pull (--set scheduler.image=YOUR_REGISTRY/kube-scheduler:%s)" .Capabilities.KubeVersion.Version) .Values.scheduler.image -}}
{{- end -}}

{{/* The KubeSchedulerConfiguration. What is not said here is kube-scheduler's default. */}}
{{- define "resourceclass.schedulerConfiguration" -}}
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
# Who holds this Lease schedules; the binder of any other pod answers with an error.
leaderElection:
  leaderElect: true
  resourceNamespace: {{ .Release.Namespace }}
  resourceName: resourceclass-scheduler
# The default of 50 a second would hold up events and conditions of pods that wait.
clientConnection:
  qps: 1000
  burst: 2000
# From 100 nodes up kube-scheduler would show the binder a sample of them, in which the free device may not be.
percentageOfNodesToScore: 100
# A pod that waits is looked at again soon after a device is freed; the default is up to 10 seconds.
podInitialBackoffSeconds: 1
podMaxBackoffSeconds: 2
profiles:
  - schedulerName: resourceclass-scheduler
extenders:
  - urlPrefix: http://127.0.0.1:9098
    filterVerb: filter
    prioritizeVerb: prioritize
    preemptVerb: preempt
    bindVerb: bind
    weight: {{ .Values.scheduler.weight }}
    # The binder watches nodes itself; names are enough.
    nodeCacheCapable: true
    # Without the binder no pod is bound: kube-scheduler alone would bind it without devices.
    ignorable: false
    # Longer than a bind may take: a Binding (2 s) and, if its answer is lost, one look at the pod (2 s).
    httpTimeout: 5s
{{- end -}}
