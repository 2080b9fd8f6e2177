import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOData

/// Corrupt files are either read or rejected with a typed error; nothing traps.
@Suite(.ownThreads) struct DamagedDataTests {
  struct Sample: Sendable, CustomTestStringConvertible {
    let name: String
    let text: String
    var testDescription: String { name }
  }

  static let samples = [
    Sample(
      name: "d.csv",
      text: """
        TRAIN,a.png,cat,0.1,0.1,,,0.3,0.3,,
        TEST,"b.png","do""g",.7,.6,.8,.6,.8,.9,.7,.9
        UNASSIGNED,a.png,,,,,,,,,

        """),
    Sample(
      name: "d.json",
      text: """
        {"images": [{"id": 5, "file_name": "a.png", "width": 40, "height": 20}],
        "annotations": [
          {"id": 2, "image_id": 5, "category_id": 9, "bbox": [1.5, 2, 10, 4], "area": 12.25,
           "iscrowd": 1}, {"id": 1, "image_id": 5, "category_id": 4, "bbox": [0, 0, 40, 20]}],
        "categories": [{"id": 9, "name": "dog"}, {"id": 4, "name": "cat"}]}
        """),
    Sample(
      name: "d.ndjson",
      text: """
        {"image": "a.png", "boxes": [{"label": "cat", "box": {"xmin": 1, "ymin": 2, "xmax": 3, "ymax": 4}}]}
        {"image": "b.png", "boxes": [], "set": "TEST"}
        """),
    Sample(
      name: "Annotations/x.xml",
      text: """
        <annotation><filename>a.png</filename><size><width>40</width><height>20</height></size>
        <object><name>cat</name><bndbox><xmin>2</xmin><ymin>2</ymin><xmax>9</xmax>
        <ymax>9</ymax></bndbox></object></annotation>
        """),
    Sample(
      name: "test.json",
      text: """
        {"name": "T", "id": "t", "version": "1", "models": ["m"], "options": {"iterations": 2},
        "images": [{"type": "file", "path": "a.png"}],
        "labels": [{"path": "a.png", "inference_results": {"out": {"cat": ""}}}],}
        """),
  ]

  @Test(.hangGuard, arguments: samples)
  func `Corrupt files are read or rejected`(_ sample: Sample) throws {
    let folder = try TemporaryFolder()
    try folder.writeFixtureImages()
    try folder.writeFixtureImages(in: "JPEGImages/")
    var random = SeededGenerator(seed: 11)
    let characters = Array(",\"{}[]:<>/0123456789.-eE\n ".utf8)
    var rejected = 0
    for _ in 0..<400 {
      var text = Array(sample.text.utf8)
      text.mutate(characters, &random)
      let path = try folder.write(text, to: sample.name)
      rejected += try Self.open(sample.name, path, folder.path) ? 0 : 1
    }
    #expect(rejected > 40)
  }

  /// Opens a dataset and all of its items; returns whether there is no error.
  private static func open(_ name: String, _ path: String, _ folder: String) throws -> Bool {
    do throws(ModelError) {
      if name == "test.json" { return try TensorIOData.TestBundle(at: folder).errors.isEmpty }
      let data = try DetectionDataset(at: name.hasSuffix("xml") ? folder : path)
      for index in 0..<data.count where data.error(at: index) == nil {
        let size = try data.imageSize(at: index)
        for box in try data.boxes(at: index) {
          #expect(box.xmin >= 0 && box.xmin < box.xmax && box.xmax <= Double(size.width))
          #expect(box.ymin >= 0 && box.ymin < box.ymax && box.ymax <= Double(size.height))
        }
      }
      return data.errors.isEmpty
    } catch {
      #expect(!error.code.isEmpty)
      return false
    }
  }

  @Test func `Extreme numbers are errors`() throws {
    let folder = try TemporaryFolder()
    try folder.writeFixtureImages()
    for number in ["1e308", "-1e308", "1e-320", "9223372036854775808", "0x1p1023"] {
      let path = try folder.write("TEST,a.png,cat,\(number),0,,,1e308,1,,\n", to: "d.csv")
      #expect(diagnostics { () throws(ModelError) in try DetectionDataset(at: path) }.count == 1)
    }
    let sizes = """
      {"images": [{"id": 1, "file_name": "a.png", "width": 9223372036854775807,
      "height": -9223372036854775808}], "annotations": [], "categories": []}
      """
    let path = try folder.write(sizes, to: "d.json")
    #expect(
      diagnostics { () throws(ModelError) in try DetectionDataset(at: path) }.map(\.code)
        == ["size-mismatch"])
  }
}
