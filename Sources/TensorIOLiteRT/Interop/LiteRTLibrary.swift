internal import CLiteRT
internal import Synchronization
internal import TensorIOCore

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// LiteRT's functions, as found in one opened library.
///
/// A library stays open for the life of the process: its threads and its C++ statics do not bear
/// being unloaded. So each path is opened once.
@safe final class LiteRTLibrary: @unchecked Sendable {  // the table is never written again
  let functions: UnsafePointer<CLiteRTTable>

  private init(_ functions: UnsafePointer<CLiteRTTable>) {
    unsafe self.functions = functions
  }

  private static let known = Mutex<[String: LiteRTLibrary]>([:])

  static func open(_ path: String) -> RuntimeOpening<LiteRTLibrary> {
    known.withLock { known in
      if let library = known[path] { return .opened(library) }
      var problem: UnsafeMutablePointer<CChar>?
      guard let functions = unsafe clitert_open(path, &problem) else {
        return unsafe .failed(takeText(problem) ?? "cannot be opened")
      }
      let library = unsafe LiteRTLibrary(functions)
      known[path] = library
      return .opened(library)
    }
  }

  /// A text that C gave away, as a string; `nil` where there is none.
  static func takeText(_ text: UnsafeMutablePointer<CChar>?) -> String? {
    guard let text = unsafe text else { return nil }
    defer { unsafe free(text) }
    return unsafe String(cString: text)
  }
}
