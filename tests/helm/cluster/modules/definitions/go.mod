module travelrule.example/definitions

go 1.24.0

// Only the definitions of their resources are taken: files of the modules, nothing of them is compiled.
require (
	github.com/kedacore/keda/v2 v2.17.2
	github.com/prometheus-operator/prometheus-operator v0.85.0
)
