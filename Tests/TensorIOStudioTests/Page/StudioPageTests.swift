import TensorIOTestSupport
import Testing

/// The studio's page in a browser; each part of it in a suite of its own.
@Suite(
  .serialized, .enabled(if: InstalledBrowser.path != nil, "Chromium is not there"),
  .timeLimit(.minutes(3)))
struct StudioPageTests {
  /// A sample of a bundle.
  static func sample(_ path: String) -> String {
    let parts = path.split(separator: "/", maxSplits: 1)
    return ProjectFiles.path("Examples/Bundles/\(parts[0]).tiobundle/samples/\(parts[1])")
  }
}
