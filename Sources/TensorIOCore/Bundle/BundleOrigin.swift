internal import TensorIOSystem

/// The description that a bundle was opened with, by which one sees that the bundle is still there.
struct BundleOrigin: Sendable, Hashable {
  /// What was read.
  let text: [UInt8]
  private let identity: FileIdentity?

  init(_ folder: BundleFolder) throws(ModelError) {
    identity = Self.identity(in: folder)
    text = try folder.descriptionBytes()
  }

  /// Whether another description has come into the folder.
  ///
  /// One that was only touched, or of which a link was made, is the same.
  func isExchanged(in folder: BundleFolder) -> Bool {
    guard Self.identity(in: folder) != identity else { return false }
    guard let now = try? folder.descriptionBytes() else { return false }
    return now != text
  }

  /// Bundles are the same by what they say, whenever their files were touched.
  static func == (one: BundleOrigin, other: BundleOrigin) -> Bool { one.text == other.text }

  func hash(into hasher: inout Hasher) { hasher.combine(text) }

  private static func identity(in folder: BundleFolder) -> FileIdentity? {
    FileIdentity(folder.root + "/" + BundleFolder.descriptionName)
  }
}
