{{/* A role and its binding to the account of a job; a Role in the namespace of the release, or in the one that the grant names. */}}
{{- define "holdfast.grant" }}
{{- $metadata := dict "name" (printf "%s%s" (include "holdfast.jobName" .) .grant.suffix) "labels" (include "holdfast.labels" . | fromYaml) }}
{{- if eq .role.kind "Role" }}{{ $_ := set $metadata "namespace" (.grant.namespace | default .root.Release.Namespace) }}{{ end }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ .role.kind }}
metadata:
  {{- toYaml $metadata | nindent 2 }}
rules:
  {{- toYaml .role.rules | nindent 2 }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ .role.kind }}Binding
metadata:
  {{- toYaml $metadata | nindent 2 }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: {{ .role.kind }}
  name: {{ $metadata.name | quote }}
subjects:
  - kind: ServiceAccount
    name: {{ include "holdfast.account" . | quote }}
    namespace: {{ .root.Release.Namespace | quote }}
{{- end }}
