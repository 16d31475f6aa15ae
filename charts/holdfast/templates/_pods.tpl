{{/* What the pods of all jobs have in common: (dict "root" $ "job" "lvm"). */}}
{{- define "holdfast.podMetadata" -}}
{{- $values := index .root.Values .job -}}
{{- $labels := mergeOverwrite (dict "holdfast.dev/job" .job) ($values.podLabels | default dict) (include "holdfast.selectorLabels" . | fromYaml) -}}
labels:
  {{- toYaml $labels | nindent 2 }}
annotations:
  kubectl.kubernetes.io/default-container: {{ $values.containerName | default .job }}
  {{- with $values.podAnnotations }}{{ toYaml . | nindent 2 }}{{ end }}
{{- end -}}

{{/* How the pods of a Deployment are replaced: without an election never two at a time. */}}
{{- define "holdfast.strategy" -}}
{{- $values := index .root.Values .job -}}
{{- if $values.strategy }}
strategy:
  {{- toYaml $values.strategy | nindent 2 }}
{{- else if not $values.leaderElection }}
strategy: { type: Recreate }
{{- end }}
{{- end -}}

{{- define "holdfast.placement" -}}
{{- $values := index .root.Values .job -}}
serviceAccountName: {{ include "holdfast.account" . | quote }}
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.priorityClassName }}
priorityClassName: {{ . | quote }}
{{- end }}
{{- with $values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* The agents of nodes have one with the tools for disks. */}}
{{- define "holdfast.image" -}}
{{- $image := .root.Values.image -}}
{{- $isAgent := has .job (list "devices" "lvm") -}}
{{- $digest := $isAgent | ternary $image.nodeDigest $image.digest -}}
{{- $tag := $image.tag | default .root.Chart.AppVersion -}}
{{- if $digest -}}
{{- printf "%s@%s" $image.repository $digest -}}
{{- else -}}
{{- printf "%s:%s" $image.repository ($isAgent | ternary ($image.nodeTag | default (printf "%s-node" $tag)) $tag) -}}
{{- end -}}
{{- end -}}

{{/* A container without its flags, environment and rights. */}}
{{- define "holdfast.container" -}}
{{- $values := index .root.Values .job -}}
name: {{ $values.containerName | default .job }}
image: {{ include "holdfast.image" . | quote }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
ports:
  - name: metrics
    containerPort: {{ $values.metricsPort }}
  {{- with $values.healthPort }}
  - name: health
    containerPort: {{ . }}
  {{- end }}
livenessProbe:
  httpGet: { path: /healthz, port: {{ hasKey $values "healthPort" | ternary "health" "metrics" }} }
  initialDelaySeconds: 10
  periodSeconds: 20
  timeoutSeconds: 5
readinessProbe:
  httpGet: { path: /readyz, port: {{ hasKey $values "healthPort" | ternary "health" "metrics" }} }
  timeoutSeconds: 5
{{- with $values.resources }}
resources:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* Flags of every job. */}}
{{- define "holdfast.commonArgs" -}}
- {{ .job }}
- --log-level={{ .root.Values.log.level }}
- --log-format={{ .root.Values.log.format }}
{{- end -}}

{{- define "holdfast.fieldEnv" -}}
- name: {{ .name }}
  valueFrom: { fieldRef: { fieldPath: {{ .field }} } }
{{- end -}}
