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
  /// Where it lies, or the bare name by which the system's loader has found it.
  let path: String

  private init(_ functions: UnsafePointer<CLiteRTTable>, _ path: String) {
    unsafe self.functions = functions
    self.path = path
  }

  private static let known = Mutex<[String: LiteRTLibrary]>([:])

  static func open(_ path: String) -> RuntimeOpening<LiteRTLibrary> {
    known.withLock { known in
      if let library = known[path] { return .opened(library) }
      do throws(SystemLibraryFault) {
        let library = unsafe LiteRTLibrary(try SystemLibrary.open(path, clitert_open), path)
        known[path] = library
        return .opened(library)
      } catch {
        return .failed(error.problem)
      }
    }
  }
}

extension LiteRTLibrary {
  /// What decides, besides a model's bytes, how its weights are arranged: this very library, and the
  /// processor; `nil` where either cannot be told.
  var arrangement: String? {
    var words: [UInt32] = Array(repeating: 0, count: Int(CLiteRTProcessorWords))
    guard let stamp = FileStamp(path), unsafe clitert_processor(&words) else { return nil }
    return "\(path) \(stamp.byteCount) \(stamp.written) \(words)"
  }
}
