package import TensorIOBundle

/// A loaded model that is run step by step, as ``ModelAbilities/steps`` says.
package protocol SteppableRuntimeModel: RuntimeModel {
  /// Creates an empty sequence.
  func makeStepSession() throws(ModelError) -> any StepSession
}
