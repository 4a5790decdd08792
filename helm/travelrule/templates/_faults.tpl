{{/* What is wrong with the values, one sentence per fault: JSON list. The schema checks names and types; this checks what
     is required, what fits together and what must not be in values. */}}

{{- define "travelrule.faults" -}}
{{- $faults := list -}}
{{- range $part := list "names" "settings" "secrets" "files" "roles" "scaling" "network" "monitoring" -}}
{{- $faults = concat $faults (include (printf "travelrule.faults.%s" $part) $ | fromJsonArray) -}}
{{- end -}}
{{- toJson $faults -}}
{{- end -}}

{{- define "travelrule.faults.names" -}}
{{- $faults := list -}}
{{- $fullname := include "travelrule.fullname" . -}}
{{- if gt (len $fullname) 40 -}}
{{- $faults = append $faults (printf "fullnameOverride: %q, from the release name, has %d characters: set it to at most 40" $fullname (len $fullname)) -}}
{{- end -}}
{{- if not (regexMatch "^[a-z]([-a-z0-9]*[a-z0-9])?$" $fullname) -}}
{{- $faults = append $faults (printf "fullnameOverride: %q, from the release name, is no name of a Service: set it to lower-case letters, digits and hyphens, beginning with a letter" $fullname) -}}
{{- end -}}
{{- if not .Values.image.repository -}}
{{- $faults = append $faults "image.repository: is required: the image that was built from the Containerfile" -}}
{{- end -}}
{{- if not (or .Values.worker.enabled .Values.gateway.enabled .Values.hub.enabled .Values.sandbox.enabled) -}}
{{- $faults = append $faults "worker.enabled: nothing is enabled: enable worker, gateway, hub or sandbox" -}}
{{- end -}}
{{- $user := .Values.podSecurityContext.runAsUser -}}
{{- if and (not (kindIs "invalid" $user)) (eq (int $user) 0) -}}
{{- $faults = append $faults "podSecurityContext.runAsUser: 0 is root: the program runs as any other user" -}}
{{- end -}}
{{- $labels := dict "commonLabels" .Values.commonLabels -}}
{{- range list "worker" "gateway" "hub" "sandbox" "migrate" "topics" "lists" "doctor" -}}
{{- $_ := set $labels (printf "%s.podLabels" .) (index $.Values .).podLabels -}}
{{- end -}}
{{- range $place, $given := $labels -}}
{{- range $key, $_ := $given -}}
{{- if hasPrefix "app.kubernetes.io/" $key -}}
{{- $faults = append $faults (printf "%s: %s is set by the chart: remove it" $place $key) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- toJson $faults -}}
{{- end -}}

{{/* The settings that the chart sets itself, with what sets them. */}}
{{- define "travelrule.ownSettings" -}}
VASP_PROFILE_FILE: profile
POLICY_FILE: policy
LISTS_DIR: lists.imports
DATA_DIR: the chart (/var/lib/travelrule)
GATEWAY_LISTEN: the chart (port 8080)
METRICS_LISTEN: the chart (port 9100)
CONSOLE_LISTEN: the chart
CONSUMER_INSTANCE_ID: worker.kind (the name of the pod)
BROKER_TLS_CA_FILE: tls.broker.ca
BROKER_TLS_CERTIFICATE_FILE: tls.broker.certificate
BROKER_TLS_KEY_FILE: tls.broker.key
DATABASE_TLS_CA_FILE: tls.database.ca
DATABASE_TLS_CERTIFICATE_FILE: tls.database.certificate
DATABASE_TLS_KEY_FILE: tls.database.key
GATEWAY_TLS_CERTIFICATE_FILE: tls.gateway.certificate
GATEWAY_TLS_KEY_FILE: tls.gateway.key
GATEWAY_TLS_CLIENT_CA_FILE: tls.gateway.clientCa
{{- end -}}

{{- define "travelrule.faults.settings" -}}
{{- $faults := list -}}
{{- $own := include "travelrule.ownSettings" . | fromYaml -}}
{{- range $place := list "" "worker." "gateway." "migrate." "topics." "lists." -}}
{{- $settings := $.Values.settings -}}
{{- if $place -}}{{- $settings = (index $.Values (trimSuffix "." $place)).settings | default dict -}}{{- end -}}
{{- range $name, $_ := $settings -}}
{{- $plain := trimSuffix "_FILE" $name -}}
{{- if or (hasKey $.Values.secrets.keys $plain) (eq $plain "DECISION_KEY") -}}
{{- $faults = append $faults (printf "%ssettings.%s: is a secret: put it into a Secret and name its key in secrets.keys" $place $name) -}}
{{- else if hasKey $own $name -}}
{{- $faults = append $faults (printf "%ssettings.%s: is set by %s: remove it" $place $name (index $own $name)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if or .Values.worker.enabled .Values.gateway.enabled -}}
{{- range $name, $meaning := dict "VASP_ENTITY_ID" "the own entity id in the directory" "HUB_URL" "the root of the hub" -}}
{{- if not (index $.Values.settings $name) -}}
{{- $faults = append $faults (printf "settings.%s: is required: %s" $name $meaning) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $components := include "travelrule.components" . | fromJsonArray -}}
{{- range $component := list "worker" "topics" -}}
{{- if has $component $components -}}
{{- $settings := include "travelrule.settings" (dict "root" $ "component" $component) | fromJson -}}
{{- $where := "settings" -}}
{{- range $name, $_ := (index $.Values $component).settings -}}
{{- if hasPrefix "BROKER_" $name -}}{{- $where = printf "%s.settings" $component -}}{{- end -}}
{{- end -}}
{{- if not $settings.BROKER_URL -}}
{{- $faults = append $faults (printf "%s.BROKER_URL: is required: kafka://HOST:PORT,HOST:PORT" $where) -}}
{{- else if hasPrefix "embedded:" $settings.BROKER_URL -}}
{{- $faults = append $faults (printf "%s.BROKER_URL: embedded:// is one process's own broker: write kafka://HOST:PORT,HOST:PORT" $where) -}}
{{- end -}}
{{- if and $settings.BROKER_SASL_MECHANISM (not $settings.BROKER_SASL_USERNAME) -}}
{{- $faults = append $faults (printf "%s.BROKER_SASL_USERNAME: is required with BROKER_SASL_MECHANISM" $where) -}}
{{- else if and $settings.BROKER_SASL_USERNAME (not $settings.BROKER_SASL_MECHANISM) -}}
{{- $faults = append $faults (printf "%s.BROKER_SASL_MECHANISM: is required with BROKER_SASL_USERNAME" $where) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if and .Values.gateway.enabled (not (include "travelrule.settings" (dict "root" . "component" "gateway") | fromJson).GATEWAY_SOURCES) -}}
{{- $faults = append $faults "settings.GATEWAY_SOURCES: is required: the networks from which the hub's requests reach the pods, for example [10.20.0.0/16] of the proxy" -}}
{{- end -}}
{{- toJson ($faults | uniq) -}}
{{- end -}}

{{- define "travelrule.faults.secrets" -}}
{{- $faults := list -}}
{{- $missing := list -}}
{{- range $component := include "travelrule.components" . | fromJsonArray -}}
{{- range $name, $place := include "travelrule.secretKeys" (dict "root" $ "component" $component) | fromJson -}}
{{- if not $place.name -}}{{- $missing = append $missing $name -}}{{- end -}}
{{- if not $place.key -}}{{- $faults = append $faults (printf "secrets.keys.%s.key: is required: the key in the Secret" $name) -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- if $missing -}}
{{- $faults = append $faults (printf "secrets.existingSecret: is required: a Secret with the keys for %s" ($missing | uniq | sortAlpha | join ", ")) -}}
{{- end -}}
{{- range $service, $given := .Values.tls -}}
{{- $certificate := $given.certificate | default "" -}}
{{- $key := $given.key | default "" -}}
{{- if and $given.existingSecret (ne (empty $certificate) (empty $key)) -}}
{{- $faults = append $faults (printf "tls.%s: certificate and key are needed together" $service) -}}
{{- else if and $given.existingSecret $given.clientCa (not $certificate) -}}
{{- $faults = append $faults (printf "tls.%s.clientCa: needs certificate and key" $service) -}}
{{- end -}}
{{- end -}}
{{- toJson ($faults | uniq) -}}
{{- end -}}

{{- define "travelrule.faults.files" -}}
{{- $faults := list -}}
{{- if .Values.existingConfigMap.name -}}
{{- range list "profile" "policy" -}}
{{- if index $.Values . -}}
{{- $faults = append $faults (printf "%s: is given here and existingConfigMap.name as well: keep one of the two" .) -}}
{{- end -}}
{{- end -}}
{{- else if and (or .Values.worker.enabled .Values.gateway.enabled .Values.lists.enabled) (not .Values.profile) -}}
{{- $faults = append $faults "profile: is required: the VASP's legal name, address and identification as TOML (--set-file profile=profile.toml), or existingConfigMap.name" -}}
{{- end -}}
{{- range $component := list "hub" "sandbox" -}}
{{- $values := index $.Values $component -}}
{{- if $values.enabled -}}
{{- if and $values.file.existingSecret $values.file.existingConfigMap -}}
{{- $faults = append $faults (printf "%s.file: existingSecret and existingConfigMap are both given: keep one of the two" $component) -}}
{{- else if not (or $values.file.existingSecret $values.file.existingConfigMap) -}}
{{- $faults = append $faults (printf "%s.file.existingSecret: is required: the Secret with %s" $component $values.file.key) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if .Values.lists.enabled -}}
{{- if not .Values.lists.imports -}}
{{- $faults = append $faults "lists.imports: is required: one entry per list" -}}
{{- end -}}
{{- $codes := list -}}
{{- range $index, $import := .Values.lists.imports -}}
{{- $name := printf "%s-lists-%s" (include "travelrule.fullname" $) $import.code -}}
{{- if has $import.code $codes -}}
{{- $faults = append $faults (printf "lists.imports[%d].code: %q is another entry's: each list has a code of its own" $index $import.code) -}}
{{- else if gt (len $name) 52 -}}
{{- $faults = append $faults (printf "lists.imports[%d].code: the CronJob's name %q is longer than 52 characters: set a shorter fullnameOverride or code" $index $name) -}}
{{- end -}}
{{- if not (or $import.volume $import.initContainers) -}}
{{- $faults = append $faults (printf "lists.imports[%d].volume: is required, or initContainers that fetch the list" $index) -}}
{{- end -}}
{{- $codes = append $codes $import.code -}}
{{- end -}}
{{- end -}}
{{- toJson $faults -}}
{{- end -}}
