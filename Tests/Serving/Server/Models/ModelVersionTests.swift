import TensorIOServer
import Testing

@Suite struct ModelVersionTests {
  @Test(arguments: [
    ("2", "10"), ("1.9", "1.10"), ("1.2", "1.2.1"), ("2.0-beta", "2.0"), ("2.0-alpha", "2.0-beta"),
    ("", "1"), ("a", "b"), ("v2", "v10"), ("007", "8"), ("2024-01-31", "2024-02-01"),
  ])
  func `Numbers in versions are compared as numbers`(lower: String, higher: String) {
    #expect(ModelVersion(lower) < ModelVersion(higher))
    #expect(!(ModelVersion(higher) < ModelVersion(lower)))
  }

  @Test func `Policies are parsed`() {
    #expect(VersionPolicy("latest") == .latest(1))
    #expect(VersionPolicy("latest:3") == .latest(3))
    #expect(VersionPolicy("all") == .all)
    #expect(VersionPolicy("1,2.1") == .specific(["1", "2.1"]))
    #expect(VersionPolicy("1.2-beta") == .specific(["1.2-beta"]))
    for invalid in ["", "latest:0", "latest:x", ",", "lastest", "lastest:2", "Latest", "al"] {
      #expect(VersionPolicy(invalid) == nil)
    }
    #expect(VersionPolicy.suggestion(for: "lastest:2") == "; did you mean 'latest'?")
    #expect(VersionPolicy.suggestion(for: "latest:0").isEmpty)
  }
}
