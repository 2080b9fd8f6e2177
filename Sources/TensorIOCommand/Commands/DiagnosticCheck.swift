import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIODrawing
import TensorIOImage
import TensorIOIsolation
import TensorIOLibrary
import TensorIOSystem

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// One thing that the doctor looks at.
struct DiagnosticCheck: Sendable {
  let name: String
  let passed: Bool
  /// What was found, in a line.
  let message: String
  /// The command that puts it right.
  var fix: String?

  /// The same with a command that this user can type.
  func rewritingFix(for program: ProgramName) -> DiagnosticCheck {
    var copy = self
    copy.fix = fix.map(program.rewritingCommands)
    return copy
  }

  /// Whether a runtime can be opened.
  static func runtime(_ specification: RuntimeLibrarySpecification, library: String?) -> DiagnosticCheck {
    let name = specification.displayName
    do {
      let candidate = try StderrRedirection.suppressing { () throws(ModelError) in
        try specification.locate(library: library)
      }
      let version = candidate.installedVersion(of: specification)
      return DiagnosticCheck(
        name: name, passed: true,
        message: [version, candidate.path].compactMap(\.self).joined(separator: " at "))
    } catch {
      guard case .runtimeMissing(let problem) = error.reason else {
        return DiagnosticCheck(name: name, passed: false, message: error.message)
      }
      return DiagnosticCheck(
        name: name, passed: false, message: problem.searchResults.joined(separator: "; "),
        fix: problem.installCommand)
    }
  }

  /// The same for a runtime that only some bundles ask for: one that is not there is no fault,
  /// unless somebody has said where it is.
  static func optionalRuntime(
    _ specification: RuntimeLibrarySpecification, library: String?
  ) -> DiagnosticCheck {
    let checkup = runtime(specification, library: library)
    let isNamed = RuntimeLibrarySearch(for: specification, explicitPath: library).candidates().count == 1
    guard !checkup.passed, !isNamed else { return checkup }
    return DiagnosticCheck(
      name: checkup.name, passed: true, message: "not installed; bundles that ask for it need it",
      fix: checkup.fix)
  }

  /// What there is to compute with.
  static var processor: DiagnosticCheck {
    let features = CPUFeatures.names.joined(separator: ", ")
    return DiagnosticCheck(
      name: "processor", passed: true,
      message: "\(CPUArchitecture.current.rawValue), \(ThreadCount.defaultCount) threads"
        + (features.isEmpty ? "" : ", \(features)"))
  }

  /// Whether runtimes can be installed.
  static var dataFolder: DiagnosticCheck {
    let fix = "set \(DataDirectory.environmentVariable) to a folder that can be written to"
    guard let folder = DataDirectory(environment: ProcessInfo.processInfo.environment) else {
      return DiagnosticCheck(name: "data folder", passed: false, message: "there is no home folder", fix: fix)
    }
    let isOK = isWritable(folder.path)
    return DiagnosticCheck(
      name: "data folder", passed: isOK, message: folder.path + (isOK ? "" : " cannot be written to"),
      fix: isOK ? nil : fix)
  }

  /// A folder that is not there yet can be written to when its nearest parent can.
  private static func isWritable(_ path: String) -> Bool {
    var path = path
    while !FileManager.default.fileExists(atPath: path), let slash = path.lastIndex(of: "/") {
      path = slash == path.startIndex ? "/" : String(path[..<slash])
    }
    return FileManager.default.isWritableFile(atPath: path)
  }

  /// Whether pictures can be annotated.
  static var drawing: DiagnosticCheck {
    do throws(DrawingError) {
      let library = try DrawingLibrary()
      return DiagnosticCheck(
        name: "drawing", passed: true, message: "cairo \(library.version), \(library.font)")
    } catch {
      return DiagnosticCheck(
        name: "drawing", passed: false, message: "\(error)", fix: error.recoverySuggestion)
    }
  }

  /// How far models can be kept from everything else.
  static func isolation(library: String?) -> DiagnosticCheck {
    let errors = Isolation.Level.allCases.map { level in
      isolationError(IsolatedBackend(.tflite, library: library, isolation: Isolation(level: level)))
    }
    if let error = errors[0] {
      return DiagnosticCheck(name: "isolation", passed: false, message: error.message)
    }
    let lack = errors[1].map { "a process of its own; \($0.message)" }
    return DiagnosticCheck(
      name: "isolation", passed: lack == nil, message: lack ?? "a process of its own, in a sandbox")
  }

  private static func isolationError(_ backend: IsolatedBackend) -> ModelError? {
    do throws(ModelError) {
      try backend.checkAvailability()
      return nil
    } catch {
      return error
    }
  }

  /// Whether pictures of every format can be read.
  static var imageFormats: DiagnosticCheck {
    do throws(ImageError) {
      return DiagnosticCheck(name: "pictures", passed: true, message: try WebPLibrary.standard.version)
    } catch {
      return DiagnosticCheck(name: "pictures", passed: false, message: "\(error)", fix: WebPLibrary.recoverySuggestion)
    }
  }

  /// Whether results can be kept in databases.
  static var databases: DiagnosticCheck {
    do throws(DatabaseError) {
      return DiagnosticCheck(name: "databases", passed: true, message: try SQLiteLibrary.standard.version)
    } catch {
      return DiagnosticCheck(name: "databases", passed: false, message: "\(error)", fix: DatabaseError.installCommand)
    }
  }

  /// Whether bundles can be packed and unpacked.
  static var archives: DiagnosticCheck {
    do throws(ArchiveError) {
      return DiagnosticCheck(name: "archives", passed: true, message: try Libarchive.standard.version)
    } catch {
      return DiagnosticCheck(name: "archives", passed: false, message: "\(error)", fix: ArchiveError.installCommand)
    }
  }

  /// Whether bundles can be signed, and their signatures be checked.
  static var signatures: DiagnosticCheck {
    do throws(SigningError) {
      return DiagnosticCheck(name: "signatures", passed: true, message: try Libsodium.standard.version)
    } catch {
      return DiagnosticCheck(
        name: "signatures", passed: false, message: "\(error)", fix: SigningError.installCommand)
    }
  }

  /// Whether videos can be read and written; few need that, so that it is no fault when not.
  static var video: DiagnosticCheck {
    let outcome = Subprocess.run(FFmpeg.program, ["-version"])
    let isThere = outcome?.status == 0 && Subprocess.run(FFmpeg.probeProgram, ["-version"])?.status == 0
    return DiagnosticCheck(
      name: "videos", passed: true,
      message: isThere
        ? "ffmpeg" : "ffmpeg is not on the path; `tensorio stream` needs it for videos",
      fix: isThere ? nil : FFmpeg.installCommand)
  }
}

/// What the processor can do that matters here.
enum CPUFeatures {
  /// The features by their usual names, in order.
  static var names: [String] { PixelKernelSupport.processorFeatures }
}
