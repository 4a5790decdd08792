{{/* Names and labels. */}}

{{- define "travelrule.name" -}}
{{- default .Chart.Name .Values.nameOverride -}}
{{- end -}}

{{/* The beginning of all object names: one release is one VASP. */}}
{{- define "travelrule.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride -}}
{{- else if contains (include "travelrule.name" .) .Release.Name -}}
{{- .Release.Name -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "travelrule.name" .) -}}
{{- end -}}
{{- end -}}

{{- define "travelrule.chart" -}}
{{- printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" -}}
{{- end -}}

{{/* Labels of every object. */}}
{{- define "travelrule.labels" -}}
{{- $own := dict
      "helm.sh/chart" (include "travelrule.chart" .)
      "app.kubernetes.io/name" (include "travelrule.name" .)
      "app.kubernetes.io/instance" .Release.Name
      "app.kubernetes.io/version" (.Chart.AppVersion | toString)
      "app.kubernetes.io/managed-by" .Release.Service
      "app.kubernetes.io/part-of" "travelrule" -}}
{{- toYaml (merge $own .Values.commonLabels) -}}
{{- end -}}

{{/* Labels that select the pods of this release. */}}
{{- define "travelrule.releaseSelector" -}}
app.kubernetes.io/name: {{ include "travelrule.name" . | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end -}}

{{/* Labels that select the pods of one component. Arguments: root, component. */}}
{{- define "travelrule.selector" -}}
{{ include "travelrule.releaseSelector" .root }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{/* The metadata of an object. Arguments: root, component (may be empty), name (the end of its name, may be empty),
     annotations (may be left out), labels (may be left out). */}}
{{- define "travelrule.metadata" -}}
name: {{ include "travelrule.fullname" .root }}{{ with .name }}-{{ . }}{{ end }}
namespace: {{ .root.Release.Namespace }}
labels:
  {{- $own := include "travelrule.labels" .root | fromYaml }}
  {{- with .component }}
  {{- $_ := set $own "app.kubernetes.io/component" . }}
  {{- end }}
  {{- toYaml (merge (dict) (.labels | default dict) $own) | nindent 2 }}
{{- $annotations := merge (dict) (.annotations | default dict) .root.Values.commonAnnotations }}
{{- with $annotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "travelrule.image" -}}
{{- $image := .Values.image -}}
{{- if $image.digest -}}
{{- printf "%s@%s" $image.repository $image.digest -}}
{{- else -}}
{{- printf "%s:%s" $image.repository (default .Chart.AppVersion $image.tag) -}}
{{- end -}}
{{- end -}}

{{- define "travelrule.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "travelrule.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{/* The ConfigMap with profile.toml and policy.toml. */}}
{{- define "travelrule.configMapName" -}}
{{- default (printf "%s-files" (include "travelrule.fullname" .)) .Values.existingConfigMap.name -}}
{{- end -}}
