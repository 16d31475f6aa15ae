{{/* The beginning of all names. Short enough for what comes after it, and for what Kubernetes adds to the names of pods. */}}
{{- define "holdfast.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride -}}
{{- else if contains "holdfast" .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-holdfast" (.Release.Name | trunc 31 | trimSuffix "-") -}}
{{- end -}}
{{- end -}}

{{/* Of a job: (dict "root" $ "job" "lvm"). */}}
{{- define "holdfast.jobName" -}}
{{- printf "%s-%s" (include "holdfast.fullname" .root) .job -}}
{{- end -}}

{{- define "holdfast.account" -}}
{{- $account := (index .root.Values .job).serviceAccount -}}
{{- $account.name | default (include "holdfast.jobName" .) -}}
{{- end -}}

{{/* The jobs that are switched on, as a list in JSON. */}}
{{- define "holdfast.jobs" -}}
{{- $jobs := list -}}
{{- range $job := list "topology" "devices" "lvm" "pool" "sync" -}}
{{- if (index $.Values $job).enabled -}}{{- $jobs = append $jobs $job -}}{{- end -}}
{{- end -}}
{{- toJson $jobs -}}
{{- end -}}

{{- define "holdfast.selectorLabels" -}}
app.kubernetes.io/name: holdfast
app.kubernetes.io/instance: {{ .root.Release.Name | quote }}
app.kubernetes.io/component: {{ .job }}
{{- end -}}

{{- define "holdfast.labels" -}}
{{ include "holdfast.selectorLabels" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name (.root.Chart.Version | replace "+" "_") }}
{{- end -}}
