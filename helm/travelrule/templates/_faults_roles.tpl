{{/* Faults of the roles, their scaling, their network and their monitoring; see _faults.tpl. */}}

{{/* The limit of a regular shutdown in seconds: DRAIN_SECONDS of travelrule/bootstrap/shutdown.py. */}}
{{- define "travelrule.drainSeconds" -}}45{{- end -}}

{{- define "travelrule.faults.roles" -}}
{{- $faults := list -}}
{{- $drain := include "travelrule.drainSeconds" . | int -}}
{{- range $component := list "worker" "gateway" -}}
{{- $values := index $.Values $component -}}
{{- if $values.enabled -}}
{{- $least := add $drain (int $values.preStopSeconds) -}}
{{- if le (int $values.terminationGracePeriodSeconds) (int $least) -}}
{{- $faults = append $faults (printf "%s.terminationGracePeriodSeconds: %d is too short: more than %d, the limit of a regular shutdown%s" $component (int $values.terminationGracePeriodSeconds) $least (ternary " and preStopSeconds" "" (gt (int $values.preStopSeconds) 0))) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- range $component := list "worker" "gateway" "hub" "sandbox" "migrate" "topics" "lists" "doctor" -}}
{{- range (index $.Values $component).extraEnv -}}
{{- if hasPrefix "TRAVELRULE_" .name -}}
{{- $faults = append $faults (printf "%s.extraEnv: %s is a setting: write it in settings, or a secret in secrets.keys" $component .name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if and .Values.gateway.enabled .Values.gateway.ingress.enabled (not .Values.gateway.ingress.host) -}}
{{- $faults = append $faults "gateway.ingress.host: is required: the host of settings.PUBLIC_URL" -}}
{{- end -}}
{{- toJson $faults -}}
{{- end -}}

{{- define "travelrule.faults.scaling" -}}
{{- $faults := list -}}
{{- range $component := list "worker" "gateway" -}}
{{- $values := index $.Values $component -}}
{{- $scaling := $values.autoscaling -}}
{{- if $values.enabled -}}
{{- if and (ne $scaling.kind "none") (lt (int $scaling.maxReplicas) (int $scaling.minReplicas)) -}}
{{- $faults = append $faults (printf "%s.autoscaling.maxReplicas: %d is less than minReplicas %d" $component (int $scaling.maxReplicas) (int $scaling.minReplicas)) -}}
{{- end -}}
{{- if and (eq $scaling.kind "cpu") (not (($values.resources).requests).cpu) -}}
{{- $faults = append $faults (printf "%s.resources.requests.cpu: is required with autoscaling.kind cpu, which is a percentage of it" $component) -}}
{{- end -}}
{{- if eq $scaling.kind "lag" -}}
{{- $settings := include "travelrule.settings" (dict "root" $ "component" $component) | fromJson -}}
{{- if not $scaling.lag.threshold -}}
{{- $faults = append $faults (printf "%s.autoscaling.lag.threshold: is required: records behind the committed offset that one worker may have" $component) -}}
{{- end -}}
{{- if and (or $settings.BROKER_SASL_MECHANISM $settings.BROKER_TLS_ENABLED $.Values.tls.broker.existingSecret) (not $scaling.lag.authenticationRef.name) -}}
{{- $faults = append $faults (printf "%s.autoscaling.lag.authenticationRef.name: is required: KEDA logs in at the broker with a TriggerAuthentication of its own" $component) -}}
{{- end -}}
{{- end -}}
{{- $budget := $values.podDisruptionBudget -}}
{{- $replicas := ternary $values.replicas $scaling.minReplicas (eq $scaling.kind "none") | int -}}
{{- if $budget.enabled -}}
{{- if not (kindIs "invalid" $budget.minAvailable) -}}
{{- if not (kindIs "invalid" $budget.maxUnavailable) -}}
{{- $faults = append $faults (printf "%s.podDisruptionBudget: minAvailable and maxUnavailable are both given: set one of them to null" $component) -}}
{{- else if eq (toString $budget.minAvailable) "100%" -}}
{{- $faults = append $faults (printf "%s.podDisruptionBudget.minAvailable: 100%%: no node could be drained" $component) -}}
{{- else if and (not (kindIs "string" $budget.minAvailable)) (ge (int $budget.minAvailable) $replicas) -}}
{{- $faults = append $faults (printf "%s.podDisruptionBudget.minAvailable: %d of %d pods: no node could be drained" $component (int $budget.minAvailable) $replicas) -}}
{{- end -}}
{{- else if kindIs "invalid" $budget.maxUnavailable -}}
{{- $faults = append $faults (printf "%s.podDisruptionBudget.maxUnavailable: is required, or minAvailable" $component) -}}
{{- else if or (eq (toString $budget.maxUnavailable) "0") (eq (toString $budget.maxUnavailable) "0%") -}}
{{- $faults = append $faults (printf "%s.podDisruptionBudget.maxUnavailable: 0: no node could be drained" $component) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- toJson $faults -}}
{{- end -}}

{{- define "travelrule.faults.network" -}}
{{- $faults := list -}}
{{- $policy := .Values.networkPolicy -}}
{{- if $policy.enabled -}}
{{- $fetches := false -}}
{{- range .Values.lists.imports -}}
{{- if .initContainers -}}{{- $fetches = true -}}{{- end -}}
{{- end -}}
{{- $needed := dict
      "listSources" (and .Values.lists.enabled $fetches)
      "broker" .Values.worker.enabled
      "database" (or .Values.worker.enabled .Values.gateway.enabled .Values.lists.enabled)
      "hub" (or .Values.worker.enabled .Values.gateway.enabled)
      "members" (or .Values.hub.enabled .Values.sandbox.enabled) -}}
{{- range $destination, $is := $needed -}}
{{- if and $is (not (index $policy.egress $destination)) -}}
{{- $faults = append $faults (printf "networkPolicy.egress.%s: is required: without it the pods reach no %s" $destination $destination) -}}
{{- end -}}
{{- end -}}
{{- if and .Values.gateway.enabled (not $policy.ingress.gateway) -}}
{{- $faults = append $faults "networkPolicy.ingress.gateway: is required: without it the hub reaches no gateway" -}}
{{- end -}}
{{- if and (or .Values.hub.enabled .Values.sandbox.enabled) (not $policy.ingress.hub) -}}
{{- $faults = append $faults "networkPolicy.ingress.hub: is required: without it no member reaches the hub" -}}
{{- end -}}
{{- if and (ne .Values.monitoring.monitor.kind "none") (not $policy.ingress.metrics) -}}
{{- $faults = append $faults "networkPolicy.ingress.metrics: is required with monitoring.monitor: without it Prometheus reaches no pod" -}}
{{- end -}}
{{- end -}}
{{- toJson $faults -}}
{{- end -}}

{{- define "travelrule.faults.monitoring" -}}
{{- $faults := list -}}
{{- if and .Values.monitoring.prometheusRule.enabled (not .Values.monitoring.prometheusRule.runbookUrl) -}}
{{- $faults = append $faults "monitoring.prometheusRule.runbookUrl: is required: where the runbooks are" -}}
{{- end -}}
{{- toJson $faults -}}
{{- end -}}
