import Foundation

/// What libFuzzer calls with the bytes that it makes up; `Scripts/fuzz` links it.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  do throws(BrokenPromise) {
    try chosen.read(bytes)
  } catch {
    preconditionFailure("\(chosen): \(error)")
  }
  return 0
}

private let chosen: FuzzedReader = {
  let name = ProcessInfo.processInfo.environment["TENSORIO_FUZZED"] ?? ""
  guard let reader = FuzzedReader(rawValue: name) else {
    preconditionFailure(
      "TENSORIO_FUZZED is one of \(FuzzedReader.allCases.map(\.rawValue).joined(separator: " "))")
  }
  return reader
}()
