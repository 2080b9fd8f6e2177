import CLiteRT
import Synchronization
import TensorIOBundle
import TensorIOCore
import TensorIOSystem

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The functions of an open LiteRT library.
///
/// Each path is opened once and never closed, because the library's threads and C++ statics do not
/// support unloading.
@safe final class LiteRTLibrary: @unchecked Sendable {  // the table is immutable after opening
  let functions: UnsafePointer<CLiteRTTable>
  /// The path, or the bare file name if the system's loader found the library.
  let path: String

  private init(_ functions: UnsafePointer<CLiteRTTable>, _ path: String) {
    unsafe self.functions = functions
    self.path = path
  }

  private static let openLibraries = Mutex<[String: LiteRTLibrary]>([:])

  static func open(_ path: String) -> RuntimeLibraryOpenResult<LiteRTLibrary> {
    openLibraries.withLock { libraries in
      if let library = libraries[path] { return .opened(library) }
      do throws(DynamicLibraryError) {
        let library = unsafe LiteRTLibrary(try DynamicLibrary.open(path, clitert_open), path)
        libraries[path] = library
        return .opened(library)
      } catch {
        return .failed(error.message)
      }
    }
  }
}

extension LiteRTLibrary {
  /// A key for the library file and the CPU, which determine the layout of packed weights; `nil` if
  /// either is unknown.
  var weightLayoutKey: String? {
    var words: [UInt32] = Array(repeating: 0, count: Int(CLiteRTCPUIDWordCount))
    guard let stamp = FileStamp(path), unsafe clitert_cpuid(&words) else { return nil }
    return "\(path) \(stamp.byteCount) \(stamp.modificationTime) \(words)"
  }
}

/// A LiteRT environment that is restricted to the CPU or a GPU and does not log.
///
/// By default LiteRT would search the loader's path for accelerators and open them.
@safe final class LiteRTEnvironment: @unchecked Sendable {  // creation is guarded by `creationLock`
  let library: LiteRTLibrary
  let handle: LiteRtEnvironment
  /// The cache for packed weights, or `nil` for no caching.
  let weightCache: WeightCache?
  /// Whether this version of the library is known to run models with state; see `StateFields`.
  let supportsState: Bool
  /// Whether models run on a GPU.
  var usesGPU: Bool { unsafe gpuFolder != nil }
  private let creationLock = Mutex<Void>(())
  /// The folder of the GPU accelerator, which LiteRT refers to.
  private let gpuFolder: UnsafeMutablePointer<CChar>?

  init(
    _ library: LiteRTLibrary, version: String?, _ weightCache: WeightCache?,
    _ gpu: GPUAccelerator? = nil
  ) throws(ModelError) {
    self.library = library
    supportsState = version == StateFields.supportedVersion && gpu == nil
    // The cache holds weights in the layout for the CPU.
    self.weightCache = gpu == nil ? weightCache : nil
    unsafe gpuFolder = gpu.map { unsafe strdup($0.folder) }
    var handle: LiteRtEnvironment?
    let status = unsafe clitert_create_environment(library.functions, gpuFolder, &handle)
    unsafe self.handle = try checkedHandle(handle, status, from: "LiteRtCreateEnvironment")
  }

  deinit {
    unsafe library.functions.pointee.LiteRtDestroyEnvironment(handle)
    unsafe free(gpuFolder)
  }

  /// Calls `body` under a lock, because loading and compiling are not documented as thread-safe.
  func withExclusiveAccess<Result>(
    _ body: () throws(ModelError) -> Result
  ) throws(ModelError) -> Result {
    try creationLock.withLock { (_) throws(ModelError) in try body() }
  }
}

/// Throws an error if a LiteRT call failed.
///
/// - Parameters:
///   - status: The returned status.
///   - function: The name of the C function.
///   - stage: The stage of the call. An error at the stage `runtime` means that the model is
///     rejected.
///   - message: The runtime's error message, if it has one.
/// - Throws: `ModelError` with the function, status and message.
func checkStatus(
  _ status: LiteRtStatus, from function: String, at stage: ModelError.Stage = .runtime,
  message: @autoclosure () -> String? = nil
) throws(ModelError) {
  guard status != 0 else { return }
  let message = message() ?? statusDescription(status)
  switch stage {
  case .runtime:
    throw ModelError(stage, .modelRejected(detail: "\(message) (\(function), status \(status))"))
  case .bundle, .input, .run, .output:
    throw ModelError(
      stage, .callFailed(function: function, status: Int(status), message: message))
  }
}

/// Throws an error if a LiteRT call failed or returned no handle.
func checkedHandle(
  _ handle: OpaquePointer?, _ status: LiteRtStatus, from function: String
) throws(ModelError) -> OpaquePointer {
  try checkStatus(status, from: function)
  guard let handle = unsafe handle else {
    throw ModelError(.runtime, .modelRejected(detail: "\(function) returned no handle"))
  }
  return unsafe handle
}

private func statusDescription(_ status: LiteRtStatus) -> String {
  switch status {
  case 1: "invalid argument"
  case 2: "out of memory"
  case 3: "runtime error"
  case 4: "missing input"
  case 5: "not supported"
  case 6: "not found"
  case 7: "timeout"
  case 8, 4000, 4001, 4002: "incompatible version"
  case 100: "cancelled"
  case 500: "the file is not a TensorFlow Lite model"
  case 501: "the model is corrupt or truncated"
  case 502: "a library could not be loaded"
  case 504: "the model could not be compiled"
  case 1000: "index out of range"
  case 1001...1003: "the graph is inconsistent"
  default: "unknown error"
  }
}
