"""Apply: a batch of inputs becomes decisions, and these become rows, in one SQL transaction.

The only place that changes subjects. Makes no request, publishes nothing, waits for nothing but the database.
Start at ``engine`` (repetition, bisection), then ``transaction`` (one batch), ``input_decision`` (one input).
"""
