{{/* Settings (TRAVELRULE_*) and secrets of each component: no component gets more than it reads. */}}

{{/* The components that are installed, as a JSON list. The Jobs are of no use without the role that needs them. */}}
{{- define "travelrule.components" -}}
{{- $chosen := list -}}
{{- range list "worker" "gateway" "hub" "sandbox" -}}
{{- if (index $.Values .).enabled -}}{{- $chosen = append $chosen . -}}{{- end -}}
{{- end -}}
{{- if and .Values.migrate.enabled (or .Values.worker.enabled .Values.gateway.enabled) -}}{{- $chosen = append $chosen "migrate" -}}{{- end -}}
{{- if and .Values.topics.enabled .Values.worker.enabled -}}{{- $chosen = append $chosen "topics" -}}{{- end -}}
{{- if and .Values.doctor.enabled .Values.worker.enabled -}}{{- $chosen = append $chosen "doctor" -}}{{- end -}}
{{- if .Values.lists.enabled -}}{{- $chosen = append $chosen "lists" -}}{{- end -}}
{{- toJson $chosen -}}
{{- end -}}

{{/* What each component reads, as YAML: settings by prefix or name, secrets, certificates (of which service), and whether
     it reads profile.toml and policy.toml. */}}
{{- define "travelrule.needs" -}}
worker:
  settings: [VASP_, HUB_, BUILDER_URL, PUBLIC_URL, BROKER_, DIRECTORY_, HEALTH_, CONSUMER_GROUP, TOPIC_PREFIX, DEADLETTER_PLAIN, LOG_]
  secrets: [DATABASE_URL, SIGNING_KEY, STORAGE_KEYS, INDEX_KEY, AUDIT_KEY, BROKER_SASL_PASSWORD]
  tls: [broker, database]
  files: true
gateway:
  settings: [VASP_, HUB_, BUILDER_URL, PUBLIC_URL, GATEWAY_, DIRECTORY_, HEALTH_, TOPIC_PREFIX, DEADLETTER_PLAIN, LOG_]
  secrets: [DATABASE_URL, SIGNING_KEY, STORAGE_KEYS, INDEX_KEY]
  tls: [gateway, database]
  files: true
lists:
  settings: [VASP_, HUB_, BUILDER_URL, PUBLIC_URL, TOPIC_PREFIX, DEADLETTER_PLAIN, LOG_]
  secrets: [DATABASE_URL, SIGNING_KEY, STORAGE_KEYS, INDEX_KEY]
  tls: [database]
  files: true
migrate:
  settings: [VASP_ENTITY_ID, LOG_]
  secrets: [DATABASE_URL, STORAGE_KEYS, INDEX_KEY]
  tls: [database]
  files: false
topics:
  settings: [BROKER_, TOPIC_PREFIX, LOG_]
  secrets: [BROKER_SASL_PASSWORD]
  tls: [broker]
  files: false
doctor:
  settings: [VASP_, HUB_, BUILDER_URL, PUBLIC_URL, BROKER_, GATEWAY_, CONSUMER_GROUP, TOPIC_PREFIX, LOG_]
  secrets: [DATABASE_URL, SIGNING_KEY, STORAGE_KEYS, INDEX_KEY, AUDIT_KEY, BROKER_SASL_PASSWORD]
  tls: [broker, database]
  files: true
hub:
  settings: [LOG_]
  secrets: []
  tls: []
  files: false
sandbox:
  settings: [LOG_]
  secrets: []
  tls: []
  files: false
{{- end -}}

{{/* The settings of one component as JSON, without prefix: its own over those of the release. Arguments: root,
     component. */}}
{{- define "travelrule.settings" -}}
{{- $needs := index (include "travelrule.needs" .root | fromYaml) .component -}}
{{- $given := merge (dict) ((index .root.Values .component | default dict).settings | default dict) .root.Values.settings -}}
{{- $chosen := dict "LOG_FORMAT" "json" -}}
{{- range $name, $value := $given -}}
{{- $wanted := false -}}
{{- range $needs.settings -}}
{{- if hasPrefix . $name -}}{{- $wanted = true -}}{{- end -}}
{{- end -}}
{{- if and $wanted (not (kindIs "invalid" $value)) (ne (toString $value) "") -}}
{{- $_ := set $chosen $name (include "travelrule.text" $value) -}}
{{- end -}}
{{- end -}}
{{- toJson $chosen -}}
{{- end -}}

{{/* The text of a value: lists are comma-separated, numbers have no exponent. */}}
{{- define "travelrule.text" -}}
{{- if kindIs "slice" . -}}
{{- join "," . -}}
{{- else if kindIs "float64" . -}}
{{- int64 . -}}
{{- else -}}
{{- toString . -}}
{{- end -}}
{{- end -}}

{{/* Secret and key of each secret that a component reads, as JSON {NAME: {name, key}}. Arguments: root, component. */}}
{{- define "travelrule.secretKeys" -}}
{{- $root := .root -}}
{{- $needs := index (include "travelrule.needs" $root | fromYaml) .component -}}
{{- $settings := include "travelrule.settings" . | fromJson -}}
{{- $own := (index $root.Values .component | default dict).secrets | default dict -}}
{{- $chosen := dict -}}
{{- range $name := $needs.secrets -}}
{{- if or (ne $name "BROKER_SASL_PASSWORD") (hasKey $settings "BROKER_SASL_MECHANISM") -}}
{{- $general := index $root.Values.secrets.keys $name -}}
{{- $special := index $own $name | default dict -}}
{{- $secret := $special.name | default $general.name | default $root.Values.secrets.existingSecret -}}
{{- $_ := set $chosen $name (dict "name" $secret "key" ($special.key | default $general.key)) -}}
{{- end -}}
{{- end -}}
{{- toJson $chosen -}}
{{- end -}}

{{/* Certificates that a component reads, as JSON [{setting, secret, key, path}]. Arguments: root, component. */}}
{{- define "travelrule.certificates" -}}
{{- $needs := index (include "travelrule.needs" .root | fromYaml) .component -}}
{{- $settings := dict
      "broker" (dict "ca" "TRAVELRULE_BROKER_TLS_CA_FILE" "certificate" "TRAVELRULE_BROKER_TLS_CERTIFICATE_FILE" "key" "TRAVELRULE_BROKER_TLS_KEY_FILE")
      "gateway" (dict "certificate" "TRAVELRULE_GATEWAY_TLS_CERTIFICATE_FILE" "key" "TRAVELRULE_GATEWAY_TLS_KEY_FILE" "clientCa" "TRAVELRULE_GATEWAY_TLS_CLIENT_CA_FILE")
      "database" (dict "ca" "TRAVELRULE_DATABASE_TLS_CA_FILE" "certificate" "TRAVELRULE_DATABASE_TLS_CERTIFICATE_FILE" "key" "TRAVELRULE_DATABASE_TLS_KEY_FILE") -}}
{{- $special := (index .root.Values .component | default dict).tls | default dict -}}
{{- $rows := list -}}
{{- range $service := $needs.tls -}}
{{- $given := merge (dict) (index $special $service | default dict) (index $.root.Values.tls $service) -}}
{{- if $given.existingSecret -}}
{{- range $part, $setting := index $settings $service -}}
{{- with index $given $part -}}
{{- $rows = append $rows (dict "setting" $setting "secret" $given.existingSecret "key" . "path" (printf "%s/%s" $service .)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- toJson $rows -}}
{{- end -}}

{{/* The environment of a component. Arguments: root, component. */}}
{{- define "travelrule.env" -}}
{{- $needs := index (include "travelrule.needs" .root | fromYaml) .component -}}
{{- range $name, $value := include "travelrule.settings" . | fromJson }}
- name: TRAVELRULE_{{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- range $name, $_ := include "travelrule.secretKeys" . | fromJson }}
- name: TRAVELRULE_{{ $name }}_FILE
  value: /run/secrets/travelrule/{{ $name | lower | replace "_" "-" }}
{{- end }}
{{- range include "travelrule.certificates" . | fromJsonArray }}
- name: {{ .setting }}
  value: /run/secrets/travelrule/{{ .path }}
{{- end }}
{{- if $needs.files }}
- name: TRAVELRULE_VASP_PROFILE_FILE
  value: /etc/travelrule/profile.toml
{{- if or .root.Values.policy .root.Values.existingConfigMap.policyKey }}
- name: TRAVELRULE_POLICY_FILE
  value: /etc/travelrule/policy.toml
{{- end }}
{{- end }}
- name: TRAVELRULE_DATA_DIR
  value: /var/lib/travelrule
{{- end -}}

{{/* The files with secrets of a component, as one projected volume. Arguments: root, component. */}}
{{- define "travelrule.secretVolume" -}}
{{- $secrets := include "travelrule.secretKeys" . | fromJson -}}
{{- $certificates := include "travelrule.certificates" . | fromJsonArray -}}
{{- if or $secrets $certificates }}
- name: secrets
  projected:
    defaultMode: 0440
    sources:
      {{- range $name, $place := $secrets }}
      - secret:
          name: {{ $place.name }}
          items:
            - key: {{ $place.key }}
              path: {{ $name | lower | replace "_" "-" }}
      {{- end }}
      {{- range $certificates }}
      - secret:
          name: {{ .secret }}
          items:
            - key: {{ .key }}
              path: {{ .path }}
      {{- end }}
{{- end }}
{{- end -}}

{{/* Checksums that restart the pods of a component. The content of a Secret counts where helm can look it up.
     Arguments: root, component. */}}
{{- define "travelrule.checksums" -}}
{{- $root := .root -}}
{{- $needs := index (include "travelrule.needs" $root | fromYaml) .component -}}
{{- if $needs.files }}
checksum/files: {{ list $root.Values.profile $root.Values.policy $root.Values.existingConfigMap | toJson | sha256sum }}
{{- end }}
{{- $names := list -}}
{{- range $_, $place := include "travelrule.secretKeys" . | fromJson -}}{{- $names = append $names $place.name -}}{{- end -}}
{{- range include "travelrule.certificates" . | fromJsonArray -}}{{- $names = append $names .secret -}}{{- end -}}
{{- with (index $root.Values .component | default dict).file -}}{{- $names = append $names .existingSecret -}}{{- end -}}
{{- $content := list $root.Values.secrets.revision -}}
{{- range $names | uniq | sortAlpha -}}
{{- $content = append $content . -}}
{{- if and . $root.Values.secrets.lookup -}}
{{- $content = append $content ((lookup "v1" "Secret" $root.Release.Namespace .).data | default dict) -}}
{{- end -}}
{{- end }}
checksum/secrets: {{ toJson $content | sha256sum }}
{{- end -}}
