import TensorIOImage
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOData

@Suite struct DetectionDatasetTests {
  static let labels = ["cat", "dog"]

  @Test func `AutoML rows are read as boxes`() throws {
    let folder = try TemporaryFolder()
    for name in ["image1", "im2", "im3"] {
      try folder.draw("\(name).png", width: 40, height: 20)
    }
    let path = try folder.write(
      """
      TRAINING,gs://folder/image1.png,car,0.1,0.1,,,0.3,0.3,,
      TRAINING,gs://folder/image1.png,bike,.7,.6,,,.8,.9,,
      UNASSIGNED,im2.png,car,0.1,0.1,0.2,0.1,0.2,0.3,0.1,0.3
      test,\(folder.path)/im3.png,,,,,,,,,

      """, to: "data.csv")
    let data = try DetectionDataset(at: path)
    #expect(data.labels == ["bike", "car"] && data.count == 3 && data.errors.isEmpty)
    #expect(try data.boxes(at: 0).map(\.labelIndex) == [1, 0])
    let bike = try data.boxes(at: 0)[1]
    #expect(bike.isClose(to: AnnotatedBox(labelIndex: 0, xmin: 28, ymin: 12, xmax: 32, ymax: 18)))
    let car = try data.boxes(at: 1)[0]
    #expect(car.isClose(to: AnnotatedBox(labelIndex: 1, xmin: 4, ymin: 2, xmax: 8, ymax: 6)))
    #expect(try data.boxes(at: 2).isEmpty)
    #expect((0..<3).map(data.split) == [.train, .unassigned, .test])
    #expect(data.labelIndices(at: 0) == [0, 1])
    #expect(try data.imageSize(at: 0) == ImageSize(width: 40, height: 20))
    #expect(try data.imageBytes(at: 0) == bytes(of: "\(folder.path)/image1.png"))
  }

  @Test func `COCO instances are read with crowds and areas`() throws {
    let folder = try TemporaryFolder()
    try folder.draw("val2017/a.png", width: 40, height: 20)
    let path = try folder.write(
      """
      {"info": {}, "images": [{"id": 5, "file_name": "a.png", "width": 40, "height": 20}],
      "annotations": [
        {"id": 2, "image_id": 5, "category_id": 9, "bbox": [1.5, 2, 10, 4], "area": 12.25,
         "iscrowd": 1, "segmentation": {"counts": [1, 2], "size": [20, 40]}},
        {"id": 1, "image_id": 5, "category_id": 4, "bbox": [0, 0, 40, 20], "iscrowd": 0}],
      "categories": [{"id": 9, "name": "dog"}, {"id": 4, "name": "cat"}]}
      """, to: "annotations/instances_val2017.json")
    let data = try DetectionDataset(at: path)
    #expect(data.labels == ["cat", "dog"])
    #expect(
      try data.boxes(at: 0) == [
        AnnotatedBox(
          labelIndex: 1, xmin: 1.5, ymin: 2, xmax: 11.5, ymax: 6, isCrowd: true, area: 12.25),
        AnnotatedBox(labelIndex: 0, xmin: 0, ymin: 0, xmax: 40, ymax: 20, area: 800),
      ])
    #expect(
      try DetectionDataset(at: path, labels: ["dog", "cow", "cat"]).labelIndices(at: 0) == [0, 2])
  }

  @Test func `Pascal VOC boxes count from 1 and include the last pixel`() throws {
    let folder = try TemporaryFolder()
    try folder.draw("JPEGImages/p1.png", width: 40, height: 20)
    try folder.write(
      """
      <?xml version="1.0"?><!-- drawn -->
      <annotation verified='yes'><filename>old name.jpg</filename>
      <size><width>40</width><height>20</height><depth>1</depth></size>
      <object><name>R&amp;D</name><difficult>1</difficult>
        <part><name>head</name><bndbox><xmin>9</xmin></bndbox></part>
        <bndbox><xmin>1</xmin><ymin>1</ymin><xmax>40</xmax><ymax>20.0</ymax></bndbox>
      </object></annotation>
      """, to: "Annotations/p1.xml")
    try folder.write("p1 \np9\n", to: "ImageSets/Main/val.txt")
    let data = try DetectionDataset(at: folder.path)
    #expect(
      data.labels == ["R&D"] && data.name(at: 0) == "p1.png" && data.split(at: 0) == .validation)
    let expected = AnnotatedBox(
      labelIndex: 0, xmin: 0, ymin: 0, xmax: 40, ymax: 20, isDifficult: true)
    #expect(try data.boxes(at: 0) == [expected])
    #expect(try data.imageBytes(at: 0).isEmpty == false)
  }

  @Test func `Two Pascal VOC annotations of one image are an error`() throws {
    let folder = try TemporaryFolder()
    try folder.draw("JPEGImages/p1.png", width: 40, height: 20)
    for name in ["p1", "p2"] {
      try folder.write(
        "<annotation><filename>p1.png</filename></annotation>", to: "Annotations/\(name).xml")
    }
    let found = diagnostics { () throws(ModelError) in
      try DetectionDataset(at: folder.path, labels: Self.labels)
    }
    let duplicate = try #require(found.first { $0.code == "duplicate-image" }, "\(found)")
    #expect(duplicate.severity == .error && duplicate.path == "Annotations/p2.xml")
    #expect(duplicate.message.contains("p1.png"))
  }

  @Test func `NDJSON lines are read as boxes`() throws {
    let folder = try TemporaryFolder()
    try folder.writeFixtureImages()
    let path = try folder.write(
      """
      {"image": "a.png", "boxes": [{"label": "cat", "box": {"xmin": 1, "ymin": 2, "xmax": 3, "ymax": 4.5}, "crowd": true, "difficult": true, "area": 1}], "set": "TEST"}

      {"image": "b.png", "boxes": []}
      """, to: "data.ndjson")
    let data = try DetectionDataset(at: path)
    #expect(data.count == 2 && data.split(at: 0) == .test && data.split(at: 1) == nil)
    #expect(
      try data.boxes(at: 0) == [
        AnnotatedBox(
          labelIndex: 0, xmin: 1, ymin: 2, xmax: 3, ymax: 4.5, isCrowd: true, isDifficult: true,
          area: 1)
      ])
  }

  @Test func `Boxes refer to the upright image`() throws {
    let folder = try TemporaryFolder()
    let turned = ProjectFiles.path("Tests/Fixtures/Images/Formats/orientation-6.jpg")
    let header = try ImageHeader(contentsOf: turned)
    try folder.copy(turned, as: "a.jpg")
    let path = try folder.write("TEST,a.jpg,cat,0,0,,,1,1,,\n", to: "d.csv")
    let data = try DetectionDataset(at: path)
    #expect(header.width != header.height)
    #expect(try data.imageSize(at: 0) == ImageSize(width: header.height, height: header.width))
    #expect(try data.boxes(at: 0)[0].xmax == Double(header.height))
  }

  @Test func `Boxes with unknown labels are skipped and counted on request`() throws {
    let folder = try TemporaryFolder()
    for name in ["a", "b"] { try folder.draw("\(name).png", width: 40, height: 20) }
    let path = try folder.write(
      """
      TEST,a.png,cat,0.1,0.1,,,0.3,0.3,,
      TEST,a.png,car,0.1,0.1,,,0.3,0.3,,
      TEST,b.png,bus,0.1,0.1,,,0.3,0.3,,

      """, to: "data.csv")
    let data = try DetectionDataset(at: path, labels: Self.labels, knownLabelsOnly: true)
    #expect(data.errors.isEmpty)
    #expect(data.labelIndices(at: 0) == [0])
    #expect(try data.boxes(at: 1).isEmpty)
    #expect(data.warnings.map(\.code) == ["unknown-labels-skipped"])
    #expect(data.warnings.map(\.found) == ["bus, car"])
    #expect(try DetectionDataset(at: path, labels: Self.labels + ["bus"]).errors.count == 1)
  }

  // MARK: Errors

  @Test(arguments: InvalidFile.all("AutoML") + InvalidFile.all("COCO") + InvalidFile.all("Lines"))
  func `An error in a file is reported with its location`(_ file: InvalidFile) throws {
    let folder = try TemporaryFolder()
    try folder.writeFixtureImages()
    let path = try folder.copy(file.path, as: file.name)
    let found = diagnostics { () throws(ModelError) in
      try DetectionDataset(at: path, labels: Self.labels)
    }
    #expect(file.matches(found), "\(found)")
  }

  @Test(arguments: InvalidFile.all("VOC"))
  func `An error in an annotation is reported with its location`(_ file: InvalidFile) throws {
    let folder = try TemporaryFolder()
    try folder.writeFixtureImages(in: "JPEGImages/")
    try folder.write(bytes(of: file.path), to: "Annotations/x.xml")
    try folder.write(
      "<annotation><filename>b.png</filename></annotation>", to: "Annotations/y.xml")
    let found = diagnostics { () throws(ModelError) in
      try DetectionDataset(at: folder.path, labels: Self.labels)
    }
    #expect(file.matches(found), "\(found)")
    #expect(found.first?.path == "Annotations/x.xml")
  }

  @Test func `An invalid image throws its error and the others remain usable`() throws {
    let folder = try TemporaryFolder()
    try folder.writeFixtureImages()
    let path = try folder.write(
      "TEST,a.png,cat,0,0,,,2,1,,\nTEST,b.png,dog,0,0,,,1,1,,\n", to: "d.csv")
    let data = try DetectionDataset(at: path)
    #expect(data.errors.map(\.code) == ["box-out-of-bounds"] && data.error(at: 0)?.line == 1)
    let error = #expect(throws: ModelError.self) { _ = try data.boxes(at: 0) }
    #expect(error?.item == 0 && error?.code == "box-out-of-bounds")
    #expect(throws: ModelError.self) { _ = try data.imageBytes(at: 0) }
    #expect(try data.boxes(at: 1).count == 1 && data.error(at: 1) == nil)
    #expect(throws: ModelError.self) { try data.throwIfInvalid() }
  }

  @Test func `The list of errors is limited and every image keeps its own error`() throws {
    let folder = try TemporaryFolder()
    try folder.writeFixtureImages()
    let rows = (0..<ExampleDataset.maxDiagnostics + 20).map { "TEST,\($0).png,cat,0,0,,,1,1,,\n" }
    let path = try folder.write(rows.joined() + "TEST,a.png,,,,,,,,,\n", to: "d.csv")
    let data = try DetectionDataset(at: path)
    #expect(data.errors.count == ExampleDataset.maxDiagnostics + 1)
    #expect(data.errors.last?.code == "too-many-diagnostics")
    #expect((0..<data.count).filter { data.error(at: $0) == nil } == [data.count - 1])
  }

  @Test func `Missing files and unknown formats are input errors`() throws {
    let folder = try TemporaryFolder()
    for (name, text, code) in [
      ("a.csv", "image,label\n", "wrong-type"), ("a.json", "[]", "wrong-type"),
      ("a.csv", "", "wrong-type"), ("a.ndjson", "{\"image\":1}\n", "wrong-type"),
      ("a.json", #"{"images": [], "annotations": [], "categories": []}"#, "empty-data"),
    ] {
      let path = try folder.write(text, to: name)
      #expect(
        diagnostics { () throws(ModelError) in try DetectionDataset(at: path) }.map(\.code) == [
          code
        ])
    }
    let nothing = diagnostics { () throws(ModelError) in
      try DetectionDataset(at: "\(folder.path)/no.csv")
    }
    #expect(nothing.map(\.code) == ["missing-file"])
  }
}

extension AnnotatedBox {
  func isClose(to other: AnnotatedBox, within tolerance: Double = 1e-9) -> Bool {
    let pairs = [
      (xmin, other.xmin), (ymin, other.ymin), (xmax, other.xmax), (ymax, other.ymax),
      (area, other.area),
    ]
    return pairs.allSatisfy { abs($0 - $1) <= tolerance } && labelIndex == other.labelIndex
      && isCrowd == other.isCrowd && isDifficult == other.isDifficult
  }
}
