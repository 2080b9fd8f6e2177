import CTensorFlow
import Synchronization
import TensorIOBundle
import TensorIOCore
import TensorIOSystem

/// The functions of an open TensorFlow library.
///
/// Each path is opened once and never closed, because the library's threads and C++ statics do not
/// support unloading.
@safe final class TensorFlowLibrary: @unchecked Sendable {  // the table is immutable after opening
  let functions: UnsafePointer<CTensorFlowTable>
  private let cachedOperators = Mutex<Set<String>?>(nil)

  private init(_ functions: UnsafePointer<CTensorFlowTable>) {
    unsafe self.functions = functions
  }

  private static let openLibraries = Mutex<[String: TensorFlowLibrary]>([:])

  static func open(_ path: String) -> RuntimeLibraryOpenResult<TensorFlowLibrary> {
    openLibraries.withLock { libraries in
      if let library = libraries[path] { return .opened(library) }
      do throws(DynamicLibraryError) {
        let library = unsafe TensorFlowLibrary(try DynamicLibrary.open(path, ctensorflow_open))
        libraries[path] = library
        return .opened(library)
      } catch {
        return .failed(error.message)
      }
    }
  }

  /// The version of the library.
  var version: String { unsafe String(cString: functions.pointee.TF_Version()) }

  /// The names of all registered operators.
  var operators: Set<String> {
    cachedOperators.withLock { cached in
      let names = cached ?? listOperators()
      cached = names
      return names
    }
  }

  private func listOperators() -> Set<String> {
    guard let buffer = unsafe functions.pointee.TF_GetAllOpList() else { return [] }
    defer { unsafe functions.pointee.TF_DeleteBuffer(buffer) }
    let bytes = unsafe Array(
      UnsafeRawBufferPointer(start: buffer.pointee.data, count: buffer.pointee.length))
    return (try? OpList.names(ProtobufMessage(bytes))) ?? []
  }
}

extension TensorFlowLibrary {
  /// Calls a TensorFlow function with a status and throws an error if the status is not OK.
  func withStatus<Value>(
    _ function: String, at stage: ModelError.Stage = .runtime,
    _ call: (OpaquePointer) -> Value
  ) throws(ModelError) -> Value {
    guard let status = unsafe functions.pointee.TF_NewStatus() else {
      throw ModelError(stage, .failed("TensorFlow could not allocate a status"))
    }
    defer { unsafe functions.pointee.TF_DeleteStatus(status) }
    let value = unsafe call(status)
    let code = unsafe functions.pointee.TF_GetCode(status)
    guard code != 0 else { return value }
    let message = unsafe String(cString: functions.pointee.TF_Message(status))
    throw TensorFlowStatus(code: Int(code), message: message).error(from: function, at: stage)
  }

  /// Calls a TensorFlow function that returns a handle.
  func makeHandle(
    _ function: String, _ call: (OpaquePointer) -> OpaquePointer?
  ) throws(ModelError) -> OpaquePointer {
    guard let handle = unsafe try withStatus(function, call) else {
      throw ModelError(.runtime, .modelRejected(detail: "\(function) returned no handle"))
    }
    return unsafe handle
  }
}

/// The status of a failed TensorFlow call.
struct TensorFlowStatus: Sendable {
  let code: Int
  let message: String

  /// The maximum length of a summary; some messages list all nodes of a graph.
  private static let maxMessageLength = 400

  /// The first line of the message.
  var summary: String {
    let line = message.split(whereSeparator: \.isNewline).first.map(String.init) ?? codeName
    return line.count > Self.maxMessageLength ? line.prefix(Self.maxMessageLength) + "…" : line
  }

  /// Returns the error for a call; at the stage `runtime` it means that the model is rejected.
  func error(from function: String, at stage: ModelError.Stage) -> ModelError {
    switch stage {
    case .runtime:
      ModelError(
        stage,
        operatorMissingKernel.map { .missingOperators([$0]) }
          ?? .modelRejected(detail: "\(corruptionPrefix)\(summary) (\(codeName))"))
    case .bundle, .input, .run, .output:
      ModelError(stage, .callFailed(function: function, status: code, message: summary))
    }
  }

  /// The operator that is registered but has no kernel, if that is the cause.
  private var operatorMissingKernel: String? {
    let prefix = "No OpKernel was registered to support Op '"
    guard let range = message.firstRange(of: prefix) else { return nil }
    return message[range.upperBound...].split(separator: "'").first.map(String.init)
  }

  /// A prefix for the codes that indicate truncated or modified weight files.
  private var corruptionPrefix: String {
    ["out of range", "data loss"].contains(codeName) ? "the weights are corrupt: " : ""
  }

  /// The names of TensorFlow's codes, starting at 0.
  private static let codeNames = [
    "ok", "cancelled", "unknown", "invalid argument", "deadline exceeded", "not found",
    "already exists", "permission denied", "resource exhausted", "failed precondition", "aborted",
    "out of range", "unimplemented", "internal", "unavailable", "data loss", "unauthenticated",
  ]

  private var codeName: String {
    Self.codeNames.indices.contains(code) ? Self.codeNames[code] : "status \(code)"
  }
}

/// Arrays of C strings.
enum CStringArray {
  /// Calls `body` with a null-terminated array of C strings.
  static func withPointers<Value>(
    _ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Value
  ) -> Value {
    // All strings are stored in one buffer, so that the pointers remain valid.
    let characters = strings.map { Array($0.utf8CString) }
    let joined = characters.flatMap(\.self)
    return unsafe joined.withUnsafeBufferPointer { memory in
      var offset = 0
      var pointers: [UnsafePointer<CChar>?] = unsafe []
      for string in characters {
        unsafe pointers.append(memory.baseAddress?.advanced(by: offset))
        offset += string.count
      }
      unsafe pointers.append(nil)
      return unsafe body(pointers)
    }
  }
}
