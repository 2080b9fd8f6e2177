import TensorIOTestSupport
import Testing
@testable import TensorIOBundle
@testable import TensorIOData

/// Files that programs have cut or mixed up are read, or refused with a typed error; nothing traps.
@Suite struct DamagedDataTests {
  struct Form: Sendable, CustomTestStringConvertible {
    let name: String
    let text: String
    var testDescription: String { name }
  }

  static let forms = [
    Form(
      name: "d.csv",
      text: """
        TRAIN,a.png,cat,0.1,0.1,,,0.3,0.3,,
        TEST,"b.png","do""g",.7,.6,.8,.6,.8,.9,.7,.9
        UNASSIGNED,a.png,,,,,,,,,

        """),
    Form(
      name: "d.json",
      text: """
        {"images": [{"id": 5, "file_name": "a.png", "width": 40, "height": 20}],
        "annotations": [
          {"id": 2, "image_id": 5, "category_id": 9, "bbox": [1.5, 2, 10, 4], "area": 12.25,
           "iscrowd": 1}, {"id": 1, "image_id": 5, "category_id": 4, "bbox": [0, 0, 40, 20]}],
        "categories": [{"id": 9, "name": "dog"}, {"id": 4, "name": "cat"}]}
        """),
    Form(
      name: "d.ndjson",
      text: """
        {"image": "a.png", "boxes": [{"label": "cat", "box": {"xmin": 1, "ymin": 2, "xmax": 3, "ymax": 4}}]}
        {"image": "b.png", "boxes": [], "set": "TEST"}
        """),
    Form(
      name: "Annotations/x.xml",
      text: """
        <annotation><filename>a.png</filename><size><width>40</width><height>20</height></size>
        <object><name>cat</name><bndbox><xmin>2</xmin><ymin>2</ymin><xmax>9</xmax>
        <ymax>9</ymax></bndbox></object></annotation>
        """),
    Form(
      name: "test.json",
      text: """
        {"name": "T", "id": "t", "version": "1", "models": ["m"], "options": {"iterations": 2},
        "images": [{"type": "file", "path": "a.png"}],
        "labels": [{"path": "a.png", "inference_results": {"out": {"cat": ""}}}],}
        """),
  ]

  @Test(.timeLimit(.minutes(2)), arguments: forms)
  func `damaged files are read or refused`(_ form: Form) throws {
    let folder = try TemporaryFolder()
    try folder.drawFixturePictures()
    try folder.drawFixturePictures(in: "JPEGImages/")
    var random = SeededGenerator(seed: 11)
    let letters = Array(",\"{}[]:<>/0123456789.-eE\n ".utf8)
    var told = 0
    for _ in 0..<400 {
      var text = Array(form.text.utf8)
      text.mutate(letters, &random)
      let path = try folder.write(text, to: form.name)
      told += try Self.open(form.name, path, folder.path) ? 0 : 1
    }
    #expect(told > 40)
  }

  /// Opens data and everything in it; whether nothing is wrong.
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

  @Test func `numbers beyond all bounds are faults`() throws {
    let folder = try TemporaryFolder()
    try folder.drawFixturePictures()
    for number in ["1e308", "-1e308", "1e-320", "9223372036854775808", "0x1p1023"] {
      let path = try folder.write("TEST,a.png,cat,\(number),0,,,1e308,1,,\n", to: "d.csv")
      #expect(told { () throws(ModelError) in try DetectionDataset(at: path) }.count == 1)
    }
    let sizes = """
      {"images": [{"id": 1, "file_name": "a.png", "width": 9223372036854775807,
      "height": -9223372036854775808}], "annotations": [], "categories": []}
      """
    let path = try folder.write(sizes, to: "d.json")
    #expect(
      told { () throws(ModelError) in try DetectionDataset(at: path) }.map(\.code) == ["wrong-size"])
  }
}
