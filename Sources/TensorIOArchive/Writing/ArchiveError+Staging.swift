package import TensorIOSystem

extension ArchiveError {
  /// Why a file or folder could not come to its place.
  package init(_ fault: Staging.Fault) {
    switch fault {
    case .alreadyThere(let path): self.init(Reason.alreadyThere(path))
    case .unwritable(let path, let fault):
      self.init(Reason.unwritable(path, problem: fault.problem))
    }
  }
}
