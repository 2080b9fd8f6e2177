import TensorIOBundle
public import TensorIOCore

extension ModelOutput {
  /// Where the recording has speech.
  ///
  /// - Throws: A ``ModelError`` if the model does not detect voice activity.
  public var activity: Activity {
    get throws(ModelError) { try result(of: ActivityTask.self) }
  }
}
