package import TensorIOBundle

/// A runtime's shared library: its names, version and downloadable packages.
package struct RuntimeLibrarySpecification: Sendable, Hashable {
  /// The runtime that the library belongs to.
  package let backend: BackendIdentifier
  /// The identifier on the command line and in the data directory, such as `litert`.
  package let name: String
  /// The name for display, such as `LiteRT`.
  package let displayName: String
  /// The library's file name, as passed to the dynamic loader.
  package let libraryFileName: String
  /// The environment variable that can name the library's path.
  package let environmentVariable: String
  /// The supported version.
  package let version: String
  /// The packages that contain the library, one per processor architecture.
  package let wheels: [RuntimeWheel]

  /// Creates a specification.
  package init(
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

  /// The path of the folder, relative to the data directory, that the library is installed in.
  ///
  /// It contains the version and the architecture, so that machines can share a home directory.
  package var installPath: String {
    "runtimes/\(name)/\(version)/\(CPUArchitecture.current.rawValue)/lib"
  }

  /// The path of the library, relative to the data directory.
  var libraryPath: String { "\(installPath)/\(libraryFileName)" }

  /// Returns the package for an architecture; `nil` if there is none.
  package func wheel(for architecture: CPUArchitecture = .current) -> RuntimeWheel? {
    wheels.first { $0.architecture == architecture }
  }
}

/// A processor architecture, named as in Python packages.
package enum CPUArchitecture: String, Sendable, Hashable, CaseIterable {
  case x86_64
  case aarch64
  /// An architecture without a package.
  case other

  /// The architecture that this program was compiled for.
  package static var current: CPUArchitecture {
    #if arch(x86_64)
      .x86_64
    #elseif arch(arm64)
      .aarch64
    #else
      .other
    #endif
  }
}

/// A pinned Python package that contains a runtime's library.
///
/// Only the libraries in it are used. Its Python version is part of the file name; Python is not
/// required.
package struct RuntimeWheel: Sendable, Hashable {
  /// The architecture of the package.
  package let architecture: CPUArchitecture
  /// The package's name.
  package let package: String
  /// The package's version.
  package let version: String
  /// The Python version to request, such as `3.11`.
  package let pythonVersion: String
  /// The ABI tag to request, such as `cp311`.
  package let abi: String
  /// The platform tag to request.
  package let platform: String
  /// The SHA-256 digest of the file, in hexadecimal.
  package let sha256: String
  /// The paths of the libraries in the package; the first one is opened.
  package let libraries: [String]
  /// The size of the file in bytes.
  package let byteCount: Int

  /// Creates a package description.
  package init(
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

/// The folder in which TensorIO stores the user's data, such as runtimes and models.
package struct DataDirectory: Sendable, Hashable {
  /// The environment variable that names the folder.
  package static let environmentVariable = "TENSORIO_HOME"
  /// All environment variables that determine the folder.
  package static let environmentVariables = [environmentVariable, "XDG_DATA_HOME", "HOME"]

  /// The path of the folder.
  package let path: String

  /// Creates a data directory at a path.
  package init(path: String) {
    self.path = path
  }

  /// Creates the data directory that the environment specifies; `nil` if there is no home
  /// directory.
  package init?(environment: [String: String]) {
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

  /// Returns the path of a runtime's installed library.
  package func libraryPath(for specification: RuntimeLibrarySpecification) -> String {
    "\(path)/\(specification.installPath)/\(specification.libraryFileName)"
  }
}
