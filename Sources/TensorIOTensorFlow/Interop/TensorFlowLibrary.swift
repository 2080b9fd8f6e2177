internal import CTensorFlow
internal import Synchronization
internal import TensorIOCore
internal import TensorIOSystem

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
      do throws(SystemLibraryFault) {
        let library = unsafe TensorFlowLibrary(try SystemLibrary.open(path, ctensorflow_open))
        known[path] = library
        return .opened(library)
      } catch {
        return .failed(error.problem)
      }
    }
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
