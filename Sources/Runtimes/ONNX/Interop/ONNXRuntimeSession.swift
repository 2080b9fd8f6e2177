import CONNX
import TensorIOBundle
import TensorIOSystem

/// A model loaded by ONNX Runtime, which several sessions run at the same time.
@safe final class ONNXRuntimeSession: @unchecked Sendable {  // ONNX Runtime synchronizes runs
  let library: ONNXLibrary
  let handle: OpaquePointer

  /// The contents of the files with weights by the names that the model refers to them with.
  typealias ExternalFiles = [(name: String, bytes: [UInt8])]

  /// What a session is created from.
  enum Source {
    /// The contents of a model's file and of files with weights, which ONNX Runtime copies.
    case bytes([UInt8], ExternalFiles)
    /// The contents of a model's file, which ONNX Runtime reads.
    case stream(ONNXFileStream.Contents, of: ModelFile)
  }

  /// Loads a model.
  init(_ source: Source, threads: Int, _ library: ONNXLibrary) throws(ModelError) {
    self.library = library
    let functions = unsafe library.functions.pointee
    let options = unsafe try library.handle { unsafe functions.OrtCreateSessionOptions(&$0) }
    defer { unsafe functions.OrtReleaseSessionOptions(options) }
    unsafe try library.check(functions.OrtSetSessionLogSeverityLevel(options, Self.fatal))
    unsafe try library.check(
      functions.OrtSetIntraOpNumThreads(options, CInt(clamping: max(1, threads))))
    unsafe try library.check(functions.OrtSetInterOpNumThreads(options, 1))
    // Threads that wait actively for the next run would occupy processors between runs.
    unsafe try library.check(
      functions.OrtAddSessionConfigEntry(options, "session.intra_op.allow_spinning", "0"))
    unsafe handle = try Self.create(source, options, library)
  }

  private static func create(
    _ source: Source, _ options: OpaquePointer, _ library: ONNXLibrary
  ) throws(ModelError) -> OpaquePointer {
    let functions = unsafe library.functions.pointee
    switch source {
    case .bytes(let bytes, let files):
      return unsafe try library.handle { session in
        unsafe withExternalFiles(files[...], of: options, in: functions) {
          unsafe functions.OrtCreateSessionFromArray(
            library.environment, bytes, bytes.count, options, &session)
        }
      }
    case .stream(let contents, let file):
      return unsafe try create(contents, of: file, options, library)
    }
  }

  private static func create(
    _ contents: ONNXFileStream.Contents, of file: ModelFile, _ options: OpaquePointer,
    _ library: ONNXLibrary
  ) throws(ModelError) -> OpaquePointer {
    var (session, status): (OpaquePointer?, OpaquePointer?)
    let outcome: ONNXFileStream.Outcome
    do throws(FileError) {
      outcome = try ONNXFileStream.read(contents) { path in
        unsafe status = unsafe library.functions.pointee.OrtCreateSession(
          library.environment, path, options, &session)
      }
    } catch {
      throw ModelError(.bundle, error.reason(named: file.name))
    }
    let result = unsafe Result { () throws(ModelError) in
      unsafe try library.handle {
        unsafe $0 = session
        return unsafe status
      }
    }
    switch outcome {
    case .complete: return unsafe try result.get()
    case .abandoned: if case .failure(let error) = unsafe result { throw error }
    case .changed: break
    }
    if case .success(let session) = unsafe result {
      unsafe library.functions.pointee.OrtReleaseSession(session)
    }
    throw ModelError(.bundle, .bundleChanged)
  }

  deinit {
    unsafe library.functions.pointee.OrtReleaseSession(handle)
  }

  /// The severity that suppresses all messages.
  private static let fatal: CInt = 4

  /// Calls `body` with the files added to the options, and returns the status of the first call that
  /// fails.
  private static func withExternalFiles(
    _ files: ArraySlice<(name: String, bytes: [UInt8])>, of options: OpaquePointer,
    in functions: CONNXTable, _ body: () -> OpaquePointer?
  ) -> OpaquePointer? {
    guard let file = files.first else { return unsafe body() }
    return unsafe file.name.withCString { name in
      unsafe file.bytes.withUnsafeBytes { bytes in
        // The function does not write to the buffer.
        var start = unsafe UnsafeMutablePointer(
          mutating: bytes.baseAddress?.assumingMemoryBound(to: CChar.self))
        var name: UnsafePointer<CChar>? = unsafe name
        var count = bytes.count
        if let status = unsafe functions.OrtAddExternalInitializersFromFilesInMemory(
          options, &name, &start, &count, 1)
        {
          return unsafe status
        }
        return unsafe withExternalFiles(files.dropFirst(), of: options, in: functions, body)
      }
    }
  }
}
