/// Why a check ends before its end.
enum ConformanceStop: Error {
  case failed(String)
  case notApplicable(String)
}

/// Fails a check unless a condition holds.
func require(
  _ condition: Bool, _ detail: @autoclosure () -> String
) throws(ConformanceStop) {
  guard condition else { throw .failed(detail()) }
}
