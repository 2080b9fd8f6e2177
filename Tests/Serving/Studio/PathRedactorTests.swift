import Testing

@testable import TensorIOStudio

/// The replacement of paths in messages for the studio's page.
@Suite struct PathRedactorTests {
  private let redactor = PathRedactor().redacting("/data/set", as: "Photos")

  @Test(arguments: [
    ("/data/set: no images", "Photos: no images"),
    ("cannot read /data/set.", "cannot read Photos."),
    ("'/data/set/cat/1.png' is damaged", "'cat/1.png' is damaged"),
    ("/data/set/a and /data/set", "a and Photos"),
    ("/data/set2: no images", "/data/set2: no images"),
    ("/data/set-old/a.png", "/data/set-old/a.png"),
    ("/data/set.zip", "/data/set.zip"),
  ])
  func `Only the path itself and paths inside it are replaced`(_ text: String, _ expected: String) {
    #expect(redactor.redact(text) == expected)
  }
}
