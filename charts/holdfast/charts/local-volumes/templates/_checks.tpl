{{/* Of objects: what the API server takes as a name. */}}
{{- define "local-volumes.checkName" -}}
{{- if gt (len .name) 253 -}}
{{- fail (printf "%s %q has %d characters, and a name in Kubernetes has 253 at most" .what .name (len .name)) -}}
{{- end -}}
{{- if not (regexMatch "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$" .name) -}}
{{- fail (printf "%s %q is not a name in Kubernetes: it has lower-case letters, digits, \"-\" and \".\", and begins and ends with a letter or a digit" .what .name) -}}
{{- end -}}
{{- end -}}

{{/* Of what stands in a name and is the value of a label as well. */}}
{{- define "local-volumes.checkLabel" -}}
{{- include "local-volumes.checkName" (dict "name" .value "what" .what) -}}
{{- if gt (len .value) 63 -}}
{{- fail (printf "%s %q has %d characters, and the value of a label has 63 at most" .what .value (len .value)) -}}
{{- end -}}
{{- end -}}

{{- define "local-volumes.checkNodes" -}}
{{- if not .nodes -}}{{- fail (printf "%s is on no node: name some in nodes, by their label node-id.k8s.portavita.net/nodeid" .of) -}}{{- end -}}
{{- range .nodes -}}
{{- include "local-volumes.checkLabel" (dict "value" . "what" "the id of a node, which stands in the names of its volumes,") -}}
{{- end -}}
{{- end -}}

{{/*
Of all volumes: each name once, and one that LVM takes for a logical volume. In the device mapper every hyphen is doubled, the volume group
stands in front, and 122 characters are the most; of a volume that leaves its group to the agents, that much is sure without it.
*/}}
{{- define "local-volumes.checkNames" -}}
{{- $seen := dict -}}
{{- range . -}}
{{- include "local-volumes.checkName" (dict "name" .name "what" "the volume") -}}
{{- if hasKey $seen .name -}}
{{- fail (printf "two volumes would have the name %s: give an application, a volume or a node another one" .name) -}}
{{- end -}}
{{- $_ := set $seen .name true -}}
{{- if regexMatch "^(pvmove|snapshot)" .name -}}
{{- fail (printf "the volume %s cannot have that name: LVM keeps names that begin with pvmove or snapshot for itself" .name) -}}
{{- end -}}
{{- $device := printf "%s-%s" (.options.vg | default "" | replace "-" "--") (.name | replace "-" "--") -}}
{{- if gt (len $device) 122 -}}
{{- fail (printf "the volume %s cannot have that name: with its volume group and every hyphen doubled it has %d characters in the device mapper, and 122 is the most" .name (len $device)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
