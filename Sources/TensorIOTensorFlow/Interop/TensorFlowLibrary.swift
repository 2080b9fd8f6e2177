import CTensorFlow
import Synchronization
import TensorIOBundle
import TensorIOCore
import TensorIOSystem

/// TensorFlow's functions, as found in one opened library.
///
/// A library stays open for the life of the process: its threads and its C++ statics do not bear
/// being unloaded. So each path is opened once.
@safe final class TensorFlowLibrary: @unchecked Sendable {  // the table is never written again
  let functions: UnsafePointer<CTensorFlowTable>
  private let cachedOperators = Mutex<Set<String>?>(nil)

  private init(_ functions: UnsafePointer<CTensorFlowTable>) {
    unsafe self.functions = functions
  }

  private static let openLibraries = Mutex<[String: TensorFlowLibrary]>([:])

  static func open(_ path: String) -> RuntimeLibraryOpenResult<TensorFlowLibrary> {
    openLibraries.withLock { known in
      if let library = known[path] { return .opened(library) }
      do throws(DynamicLibraryError) {
        let library = unsafe TensorFlowLibrary(try DynamicLibrary.open(path, ctensorflow_open))
        known[path] = library
        return .opened(library)
      } catch {
        return .failed(error.message)
      }
    }
  }

  /// The version that the library says it is.
  var version: String { unsafe String(cString: functions.pointee.TF_Version()) }

  /// The names of all operators that it has, which are many and asked for once.
  var operators: Set<String> {
    cachedOperators.withLock { listed in
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
    return (try? OpList.names(ProtobufMessage(bytes))) ?? []
  }
}

/// Calls a function of TensorFlow's that reports to a status, and throws what that says.
///
/// This is the one place where a status becomes an error; none of them ends the process.
extension TensorFlowLibrary {
  func withStatus<Value>(
    _ function: String, at stage: ModelError.Stage = .runtime,
    _ call: (OpaquePointer) -> Value
  ) throws(ModelError) -> Value {
    guard let status = unsafe functions.pointee.TF_NewStatus() else {
      throw ModelError(stage, .failed("there is no memory for TensorFlow"))
    }
    defer { unsafe functions.pointee.TF_DeleteStatus(status) }
    let value = unsafe call(status)
    let code = unsafe functions.pointee.TF_GetCode(status)
    guard code != 0 else { return value }
    let message = unsafe String(cString: functions.pointee.TF_Message(status))
    throw TensorFlowStatus(code: Int(code), message: message).error(from: function, at: stage)
  }

  /// The same for a function that promises a handle.
  func makeHandle(
    _ function: String, _ call: (OpaquePointer) -> OpaquePointer?
  ) throws(ModelError) -> OpaquePointer {
    guard let handle = unsafe try withStatus(function, call) else {
      throw ModelError(.runtime, .modelRejected(detail: "\(function) gave nothing"))
    }
    return unsafe handle
  }
}

/// What TensorFlow says of a call that failed.
struct TensorFlowStatus: Sendable {
  let code: Int
  let message: String

  /// Longer messages are cut: some list a whole graph.
  private static let maxMessageLength = 400

  /// The message's first line, without the list of nodes that follows it.
  var summary: String {
    let line = message.split(whereSeparator: \.isNewline).first.map(String.init) ?? codeName
    return line.count > Self.maxMessageLength ? line.prefix(Self.maxMessageLength) + "…" : line
  }

  /// The call's failure: while a model is being opened, the runtime refuses it.
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

  /// The operator of which TensorFlow knows what it would do, and has nothing that does it.
  private var operatorMissingKernel: String? {
    let sign = "No OpKernel was registered to support Op '"
    guard let found = message.firstRange(of: sign) else { return nil }
    return message[found.upperBound...].split(separator: "'").first.map(String.init)
  }

  /// What is said before the words of codes by which files prove to be cut off or changed.
  private var corruptionPrefix: String {
    ["out of range", "data loss"].contains(codeName) ? "its weights are damaged: " : ""
  }

  /// The names of TensorFlow's codes, from 0.
  private static let codeNames = [
    "ok", "cancelled", "unknown", "invalid argument", "deadline exceeded", "not found",
    "already exists", "permission denied", "resource exhausted", "failed precondition", "aborted",
    "out of range", "unimplemented", "internal", "unavailable", "data loss", "unauthenticated",
  ]

  private var codeName: String {
    Self.codeNames.indices.contains(code) ? Self.codeNames[code] : "status \(code)"
  }
}

/// Lists of texts as C takes them.
enum CStringArray {
  /// Lends texts as pointers, with none behind the last.
  static func withPointers<Value>(
    _ texts: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Value
  ) -> Value {
    // One block of memory holds them all, so that no text moves while another is made.
    let characters = texts.map { Array($0.utf8CString) }
    let joined = characters.flatMap(\.self)
    return unsafe joined.withUnsafeBufferPointer { memory in
      var place = 0
      var pointers: [UnsafePointer<CChar>?] = unsafe []
      for text in characters {
        unsafe pointers.append(memory.baseAddress?.advanced(by: place))
        place += text.count
      }
      unsafe pointers.append(nil)
      return unsafe body(pointers)
    }
  }
}
