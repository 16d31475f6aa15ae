{{/*
All volumes that the values ask for, as a list in JSON, whichever layout they are in: each with its name, class, size, node, options and
labels. Whatever is wrong with a name is told here, before anything is sent to a cluster.
*/}}
{{- define "local-volumes.volumes" -}}
{{- $volumes := list -}}
{{- with .Values.storageClass -}}
{{- $options := dict "fsType" $.Values.fs "fsOpts" ($.Values.opts | default "") "mountOpts" ($.Values.mountOpts | default "") "vg" $.Values.vg -}}
{{- include "local-volumes.checkNodes" (dict "nodes" $.Values.nodes "of" (printf "the storageClass %s" .)) -}}
{{- range $node := $.Values.nodes -}}
{{- $volumes = append $volumes (dict "name" (printf "%s-%s" $.Values.storageClass $node) "class" $.Values.storageClass "size" $.Values.size "node" $node "options" $options) -}}
{{- end -}}
{{- end -}}
{{- range $pool := .Values.pools -}}
{{- range $application := $pool.applications -}}
{{- include "local-volumes.checkLabel" (dict "value" $application.name "what" "the name of an application") -}}
{{- range $volume := $application.volumes -}}
{{- include "local-volumes.checkLabel" (dict "value" $volume.name "what" (printf "the name of a volume of %s" $application.name)) -}}
{{- $nodes := coalesce $volume.nodes $application.nodes $pool.nodes -}}
{{- include "local-volumes.checkNodes" (dict "nodes" $nodes "of" (printf "the volume %s of %s" $volume.name $application.name)) -}}
{{- $options := dict -}}
{{- range list $pool.options $application.options $volume.options -}}
{{- range $key, $value := . -}}{{- $_ := set $options $key $value -}}{{- end -}}
{{- end -}}
{{- $labels := dict "holdfast.dev/application" $application.name "holdfast.dev/volume" $volume.name -}}
{{- range $node := $nodes -}}
{{- $volumes = append $volumes (dict "name" (printf "%s-%s-%s" $application.name $volume.name $node) "class" $pool.storageClass "size" $volume.size "node" $node "options" $options "labels" $labels) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- include "local-volumes.checkNames" $volumes -}}
{{- toJson $volumes -}}
{{- end -}}

{{/* The classes that are to be made, as a list in JSON. */}}
{{- define "local-volumes.classes" -}}
{{- $classes := list -}}
{{- with .Values.storageClass -}}{{- $classes = append $classes . -}}{{- end -}}
{{- range .Values.pools -}}
{{- include "local-volumes.checkName" (dict "name" .storageClass "what" "the storageClass") -}}
{{- if ne .createStorageClass false -}}
{{- if has .storageClass $classes -}}
{{- fail (printf "two pools would make the StorageClass %s: set createStorageClass to false in one of them" .storageClass) -}}
{{- end -}}
{{- $classes = append $classes .storageClass -}}
{{- end -}}
{{- end -}}
{{- toJson $classes -}}
{{- end -}}

{{/* A number that YAML has read is written with all its digits, and nothing as a switch or a number where the API has texts. */}}
{{- define "local-volumes.text" -}}
{{- if or (kindIs "float64" .) (kindIs "int64" .) -}}{{- int64 . -}}{{- else -}}{{- toString . -}}{{- end -}}
{{- end -}}
