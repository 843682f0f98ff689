"""What a prediction cost: cost matrices, their extension to sets, the audit and the elicitation."""
