import TensorIOCore
import TensorIOLibrary

extension OperationError {
  /// A database that cannot be used.
  init(_ error: DatabaseError) {
    self.init(error.code, error.description, exitCode: .inferenceFailed)
  }
}
