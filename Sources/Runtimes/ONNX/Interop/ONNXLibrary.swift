import CONNX
import Synchronization
import TensorIOBundle
import TensorIOCore
import TensorIOSystem

/// The functions of an open ONNX Runtime library, and its environment.
///
/// Each path is opened once and never closed, because the library's threads and C++ statics do not
/// support unloading. The environment, which registers all operators, takes longer to create than
/// most models, so that there is one per library.
@safe final class ONNXLibrary: @unchecked Sendable {  // immutable after opening
  let functions: UnsafePointer<CONNXTable>
  let environment: OpaquePointer
  /// The allocator of names and strings.
  let allocator: OpaquePointer
  /// The description of memory that belongs to this program.
  let memoryInfo: OpaquePointer

  private init(_ functions: UnsafePointer<CONNXTable>) throws(ModelError) {
    unsafe self.functions = functions
    unsafe environment = try functions.handle { unsafe connx_create_environment(functions, &$0) }
    unsafe allocator = try functions.handle {
      unsafe functions.pointee.OrtGetAllocatorWithDefaultOptions(&$0)
    }
    unsafe memoryInfo = try functions.handle {
      unsafe functions.pointee.OrtCreateCpuMemoryInfo(Self.arenaAllocator, Self.defaultMemory, &$0)
    }
  }

  private static let arenaAllocator: CInt = 1
  private static let defaultMemory: CInt = 0

  private static let openLibraries = Mutex<[String: ONNXLibrary]>([:])

  static func open(_ path: String) -> RuntimeLibraryOpenResult<ONNXLibrary> {
    openLibraries.withLock { libraries in
      if let library = libraries[path] { return .opened(library) }
      do {
        let library = unsafe try ONNXLibrary(try DynamicLibrary.open(path, connx_open))
        libraries[path] = library
        return .opened(library)
      } catch let error as DynamicLibraryError {
        return .failed(error.message)
      } catch {
        return .failed("\(error)")
      }
    }
  }

  /// The version of the library.
  var version: String { unsafe String(cString: functions.pointee.version) }
}

extension ONNXLibrary {
  /// Throws an error if a call failed.
  func check(
    _ status: OpaquePointer?, at stage: ModelError.Stage = .runtime
  ) throws(ModelError) {
    unsafe try functions.check(status, at: stage)
  }

  /// Returns the handle that a call stores.
  func handle(
    at stage: ModelError.Stage = .runtime, _ call: (inout OpaquePointer?) -> OpaquePointer?
  ) throws(ModelError) -> OpaquePointer {
    unsafe try functions.handle(at: stage, call)
  }

  /// Returns the number that a call stores.
  func number<Number: FixedWidthInteger>(
    _ type: Number.Type = Number.self, at stage: ModelError.Stage = .runtime,
    _ call: (inout Number) -> OpaquePointer?
  ) throws(ModelError) -> Number {
    var number: Number = 0
    unsafe try check(call(&number), at: stage)
    return number
  }
}

extension UnsafePointer<CONNXTable> {
  fileprivate func check(
    _ status: OpaquePointer?, at stage: ModelError.Stage
  ) throws(ModelError) {
    guard let status = unsafe status else { return }
    let code = unsafe pointee.OrtGetErrorCode(status)
    let message = unsafe String(cString: pointee.OrtGetErrorMessage(status))
    unsafe pointee.OrtReleaseStatus(status)
    throw ONNXStatus(code: Int(code), message: message).error(at: stage)
  }

  fileprivate func handle(
    at stage: ModelError.Stage = .runtime, _ call: (inout OpaquePointer?) -> OpaquePointer?
  ) throws(ModelError) -> OpaquePointer {
    var handle: OpaquePointer?
    let status = unsafe call(&handle)
    unsafe try check(status, at: stage)
    guard let handle = unsafe handle else {
      throw ModelError(stage, .failed("ONNX Runtime returned no handle"))
    }
    return unsafe handle
  }
}
