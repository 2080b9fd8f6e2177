internal import CTensorFlow
internal import Synchronization
internal import TensorIOCore

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// TensorFlow's functions, as found in one opened library.
///
/// A library stays open for the life of the process: its threads and its C++ statics do not bear
/// being unloaded. So each path is opened once.
@safe final class TensorFlowLibrary: @unchecked Sendable {  // the table is never written again
  let functions: UnsafePointer<CTensorFlowTable>
  private let listed = Mutex<Set<String>?>(nil)

  private init(_ functions: UnsafePointer<CTensorFlowTable>) {
    unsafe self.functions = functions
  }

  private static let known = Mutex<[String: TensorFlowLibrary]>([:])

  static func open(_ path: String) -> RuntimeOpening<TensorFlowLibrary> {
    known.withLock { known in
      if let library = known[path] { return .opened(library) }
      var problem: UnsafeMutablePointer<CChar>?
      guard let functions = unsafe ctensorflow_open(path, &problem) else {
        return unsafe .failed(takeText(problem) ?? "cannot be opened")
      }
      let library = unsafe TensorFlowLibrary(functions)
      known[path] = library
      return .opened(library)
    }
  }

  /// A text that C gave away, as a string; `nil` where there is none.
  private static func takeText(_ text: UnsafeMutablePointer<CChar>?) -> String? {
    guard let text = unsafe text else { return nil }
    defer { unsafe free(text) }
    return unsafe String(cString: text)
  }

  /// The version that the library says it is.
  var version: String { unsafe String(cString: functions.pointee.TF_Version()) }

  /// The names of all operators that it has, which are many and asked for once.
  var operators: Set<String> {
    listed.withLock { listed in
      let names = listed ?? listOperators()
      listed = names
      return names
    }
  }

  private func listOperators() -> Set<String> {
    guard let buffer = unsafe functions.pointee.TF_GetAllOpList() else { return [] }
    defer { unsafe functions.pointee.TF_DeleteBuffer(buffer) }
    let bytes = unsafe Array(
      UnsafeRawBufferPointer(start: buffer.pointee.data, count: buffer.pointee.length))
    return (try? OperatorList.names(WireMessage(bytes))) ?? []
  }
}
