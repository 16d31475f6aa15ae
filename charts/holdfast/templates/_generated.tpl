{{/*
The objects in one of the files that `make manifests` writes from the code, as a list in JSON: (dict "root" $ "file" "rbac/holdfast-lvm").
A file that is not there would be a right or a policy that is silently left out.
*/}}
{{- define "holdfast.generated" -}}
{{- $path := printf "files/%s.yaml" .file -}}
{{- $text := .root.Files.Get $path -}}
{{- if not $text -}}{{- fail (printf "the chart is not whole: %s is missing" $path) -}}{{- end -}}
{{- $text = $text | replace "RELEASE_NAMESPACE" .root.Release.Namespace -}}
{{- if .account -}}{{- $text = $text | replace "AGENT_ACCOUNT" .account -}}{{- end -}}
{{- $objects := list -}}
{{- range splitList "\n---\n" $text -}}
{{- $object := fromYaml . -}}
{{- if $object.Error -}}{{- fail (printf "%s cannot be read: %s" $path $object.Error) -}}{{- end -}}
{{- $objects = append $objects $object -}}
{{- end -}}
{{- toJson $objects -}}
{{- end -}}
