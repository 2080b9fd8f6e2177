/// All that is known in advance of a runtime's shared library: its name, where it may lie, and the
/// package that it can be taken from.
public struct RuntimeSpecification: Sendable, Hashable {
  /// The runtime that the library is for.
  public let backend: BackendIdentifier
  /// The word for it on the command line and in the data folder, such as `litert`.
  public let name: String
  /// The name people know it by, such as `LiteRT`.
  public let title: String
  /// The file to open, as the system's loader finds it.
  public let libraryFile: String
  /// The variable by which a user points at a library.
  public let environmentVariable: String
  /// The version that is installed and tested.
  public let version: String
  /// The packages that hold the library, one for each kind of machine.
  public let wheels: [RuntimeWheel]

  /// A runtime's library.
  public init(
    backend: BackendIdentifier, name: String, title: String, libraryFile: String,
    environmentVariable: String, version: String, wheels: [RuntimeWheel]
  ) {
    self.backend = backend
    self.name = name
    self.title = title
    self.libraryFile = libraryFile
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
  public var installFolder: String {
    "runtimes/\(name)/\(version)/\(RuntimeArchitecture.current.rawValue)/lib"
  }

  /// The package for a kind of machine, if there is one.
  public func wheel(for architecture: RuntimeArchitecture = .current) -> RuntimeWheel? {
    wheels.first { $0.architecture == architecture }
  }
}

/// A kind of processor, by the name that packages use.
public enum RuntimeArchitecture: String, Sendable, Hashable, CaseIterable {
  case x86_64
  case aarch64
  /// A processor for which no package is pinned.
  case other

  /// The processor that this program was built for.
  public static var current: RuntimeArchitecture {
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
  public let architecture: RuntimeArchitecture
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
    architecture: RuntimeArchitecture, package: String, version: String, pythonVersion: String,
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
