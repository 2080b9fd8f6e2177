public import TensorIOBundle

/// All that is known in advance of a runtime's shared library: its name, where it may lie, and the
/// package that it can be taken from.
public struct RuntimeLibrarySpecification: Sendable, Hashable {
  /// The runtime that the library is for.
  public let backend: BackendIdentifier
  /// The word for it on the command line and in the data folder, such as `litert`.
  public let name: String
  /// The name people know it by, such as `LiteRT`.
  public let displayName: String
  /// The file to open, as the system's loader finds it.
  public let libraryFileName: String
  /// The variable by which a user points at a library.
  public let environmentVariable: String
  /// The version that is installed and tested.
  public let version: String
  /// The packages that hold the library, one for each kind of machine.
  public let wheels: [RuntimeWheel]

  /// A runtime's library.
  public init(
    backend: BackendIdentifier, name: String, displayName: String, libraryFileName: String,
    environmentVariable: String, version: String, wheels: [RuntimeWheel]
  ) {
    self.backend = backend
    self.name = name
    self.displayName = displayName
    self.libraryFileName = libraryFileName
    self.environmentVariable = environmentVariable
    self.version = version
    self.wheels = wheels
  }

  /// The command that installs the library.
  public var installCommand: String { "tensorio runtime install \(name)" }

  /// The folder, inside the data folder, into which the library is installed.
  ///
  /// Version and machine are part of it, so that several can stand side by side in a home folder
  /// that machines share.
  public var installPath: String {
    "runtimes/\(name)/\(version)/\(CPUArchitecture.current.rawValue)/lib"
  }

  /// The package for a kind of machine, if there is one.
  public func wheel(for architecture: CPUArchitecture = .current) -> RuntimeWheel? {
    wheels.first { $0.architecture == architecture }
  }
}

/// A kind of processor, by the name that packages use.
public enum CPUArchitecture: String, Sendable, Hashable, CaseIterable {
  case x86_64
  case aarch64
  /// A processor for which no package is pinned.
  case other

  /// The processor that this program was built for.
  public static var current: CPUArchitecture {
    #if arch(x86_64)
      .x86_64
    #elseif arch(arm64)
      .aarch64
    #else
      .other
    #endif
  }
}

/// One pinned package of the Python registry: only the libraries inside it are wanted, so its
/// Python version is a part of its name and not a need.
public struct RuntimeWheel: Sendable, Hashable {
  /// The machines it is for.
  public let architecture: CPUArchitecture
  /// The package's name.
  public let package: String
  /// The package's version.
  public let version: String
  /// The Python version to ask for, such as `3.11`.
  public let pythonVersion: String
  /// The binary interface to ask for, such as `cp311`.
  public let abi: String
  /// The platform to ask for.
  public let platform: String
  /// The digest of the file, in hexadecimal digits.
  public let sha256: String
  /// The libraries inside, by their paths; the first is the one to open.
  public let libraries: [String]
  /// How many bytes the file has.
  public let byteCount: Int

  /// A pinned package.
  public init(
    architecture: CPUArchitecture, package: String, version: String, pythonVersion: String,
    abi: String, platform: String, sha256: String, libraries: [String], byteCount: Int
  ) {
    self.byteCount = byteCount
    self.architecture = architecture
    self.package = package
    self.version = version
    self.pythonVersion = pythonVersion
    self.abi = abi
    self.platform = platform
    self.sha256 = sha256
    self.libraries = libraries
  }
}

/// The folder in which TensorIO keeps what belongs to a user rather than to a project.
public struct DataDirectory: Sendable, Hashable {
  /// The variable that names the folder outright.
  public static let environmentVariable = "TENSORIO_HOME"
  /// All variables that may say where the folder is.
  package static let environmentVariables = [environmentVariable, "XDG_DATA_HOME", "HOME"]

  /// Where it is.
  public let path: String

  /// A folder at a path.
  public init(path: String) {
    self.path = path
  }

  /// The folder that the environment asks for, or `nil` when it names neither a folder nor a home.
  public init?(environment: [String: String]) {
    if let home = environment[Self.environmentVariable], !home.isEmpty {
      path = home
    } else if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") {
      path = data + "/tensorio"
    } else if let home = environment["HOME"], !home.isEmpty {
      path = home + "/.local/share/tensorio"
    } else {
      return nil
    }
  }

  /// Where a runtime's library lies once it is installed.
  public func libraryPath(for specification: RuntimeLibrarySpecification) -> String {
    "\(path)/\(specification.installPath)/\(specification.libraryFileName)"
  }
}
