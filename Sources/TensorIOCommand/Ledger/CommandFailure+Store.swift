import TensorIOCore
internal import TensorIOStore

extension CommandFailure {
  /// A database that cannot be used.
  init(_ error: StoreError) {
    self.init(error.code, error.description, exit: .run)
  }
}
