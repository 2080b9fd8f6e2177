import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOData

@Suite struct TestBundleTests {
  typealias TestBundle = TensorIOData.TestBundle

  @Test func `The original layout is read, including trailing commas`() throws {
    let folder = try TemporaryFolder()
    for name in ["01", "03"] {
      try folder.draw("c.testbundle/images/\(name).png", width: 4, height: 3)
    }
    try folder.write(
      """
      {
        "name": "Classifier", "id": "classifier-1", "version": "1",
        "models": ["mobilenet-v2", "mobilenet-v1",],
        "options": {"iterations": 3, "metric": "EvaluationMetricAccuracyTop5",},
        "images": [
          {"type": "file", "path": "01.png"}, {"type": "file", "path": "02.png"},
          {"type": "file", "path": "images/03.png"}, {"type": "url", "path": "http://localhost/4.jpg"},
        ],
        "labels": [
          {"path": "01.png", "inference_results": {"classification": {"rocking chair": "",}}},
          {"path": "02.png", "inference_results": {"classification": {"lakeside": ""}}},
          {"path": "images/03.png", "inference_results": {"classification": {"chiffonier": "", "desk": ""}}},
          {"path": "http://localhost/4.jpg", "inference_results": {"other": {"desk": ""}}},
        ],
      }
      """, to: "c.testbundle/test.json")
    let test = try TestBundle(at: "\(folder.path)/c.testbundle/")
    #expect(test.name == "Classifier" && test.identifier == "classifier-1" && test.version == "1")
    #expect(test.models == ["mobilenet-v2", "mobilenet-v1"])
    #expect(test.options.iterations == 3 && test.options.metric == "EvaluationMetricAccuracyTop5")
    #expect(test.count == 4 && test.errors.map(\.code) == ["missing-image"])
    #expect(test.error(at: 1)?.line == 6 && test.error(at: 0) == nil)
    #expect(test.source(at: 0) == .file("\(folder.path)/c.testbundle/images/01.png"))
    #expect(test.source(at: 3) == .url("http://localhost/4.jpg"))
    #expect(test.expected(at: 2) == ["classification": ["chiffonier", "desk"]])
    #expect(test.labels == ["chiffonier", "desk", "lakeside", "rocking chair"])
    #expect(test.labelIndices(at: 3) == [1])
    #expect(try test.imageBytes(at: 0)?.isEmpty == false && test.imageBytes(at: 3) == nil)
    let error = #expect(throws: ModelError.self) { _ = try test.imageBytes(at: 1) }
    #expect(error?.code == "missing-image" && error?.item == 1)
    #expect(DatasetKind.kinds(of: test.path) == [.testBundle])
  }

  @Test(arguments: InvalidFile.all("TestBundles"))
  func `An error in a test is reported with its location`(_ file: InvalidFile) throws {
    let folder = try TemporaryFolder()
    try folder.writeFixtureImages()
    try folder.copy(file.path, as: "test.json")
    let found = diagnostics { () throws(ModelError) in try TestBundle(at: folder.path) }
    #expect(file.matches(found), "\(found)")
  }

  @Test func `A description that exceeds the limit is not read`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(
      [UInt8](repeating: 0x20, count: TestBundle.maxDescriptionBytes + 1), to: "test.json")
    let error = #expect(throws: ModelError.self) { _ = try TestBundle(at: folder.path) }
    #expect(error?.code == "oversized-file" && !path.isEmpty)
  }

  @Test func `Custom metric names are accepted when passed to the initializer`() throws {
    let folder = try TemporaryFolder()
    try folder.writeFixtureImages()
    let text = """
      {"name": "T", "id": "t", "version": "1", "models": ["m"], "options": {"metric": "Mine"},
      "images": [{"type": "file", "path": "a.png"}],
      "labels": [{"path": "a.png", "inference_results": {"o": {"x": ""}}}]}
      """
    try folder.write(text, to: "test.json")
    #expect(try TestBundle(at: folder.path).errors.map(\.code) == ["unknown-metric"])
    #expect(try TestBundle(at: folder.path, metrics: ["Mine"]).errors.isEmpty)
  }
}
