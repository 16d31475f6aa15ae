{{/* What no schema can say: which values do not go together. */}}
{{- define "holdfast.checks" -}}
{{- $values := .Values -}}
{{- if and $values.topology.enabled (gt (int $values.topology.replicas) 1) (not $values.topology.leaderElection) -}}
{{- fail "topology.replicas is more than 1, and several would write at the same time: set topology.leaderElection to true" -}}
{{- end -}}
{{- $accounts := dict -}}
{{- range $job := include "holdfast.jobs" . | fromJsonArray -}}
{{- $account := include "holdfast.account" (dict "root" $ "job" $job) -}}
{{- with get $accounts $account -}}
{{- fail (printf "%s and %s would have the same service account, %s, and so the rights of both: give each its own serviceAccount.name" . $job $account) -}}
{{- end -}}
{{- $_ := set $accounts $account $job -}}
{{- end -}}
{{- if and $values.lvm.enabled $values.localVolumes.enabled (ne $values.lvm.mountBase $values.localVolumes.mountBase) -}}
{{- fail (printf "lvm.mountBase is %s and localVolumes.mountBase is %s: the agent would refuse every volume, so they have to be the same" $values.lvm.mountBase $values.localVolumes.mountBase) -}}
{{- end -}}
{{- end -}}
