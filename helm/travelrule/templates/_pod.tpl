{{/* The pod of a component. Arguments: root, component, values (its part of the values), args, and where they apply:
     ports {name: number}, probes {startup, liveness, readiness}, restartPolicy, file {existingSecret, existingConfigMap,
     key, path}, lists {volume, initContainers}, hook (runs before the objects of the release exist). */}}
{{- define "travelrule.pod" -}}
{{- $root := .root -}}
{{- $component := .component -}}
{{- $values := .values -}}
{{- $ports := .ports | default dict -}}
{{- $needs := index (include "travelrule.needs" $root | fromYaml) $component -}}
{{- $secretVolume := include "travelrule.secretVolume" . -}}
metadata:
  labels:
    {{- include "travelrule.selector" . | nindent 4 }}
    app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
    {{- with merge (dict) ($values.podLabels | default dict) $root.Values.commonLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  annotations:
    {{- $own := dict "kubectl.kubernetes.io/default-container" $component }}
    {{- $own = merge $own (include "travelrule.checksums" . | fromYaml) }}
    {{- toYaml (merge $own ($values.podAnnotations | default dict) $root.Values.commonAnnotations) | nindent 4 }}
spec:
  {{- if not .hook }}
  serviceAccountName: {{ include "travelrule.serviceAccountName" $root }}
  {{- else if not $root.Values.serviceAccount.create }}
  serviceAccountName: {{ include "travelrule.serviceAccountName" $root }}
  {{- end }}
  automountServiceAccountToken: {{ $root.Values.serviceAccount.automountToken }}
  enableServiceLinks: false
  {{- with $root.Values.image.pullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .restartPolicy }}
  restartPolicy: {{ . }}
  {{- end }}
  {{- with $values.terminationGracePeriodSeconds }}
  terminationGracePeriodSeconds: {{ . }}
  {{- end }}
  {{- with $values.priorityClassName | default $root.Values.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  securityContext:
    {{- toYaml $root.Values.podSecurityContext | nindent 4 }}
  {{- with $values.initContainers }}
  initContainers:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
    - name: {{ $component }}
      image: {{ include "travelrule.image" $root }}
      imagePullPolicy: {{ $root.Values.image.pullPolicy }}
      command: [travelrule]
      args:
        {{- toYaml .args | nindent 8 }}
      workingDir: /var/lib/travelrule
      env:
        {{- include "travelrule.env" . | trim | nindent 8 }}
        {{- range $name, $port := $ports }}
        {{- if and (has $name (list "gateway" "metrics")) (has $component (list "worker" "gateway")) }}
        - name: TRAVELRULE_{{ upper $name }}_LISTEN
          value: 0.0.0.0:{{ $port }}
        {{- end }}
        {{- end }}
        {{- if and (eq $component "worker") (eq (toString $values.kind) "StatefulSet") }}
        - name: TRAVELRULE_CONSUMER_INSTANCE_ID
          valueFrom:
            fieldRef:
              fieldPath: metadata.name
        {{- end }}
        {{- with $values.extraEnv }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      {{- with $values.extraEnvFrom }}
      envFrom:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with $ports }}
      ports:
        {{- range $name, $port := . }}
        - name: {{ $name }}
          containerPort: {{ $port }}
          protocol: TCP
        {{- end }}
      {{- end }}
      {{- range $probe, $spec := .probes }}
      {{- with merge (dict) (index ($values.probes | default dict) $probe | default dict) $spec }}
      {{ $probe }}Probe:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- end }}
      {{- with $values.preStopSeconds }}
      lifecycle:
        preStop:
          sleep:
            seconds: {{ . }}
      {{- end }}
      {{- with $values.resources }}
      resources:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      securityContext:
        {{- toYaml $root.Values.securityContext | nindent 8 }}
      volumeMounts:
        - name: tmp
          mountPath: /tmp
        - name: state
          mountPath: /var/lib/travelrule
        {{- if $secretVolume }}
        - name: secrets
          mountPath: /run/secrets/travelrule
          readOnly: true
        {{- end }}
        {{- if or $needs.files .file }}
        - name: files
          mountPath: /etc/travelrule
          readOnly: true
        {{- end }}
        {{- if .lists }}
        - name: lists
          mountPath: /lists
          readOnly: true
        {{- end }}
        {{- with $values.extraVolumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    {{- with $values.extraContainers }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  volumes:
    - name: tmp
      emptyDir:
        sizeLimit: {{ $root.Values.temporarySizeLimit }}
    - name: state
      emptyDir:
        sizeLimit: {{ $root.Values.temporarySizeLimit }}
    {{- with $secretVolume }}
    {{- . | trim | nindent 4 }}
    {{- end }}
    {{- if .file }}
    {{- include "travelrule.fileVolume" .file | nindent 4 }}
    {{- else if $needs.files }}
    {{- include "travelrule.filesVolume" $root | nindent 4 }}
    {{- end }}
    {{- with .lists }}
    - name: lists
      {{- toYaml . | nindent 6 }}
    {{- end }}
    {{- with $values.extraVolumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with include "travelrule.placement" . | trim }}
  {{- . | nindent 2 }}
  {{- end }}
{{- end -}}

{{/* profile.toml and policy.toml. Argument: root. */}}
{{- define "travelrule.filesVolume" -}}
- name: files
  configMap:
    name: {{ include "travelrule.configMapName" . }}
    items:
      {{- if .Values.existingConfigMap.name }}
      - key: {{ .Values.existingConfigMap.profileKey }}
        path: profile.toml
      {{- with .Values.existingConfigMap.policyKey }}
      - key: {{ . }}
        path: policy.toml
      {{- end }}
      {{- else }}
      - key: profile.toml
        path: profile.toml
      {{- if .Values.policy }}
      - key: policy.toml
        path: policy.toml
      {{- end }}
      {{- end }}
{{- end -}}

{{/* The file of a hub or a sandbox. Arguments: existingSecret or existingConfigMap, key, path. */}}
{{- define "travelrule.fileVolume" -}}
- name: files
  {{- if .existingSecret }}
  secret:
    secretName: {{ .existingSecret }}
    defaultMode: 0440
  {{- else }}
  configMap:
    name: {{ .existingConfigMap }}
  {{- end }}
    items:
      - key: {{ .key }}
        path: {{ .path }}
{{- end -}}

{{/* Where the pods of a component run. Arguments: root, component, values. */}}
{{- define "travelrule.placement" -}}
{{- $values := .values -}}
{{- with $values.nodeSelector | default .root.Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.tolerations | default .root.Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- if $values.topologySpreadConstraints }}
topologySpreadConstraints:
  {{- $own := dict "matchLabels" (include "travelrule.selector" (dict "root" .root "component" .component) | fromYaml) }}
  {{- range $values.topologySpreadConstraints }}
  - {{- merge (dict) . (dict "labelSelector" $own) | toYaml | nindent 4 }}
  {{- end }}
{{- else if $values.topologySpread }}
topologySpreadConstraints:
  {{- range $key := list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
  - maxSkew: 1
    topologyKey: {{ $key }}
    whenUnsatisfiable: {{ $values.topologySpread }}
    labelSelector:
      matchLabels:
        {{- include "travelrule.selector" (dict "root" $.root "component" $.component) | nindent 8 }}
  {{- end }}
{{- end }}
{{- end -}}

{{/* The probes of a component on its metrics port: started when it listens, alive while it makes progress, ready while
     the services that it needs serve it. */}}
{{- define "travelrule.probes" -}}
startup: {httpGet: {path: /livez, port: metrics}, periodSeconds: 2, timeoutSeconds: 5, failureThreshold: 60}
liveness: {httpGet: {path: /livez, port: metrics}, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 3}
readiness: {httpGet: {path: /readyz, port: metrics}, periodSeconds: 5, timeoutSeconds: 5, failureThreshold: 2}
{{- end -}}
