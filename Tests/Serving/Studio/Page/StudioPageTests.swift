import TensorIOTestSupport
import Testing

/// Tests of the studio's page in a browser, with a nested suite for each part.
@Suite(
  .serialized, .enabled(if: InstalledBrowser.path != nil, "Chromium is not installed"),
  .hangGuard)
struct StudioPageTests {
  /// Returns the path of a bundle's sample.
  static func sample(_ path: String) -> String {
    let parts = path.split(separator: "/", maxSplits: 1)
    return ProjectFiles.path("Examples/Bundles/\(parts[0]).tiobundle/samples/\(parts[1])")
  }
}
