import Foundation

/// The entry point for libFuzzer; `Scripts/check/fuzz` links it.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  do throws(PropertyViolation) {
    try selectedReader.read(bytes)
  } catch {
    preconditionFailure("\(selectedReader): \(error)")
  }
  return 0
}

private let selectedReader: FuzzedReader = {
  let name = ProcessInfo.processInfo.environment["TENSORIO_FUZZED"] ?? ""
  guard let reader = FuzzedReader(rawValue: name) else {
    preconditionFailure(
      "TENSORIO_FUZZED must be one of \(FuzzedReader.allCases.map(\.rawValue).joined(separator: " "))"
    )
  }
  return reader
}()
