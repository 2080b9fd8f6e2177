internal import TensorIO
internal import TensorIOArchive
internal import TensorIOCore
internal import TensorIODrawing
internal import TensorIOImage
internal import TensorIOIntegrity
internal import TensorIOIsolation
internal import TensorIOStore

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// One thing that the doctor looks at.
struct Checkup: Sendable {
  let name: String
  let isOK: Bool
  /// What was found, in a line.
  let found: String
  /// The command that puts it right.
  var fix: String?

  /// The same with a command that this user can type.
  func spoken(by program: ProgramName) -> Checkup {
    var copy = self
    copy.fix = fix.map(program.spoken)
    return copy
  }

  /// Whether a runtime can be opened.
  static func runtime(_ specification: RuntimeSpecification, library: String?) -> Checkup {
    let name = specification.title
    do {
      let candidate = try DivertedErrors.during { () throws(ModelError) in
        try specification.locate(library: library)
      }
      let version = candidate.version(of: specification)
      return Checkup(
        name: name, isOK: true,
        found: [version, candidate.path].compactMap(\.self).joined(separator: " at "))
    } catch {
      guard case .runtimeMissing(let problem) = error.reason else {
        return Checkup(name: name, isOK: false, found: error.message)
      }
      return Checkup(
        name: name, isOK: false, found: problem.findings.joined(separator: "; "),
        fix: problem.fix)
    }
  }

  /// The same for a runtime that only some bundles ask for: one that is not there is no fault,
  /// unless somebody has said where it is.
  static func optionalRuntime(
    _ specification: RuntimeSpecification, library: String?
  ) -> Checkup {
    let checkup = runtime(specification, library: library)
    let isNamed = RuntimeSearch(for: specification, option: library).candidates().count == 1
    guard !checkup.isOK, !isNamed else { return checkup }
    return Checkup(
      name: checkup.name, isOK: true, found: "not installed; bundles that ask for it need it",
      fix: checkup.fix)
  }

  /// What there is to compute with.
  static var processors: Checkup {
    let features = ProcessorFeatures.names.joined(separator: ", ")
    return Checkup(
      name: "processor", isOK: true,
      found: "\(RuntimeArchitecture.current.rawValue), \(ThreadCount.standard) threads"
        + (features.isEmpty ? "" : ", \(features)"))
  }

  /// Whether runtimes can be installed.
  static var dataFolder: Checkup {
    let fix = "set \(DataFolder.variable) to a folder that can be written to"
    guard let folder = DataFolder(environment: ProcessInfo.processInfo.environment) else {
      return Checkup(name: "data folder", isOK: false, found: "there is no home folder", fix: fix)
    }
    let isOK = isWritable(folder.path)
    return Checkup(
      name: "data folder", isOK: isOK, found: folder.path + (isOK ? "" : " cannot be written to"),
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
  static var drawing: Checkup {
    do throws(DrawingError) {
      let library = try DrawingLibrary()
      return Checkup(
        name: "drawing", isOK: true, found: "cairo \(library.version), \(library.font)")
    } catch {
      return Checkup(
        name: "drawing", isOK: false, found: "\(error)", fix: error.remedy)
    }
  }

  /// How far models can be kept from everything else.
  static func isolation(library: String?) -> Checkup {
    let errors = Isolation.Level.allCases.map { level in
      isolationError(IsolatedBackend(.tflite, library: library, isolation: Isolation(level: level)))
    }
    if let error = errors[0] {
      return Checkup(name: "isolation", isOK: false, found: error.message)
    }
    let lack = errors[1].map { "a process of its own; \($0.message)" }
    return Checkup(
      name: "isolation", isOK: lack == nil, found: lack ?? "a process of its own, in a sandbox")
  }

  private static func isolationError(_ backend: IsolatedBackend) -> ModelError? {
    do throws(ModelError) {
      try backend.check()
      return nil
    } catch {
      return error
    }
  }

  /// Whether pictures of every format can be read.
  static var pictures: Checkup {
    do throws(ImageError) {
      return Checkup(name: "pictures", isOK: true, found: try WebPLibrary.standard.version)
    } catch {
      return Checkup(name: "pictures", isOK: false, found: "\(error)", fix: WebPLibrary.remedy)
    }
  }

  /// Whether results can be kept in databases.
  static var databases: Checkup {
    do throws(StoreError) {
      return Checkup(name: "databases", isOK: true, found: try StoreLibrary.standard.version)
    } catch {
      return Checkup(name: "databases", isOK: false, found: "\(error)", fix: StoreError.remedy)
    }
  }

  /// Whether bundles can be packed and unpacked.
  static var archives: Checkup {
    do throws(ArchiveError) {
      return Checkup(name: "archives", isOK: true, found: try ArchiveLibrary.standard.version)
    } catch {
      return Checkup(name: "archives", isOK: false, found: "\(error)", fix: ArchiveError.remedy)
    }
  }

  /// Whether bundles can be signed, and their signatures be checked.
  static var signatures: Checkup {
    do throws(IntegrityError) {
      return Checkup(name: "signatures", isOK: true, found: try SodiumLibrary.standard.version)
    } catch {
      return Checkup(
        name: "signatures", isOK: false, found: "\(error)", fix: IntegrityError.remedy)
    }
  }

  /// Whether videos can be read and written; few need that, so that it is no fault when not.
  static var videos: Checkup {
    let outcome = Subprocess.run(FFmpeg.program, ["-version"])
    let isThere = outcome?.status == 0 && Subprocess.run(FFmpeg.prober, ["-version"])?.status == 0
    return Checkup(
      name: "videos", isOK: true,
      found: isThere
        ? "ffmpeg" : "ffmpeg is not on the path; `tensorio stream` needs it for videos",
      fix: isThere ? nil : FFmpeg.command)
  }
}
