import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOData
import TensorIODrawing
import TensorIOImage
import TensorIOIsolation
import TensorIOLibrary
import TensorIOServer
import TensorIOSystem

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A check of `tensorio doctor`.
struct DiagnosticCheck: Sendable {
  /// The outcome of a check.
  enum State: String, Sendable {
    case ok
    /// What is missing is used by some commands or bundles only.
    case optional
    case missing
  }

  let name: String
  let state: State
  /// Whether nothing is missing that every installation requires.
  var passed: Bool { state != .missing }
  /// A one-line description of the result.
  let message: String
  /// A command that fixes the problem.
  var fix: String?

  /// Returns the check with a fix that uses the name of the running program.
  func rewritingFix(for program: ProgramName) -> DiagnosticCheck {
    var copy = self
    copy.fix = fix.map(program.rewritingCommands)
    return copy
  }

  /// Checks that the library of a runtime can be loaded; `nil` if the runtime needs none.
  ///
  /// If the runtime is not required, its library is optional, unless its path was given.
  static func runtime(_ runtime: RuntimeDescriptor, library path: String?) -> DiagnosticCheck? {
    guard let library = runtime.library else { return nil }
    let check = availability(of: runtime, library, path)
    let hasExplicitPath =
      RuntimeLibrarySearch(for: library, explicitPath: path).candidates().count == 1
    guard !check.passed, !hasExplicitPath, !runtime.isRequired else { return check }
    return DiagnosticCheck(
      name: check.name, state: .optional, message: "not installed; some bundles require it",
      fix: check.fix)
  }

  private static func availability(
    of runtime: RuntimeDescriptor, _ library: RuntimeLibrarySpecification, _ path: String?
  ) -> DiagnosticCheck {
    let name = runtime.displayName
    do {
      let candidate = try StderrRedirection.suppressing { () throws(ModelError) in
        try runtime.locateLibrary(path)
      }
      let version = candidate.installedVersion(of: library)
      return DiagnosticCheck(
        name: name, state: .ok,
        message: [version, candidate.path].compactMap(\.self).joined(separator: " at "))
    } catch {
      guard let failure = error.missingRuntime else {
        return DiagnosticCheck(name: name, state: .missing, message: error.message)
      }
      return DiagnosticCheck(
        name: name, state: .missing, message: failure.searchResults.joined(separator: "; "),
        fix: RuntimeLibrarySearch(for: library).installCommand)
    }
  }

  /// The custom operators that models of a runtime can use; `nil` if there are none.
  static func customOperators(of runtime: RuntimeDescriptor) -> DiagnosticCheck? {
    guard let backend = runtime.makeBackend() as? any OperatorListingBackend else { return nil }
    let operators = type(of: backend).availableCustomOperators
    let groups = [
      ("TensorIO", CustomOperatorUse.Origin.builtIn), (runtime.displayName, .runtime),
    ].map { name, origin in
      let names = operators.filter { $0.origin == origin }.map { "\($0.name) \($0.version)" }
      return "of \(name): " + names.joined(separator: ", ")
    }
    return DiagnosticCheck(
      name: "custom operators", state: .ok, message: groups.joined(separator: "; "))
  }

  /// The devices on which a runtime can run models; `nil` if it does not support GPUs.
  ///
  /// A device is optional, because few users need one.
  static func gpu(of runtime: RuntimeDescriptor) -> DiagnosticCheck? {
    guard let library = runtime.gpuLibrary,
      let backend = runtime.makeBackend() as? any DeviceListingBackend
    else { return nil }
    do throws(ModelError) {
      let devices = try StderrRedirection.suppressing { () throws(ModelError) in
        try backend.gpuDevices()
      }
      return DiagnosticCheck(
        name: "GPU", state: .ok, message: devices.joined(separator: ", "))
    } catch {
      let search = RuntimeLibrarySearch(for: library)
      let isInstalled = search.candidates().contains { $0.path.contains("/") && !$0.isMissing }
      return DiagnosticCheck(
        name: "GPU", state: .optional,
        message: isInstalled ? "not available: \(error.message)" : "not installed",
        fix: isInstalled ? nil : search.installCommand)
    }
  }

  /// The processor and its features.
  static var processor: DiagnosticCheck {
    let features = CPUFeatures.names.joined(separator: ", ")
    return DiagnosticCheck(
      name: "processor", state: .ok,
      message: "\(CPUArchitecture.current.rawValue), \(ThreadCount.defaultCount) threads"
        + (features.isEmpty ? "" : ", \(features)"))
  }

  /// Checks that the data folder is writable.
  static var dataFolder: DiagnosticCheck {
    let fix = "set \(DataDirectory.environmentVariable) to a writable folder"
    guard let folder = DataDirectory(environment: ProcessInfo.processInfo.environment) else {
      return DiagnosticCheck(
        name: "data folder", state: .missing, message: "no home folder", fix: fix)
    }
    let passed = isWritable(folder.path)
    return DiagnosticCheck(
      name: "data folder", state: passed ? .ok : .missing,
      message: folder.path + (passed ? "" : " is not writable"),
      fix: passed ? nil : fix)
  }

  /// Returns whether a folder, or its nearest existing ancestor, is writable.
  private static func isWritable(_ path: String) -> Bool {
    var path = path
    while !FileManager.default.fileExists(atPath: path), let slash = path.lastIndex(of: "/") {
      path = slash == path.startIndex ? "/" : String(path[..<slash])
    }
    return FileManager.default.isWritableFile(atPath: path)
  }

  /// Checks that images can be annotated.
  static var drawing: DiagnosticCheck {
    do throws(ModelError) {
      let library = try DrawingLibrary()
      return DiagnosticCheck(
        name: "drawing", state: .ok, message: "cairo \(library.version), \(library.font)")
    } catch {
      return DiagnosticCheck(
        name: "drawing", state: .missing, message: "\(error)", fix: error.recoverySuggestion)
    }
  }

  /// Checks the available isolation levels.
  static func isolation(of runtime: RuntimeDescriptor, library: String?) -> DiagnosticCheck {
    let settings = RuntimeSettings(library: library)
    let errors = Isolation.Level.allCases.map { level in
      isolationError(
        IsolatedBackend(runtime, settings: settings, isolation: Isolation(level: level)))
    }
    if let error = errors[0] {
      return DiagnosticCheck(
        name: "isolation", state: .missing, message: error.missingRuntime?.summary ?? error.message)
    }
    let limitation = errors[1].map { "worker processes; no sandbox: \($0.message)" }
    return DiagnosticCheck(
      name: "isolation", state: limitation == nil ? .ok : .optional,
      message: limitation ?? "worker processes and sandbox")
  }

  private static func isolationError(_ backend: IsolatedBackend) -> ModelError? {
    do throws(ModelError) {
      try backend.checkAvailability()
      return nil
    } catch {
      return error
    }
  }

  /// Checks that all image formats can be decoded.
  static var imageFormats: DiagnosticCheck {
    do throws(ImageError) {
      return DiagnosticCheck(
        name: "images", state: .ok, message: try WebPLibrary.standard.version)
    } catch {
      return DiagnosticCheck(
        name: "images", state: .missing, message: "\(error)", fix: WebPLibrary.recoverySuggestion)
    }
  }

  /// Checks that XML annotations can be read.
  static var annotations: DiagnosticCheck {
    do throws(DynamicLibraryError) {
      return DiagnosticCheck(
        name: "annotations", state: .ok, message: try ExpatLibrary.standard.version)
    } catch {
      return DiagnosticCheck(
        name: "annotations", state: .missing, message: "\(error.path): \(error.message)",
        fix: ExpatLibrary.installCommand)
    }
  }

  /// Checks that databases can be used.
  static var databases: DiagnosticCheck {
    do throws(ModelError) {
      return DiagnosticCheck(
        name: "databases", state: .ok, message: try SQLiteLibrary.standard.version)
    } catch {
      return DiagnosticCheck(
        name: "databases", state: .missing, message: "\(error)", fix: SQLiteLibrary.installCommand)
    }
  }

  /// Checks that bundles can be signed and verified.
  static var signatures: DiagnosticCheck {
    do throws(ModelError) {
      return DiagnosticCheck(
        name: "signatures", state: .ok, message: try Libsodium.standard.version)
    } catch {
      return DiagnosticCheck(
        name: "signatures", state: .missing, message: "\(error)", fix: Libsodium.installCommand)
    }
  }

  /// Checks that the server can use HTTP/2.
  static var grpc: DiagnosticCheck {
    do throws(DynamicLibraryError) {
      return DiagnosticCheck(
        name: "gRPC", state: .ok, message: try HTTP2Library.standard.version)
    } catch {
      return DiagnosticCheck(
        name: "gRPC", state: .missing, message: "\(error.path): \(error.message)",
        fix: HTTP2Library.installCommand)
    }
  }

  /// Checks that the Python package with this import name is not that of another project.
  ///
  /// The package of this one is `tensorio-runtime`, because `tensorio` was taken on the index.
  static var pythonPackage: DiagnosticCheck {
    let script = """
      import sys, importlib.metadata as packages
      for name in "tensorio", "tensorio-runtime":
        try: print(name, packages.version(name), file=sys.stderr)
        except packages.PackageNotFoundError: pass
      """
    let output = Subprocess.run("python3", ["-c", script])?.standardError ?? ""
    let found = output.split(whereSeparator: \.isNewline).map { $0.split(separator: " ") }
    let name = "Python package"
    if let other = found.first(where: { $0.first == "tensorio" }) {
      return DiagnosticCheck(
        name: name, state: .missing,
        message: "'tensorio' \(other.last ?? "") is another project with the same import name",
        fix: "pip uninstall tensorio tensorio-runtime && pip install tensorio-runtime")
    }
    let version = found.first.map { $0.joined(separator: " ") }
    return DiagnosticCheck(
      name: name, state: version == nil ? .optional : .ok, message: version ?? "not installed")
  }

  /// The programs that read and write videos, which are optional.
  static var video: DiagnosticCheck {
    let ffmpeg = Subprocess.run(FFmpeg.program, ["-version"])
    let isAvailable =
      ffmpeg?.status == 0
      && Subprocess.run(FFmpeg.probeProgram, ["-version"])?.status == 0
    return DiagnosticCheck(
      name: "videos", state: isAvailable ? .ok : .optional,
      message: isAvailable
        ? "ffmpeg" : "ffmpeg not found; `tensorio stream` requires it for videos",
      fix: isAvailable ? nil : FFmpeg.installCommand)
  }
}

/// The processor features that TensorIO uses.
enum CPUFeatures {
  /// The usual names of the features, in order.
  static var names: [String] { PixelKernelSupport.processorFeatures }
}
