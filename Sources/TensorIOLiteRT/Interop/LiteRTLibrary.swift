internal import CLiteRT
internal import Synchronization
internal import TensorIOCore
internal import TensorIOSystem

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
      do throws(SystemLibraryFault) {
        let library = unsafe LiteRTLibrary(try SystemLibrary.open(path, clitert_open))
        known[path] = library
        return .opened(library)
      } catch {
        return .failed(error.problem)
      }
    }
  }
}
