import CLiteRT
import Synchronization
import TensorIOBundle
import TensorIOCore
import TensorIOSystem

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

  private static let openLibraries = Mutex<[String: LiteRTLibrary]>([:])

  static func open(_ path: String) -> RuntimeLibraryOpenResult<LiteRTLibrary> {
    openLibraries.withLock { known in
      if let library = known[path] { return .opened(library) }
      do throws(DynamicLibraryError) {
        let library = unsafe LiteRTLibrary(try DynamicLibrary.open(path, clitert_open), path)
        known[path] = library
        return .opened(library)
      } catch {
        return .failed(error.message)
      }
    }
  }
}

extension LiteRTLibrary {
  /// What decides, besides a model's bytes, how its weights are arranged: this very library, and the
  /// processor; `nil` where either cannot be told.
  var weightLayoutKey: String? {
    var words: [UInt32] = Array(repeating: 0, count: Int(CLiteRTCPUIDWordCount))
    guard let stamp = FileStamp(path), unsafe clitert_cpuid(&words) else { return nil }
    return "\(path) \(stamp.byteCount) \(stamp.modificationTime) \(words)"
  }
}

/// What LiteRT wants to exist before anything else does: here, a CPU and no log.
///
/// Told nothing, it would look along the loader's path for accelerators and open what it finds.
@safe final class LiteRTEnvironment: @unchecked Sendable {  // making things is under `making`
  let library: LiteRTLibrary
  let handle: LiteRtEnvironment
  /// Where arranged weights are kept; `nil` keeps none.
  let weightCache: WeightCache?
  private let creationLock = Mutex<Void>(())

  init(_ library: LiteRTLibrary, _ weightCache: WeightCache?) throws(ModelError) {
    self.library = library
    self.weightCache = weightCache
    var handle: LiteRtEnvironment?
    let status = unsafe clitert_create_environment(library.functions, &handle)
    unsafe self.handle = try checkedHandle(handle, status, from: "LiteRtCreateEnvironment")
  }

  deinit {
    unsafe library.functions.pointee.LiteRtDestroyEnvironment(handle)
  }

  /// Loads or compiles something, one caller at a time: LiteRT does not promise that two may.
  func withExclusiveAccess<Result>(
    _ body: () throws(ModelError) -> Result
  ) throws(ModelError) -> Result {
    try creationLock.withLock { (_) throws(ModelError) in try body() }
  }
}

/// Throws unless a call of LiteRT's succeeded: the one place where its status becomes an error.
///
/// - Parameters:
///   - status: What the function returned.
///   - function: The function's name in C.
///   - stage: What the call was for. While a model is being opened, failure means that the runtime
///     refuses it.
///   - message: The runtime's own words, where it has any.
/// - Throws: The failure, with function, status and message.
func checkStatus(
  _ status: LiteRtStatus, from function: String, at stage: ModelError.Stage = .runtime,
  message: @autoclosure () -> String? = nil
) throws(ModelError) {
  guard status != 0 else { return }
  let words = message() ?? statusDescription( status)
  switch stage {
  case .runtime:
    throw ModelError(stage, .modelRejected(detail: "\(words) (\(function), status \(status))"))
  case .bundle, .input, .run, .output:
    throw ModelError(
      stage, .callFailed(function: function, status: Int(status), message: words))
  }
}

/// The same for a function that promises a handle.
func checkedHandle(
  _ handle: OpaquePointer?, _ status: LiteRtStatus, from function: String
) throws(ModelError) -> OpaquePointer {
  try checkStatus(status, from: function)
  guard let handle = unsafe handle else {
    throw ModelError(.runtime, .modelRejected(detail: "\(function) gave nothing"))
  }
  return unsafe handle
}

private func statusDescription(_ status: LiteRtStatus) -> String {
  switch status {
  case 1: "an argument is invalid"
  case 2: "there is not enough memory"
  case 3: "the runtime failed"
  case 4: "an input is missing"
  case 5: "this is not supported"
  case 6: "not found"
  case 7: "it took too long"
  case 8, 4000, 4001, 4002: "the version does not fit"
  case 100: "it was cancelled"
  case 500: "the file is not a TensorFlow Lite model"
  case 501: "the model is damaged or cut short"
  case 502: "a library could not be loaded"
  case 504: "the model could not be compiled"
  case 1000: "an index is out of range"
  case 1001...1003: "the graph is inconsistent"
  default: "an unknown failure"
  }
}
