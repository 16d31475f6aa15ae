{{/* What no schema can say: which values do not go together. */}}
{{- define "holdfast.checks" -}}
{{- $values := .Values -}}
{{- range $job := list "topology" "pool" "sync" -}}
{{- $of := index $values $job -}}
{{- if and $of.enabled (gt (int $of.replicas) 1) (not $of.leaderElection) -}}
{{- fail (printf "%s.replicas is more than 1, and several would write at the same time: set %s.leaderElection to true" $job $job) -}}
{{- end -}}
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
{{- if and (or $values.devices.enabled $values.lvm.enabled) $values.image.digest (not $values.image.nodeDigest) -}}
{{- fail "image.digest is set and image.nodeDigest is not: devices and lvm have an image of their own, with the tools for disks, and so a digest of their own" -}}
{{- end -}}
{{- $namespace := .Release.Namespace -}}
{{- if and $values.podSecurity.labelNamespace (or (hasPrefix "kube-" $namespace) (eq $namespace "default")) -}}
{{- fail (printf "podSecurity.labelNamespace would say of the namespace %s what pods may run there, and much else runs there: install into a namespace of its own, or label it yourself" $namespace) -}}
{{- end -}}
{{- end -}}
