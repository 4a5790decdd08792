"""What crosses a wire: events, verdicts, hub bodies, IVMS101; pydantic models, exported as JSON Schemas."""
