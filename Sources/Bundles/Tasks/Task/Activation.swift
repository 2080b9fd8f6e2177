import TensorIOSystem

/// Returns the logistic function of a score, a probability.
func sigmoid(_ score: Float) -> Float { 1 / (1 + exp(-score)) }

/// Returns the score with a probability.
func inverseSigmoid(_ probability: Float) -> Float { log(probability / (1 - probability)) }

/// Returns the exponential function.
func exponential(_ value: Float) -> Float { exp(value) }
