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

{{/* Of a job: (dict "root" $ "job" "lvm"). One that takes the place of an original has that one's name. */}}
{{- define "holdfast.jobName" -}}
{{- $name := tpl ((index .root.Values .job).name | default "") .root -}}
{{- $name | default (printf "%s-%s" (include "holdfast.fullname" .root) .job) -}}
{{- end -}}

{{- define "holdfast.account" -}}
{{- $account := (index .root.Values .job).serviceAccount -}}
{{- tpl ($account.name | default "") .root | default (include "holdfast.jobName" .) -}}
{{- end -}}

{{/* The jobs that are switched on, as a list in JSON. */}}
{{- define "holdfast.jobs" -}}
{{- $jobs := list -}}
{{- range $job := list "topology" "devices" "lvm" "pool" "sync" -}}
{{- if (index $.Values $job).enabled -}}{{- $jobs = append $jobs $job -}}{{- end -}}
{{- end -}}
{{- toJson $jobs -}}
{{- end -}}

{{/* What a Deployment or DaemonSet knows its pods by, which can never be changed. */}}
{{- define "holdfast.selectorLabels" -}}
{{- $own := (index .root.Values .job).selectorLabels -}}
{{- if $own -}}
{{- tpl (toYaml $own) .root -}}
{{- else -}}
{{- include "holdfast.ownLabels" . -}}
{{- end -}}
{{- end -}}

{{- define "holdfast.ownLabels" -}}
app.kubernetes.io/name: holdfast
app.kubernetes.io/instance: {{ .root.Release.Name | quote }}
app.kubernetes.io/component: {{ .job }}
{{- end -}}

{{/* By the job, holdfast doctor knows whose it is, also where all names are those of an original. */}}
{{- define "holdfast.labels" -}}
{{- $labels := include "holdfast.ownLabels" . | fromYaml -}}
{{- $_ := set $labels "app.kubernetes.io/version" .root.Chart.AppVersion -}}
{{- $_ := set $labels "app.kubernetes.io/managed-by" .root.Release.Service -}}
{{- $_ := set $labels "helm.sh/chart" (printf "%s-%s" .root.Chart.Name (.root.Chart.Version | replace "+" "_")) -}}
{{- $_ := set $labels "holdfast.dev/job" .job -}}
{{- $more := tpl (toYaml ((index .root.Values .job).labels | default dict)) .root | fromYaml -}}
{{- toYaml (mergeOverwrite $labels $more) -}}
{{- end -}}
