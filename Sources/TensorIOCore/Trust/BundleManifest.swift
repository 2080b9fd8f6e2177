internal import TensorIOSystem

/// What a bundle consists of: every file, with its size and its digest.
///
/// It lies in the bundle as `manifest.json`. A bundle that has one is compared with it whenever it is
/// opened, before anything else of it is.
package struct BundleManifest: Sendable, Hashable {
  /// A file of the bundle.
  package struct File: Sendable, Hashable {
    /// Where it lies in the bundle's folder.
    package let path: String
    /// How many bytes it has.
    package let byteCount: Int
    /// Its SHA-256, as hexadecimal digits.
    package let digest: String
  }

  /// The bundle's identifier.
  package let id: String
  /// The bundle's version.
  package let version: String
  /// All files but the manifest and its signature, by the bytes of their paths.
  package let files: [File]

  /// What it is called in a bundle's folder.
  package static let name = "manifest.json"
  /// What its signature is called.
  package static let signatureName = name + ".minisig"
  /// The files that it does not list.
  static let ownNames = [name, signatureName]

  /// What says which bundle it is of, or which chain.
  static let descriptionNames = [BundleFolder.descriptionName, BundleFolder.chainName]

  /// Bundles of today have ten files, and zips of bundles have no more than this.
  static let mostFiles = 4096
  /// Enough for so many files with long names.
  static let maximumBytes = 4 << 20
  /// A signature has three hundred bytes, and a comment.
  static let maximumSignatureBytes = 1 << 14

  /// What a path's bytes have to be.
  func file(at path: String) -> File? {
    files.first { $0.path.utf8.elementsEqual(path.utf8) }
  }
}

extension ModelError {
  /// The bundle is not what its manifest says.
  static func altered(_ problem: String) -> ModelError {
    ModelError(.runtime, .alteredBundle(problem: problem))
  }
}

extension BundleManifest {
  /// Whether it can be told of another version whether it is older.
  package var hasComparableVersion: Bool { DottedVersion(version) != nil }
}
