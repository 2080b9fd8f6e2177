import TensorIOCore

extension OperationError {
  /// The message, followed by the option that resolves the error if there is one.
  var messageWithHint: String {
    switch code {
    case "untrusted-operators": message + "; to run the model anyway, use --trust-graphs"
    case "bundle-downgrade": message + "; to open it anyway, use --allow-downgrade"
    case "model-exists": message + "; use --replace or --keep-existing"
    case "protected-model": message + "; use --force to remove or replace it"
    case "missing-gallery": message + "; create one with `tensorio gallery enroll`"
    case "file-exists": message + "; use --resume to append to it"
    default: message
    }
  }
}
