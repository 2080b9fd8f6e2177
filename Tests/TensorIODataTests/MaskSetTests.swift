import TensorIOTestSupport
import Testing
@testable import TensorIOBundle
@testable import TensorIOData

@Suite struct MaskSetTests {
  /// PNGs of 3 × 2 pixels with the classes 0 1 2 / 255 1 0 as a palette's indexes, of two bits with
  /// 3 in place of 255, and as gray; made by `Scripts/make-masks`.
  static let masks = ProjectFiles.path("Tests/Fixtures/Data/Masks")

  @Test(arguments: ["palette", "palette-short", "gray"])
  func `a mask's pixels are indexes, not colours`(_ kind: String) throws {
    let folder = try TemporaryFolder()
    try folder.draw("images/x.png", width: 3, height: 2)
    try folder.write(bytes(of: "\(Self.masks)/\(kind).png"), to: "masks/x.png")
    let data = try SegmentationDataset(at: folder.path, labels: ["none", "cat", "dog"])
    let mask = try data.mask(at: 0)
    #expect(mask.classes == [0, 1, 2, ClassMask.ignoredClass, 1, 0])
    #expect(mask.size == ImageSize(width: 3, height: 2) && mask.presentClasses == [0, 1, 2])
    #expect(data.labelIndices(at: 0) == [0, 1, 2] && data.name(at: 0) == "images/x.png")
    #expect(try data.imageBytes(at: 0) == bytes(of: "\(folder.path)/images/x.png"))
  }

  @Test(arguments: ["palette-2", "gray-2"])
  func `indexes of fewer bits are as they are stored`(_ kind: String) throws {
    let folder = try TemporaryFolder()
    try folder.draw("JPEGImages/x.png", width: 3, height: 2)
    try folder.draw("JPEGImages/unlabelled.png", width: 3, height: 2)
    try folder.write(bytes(of: "\(Self.masks)/\(kind).png"), to: "SegmentationClass/x.png")
    let data = try SegmentationDataset(at: folder.path)
    #expect(data.count == 1 && data.errors.isEmpty && data.labels.isEmpty)
    #expect(try data.mask(at: 0).classes == [0, 1, 2, 3, 1, 0])
  }

  @Test func `what is wrong with one picture is told, and the others go on`() throws {
    let folder = try TemporaryFolder()
    for name in ["a", "b", "c", "d", "lonely"] {
      try folder.draw("images/\(name).png", width: 3, height: 2)
    }
    let mask = try bytes(of: "\(Self.masks)/gray.png")
    for name in ["a", "stray"] { try folder.write(mask, to: "masks/\(name).png") }
    try folder.draw("masks/b.png", width: 2, height: 3)
    try folder.write("x", to: "masks/c.png")
    try folder.write(mask.dropLast(30).map(\.self), to: "masks/d.png")
    try folder.write("x", to: "masks/notes.txt")
    let data = try SegmentationDataset(at: folder.path)
    #expect(
      data.errors.map { "\($0.code) \($0.path)" } == [
        "missing-picture masks/stray.png", "missing-mask images/lonely.png",
        "wrong-size masks/b.png", "unknown-picture-format masks/c.png",
      ])
    #expect(data.warnings.map(\.path) == ["masks/notes.txt"])
    #expect(data.count == 4)
    #expect(throws: Never.self) { try data.mask(at: 0) }
    let errors = (1..<4).map { index in
      #expect(throws: ModelError.self) { _ = try data.mask(at: index) }
    }
    #expect(
      errors.map { $0?.code } == ["wrong-size", "unknown-picture-format", "truncated-picture"])
    #expect(errors.map { $0?.item } == [1, 2, 3])
  }

  @Test func `a class without a label, and colours, are errors of their mask`() throws {
    let folder = try TemporaryFolder()
    for name in ["a", "b"] { try folder.draw("images/\(name).png", width: 3, height: 2) }
    try folder.write(bytes(of: "\(Self.masks)/gray.png"), to: "masks/a.png")
    try folder.write(bytes(of: "\(Self.masks)/color.png"), to: "masks/b.png")
    let data = try SegmentationDataset(at: folder.path, labels: ["none", "cat"])
    let codes = (0..<2).map { index in
      #expect(throws: ModelError.self) { _ = try data.mask(at: index) }?.code
    }
    #expect(codes == ["unknown-class", "unsupported-picture"])
  }

  @Test(.timeLimit(.minutes(1)), arguments: ["palette", "palette-2", "gray"])
  func `a damaged mask is an error of its picture, or as large as it says`(_ kind: String) throws {
    let folder = try TemporaryFolder()
    try folder.draw("images/x.png", width: 3, height: 2)
    let whole = try bytes(of: "\(Self.masks)/\(kind).png")
    var random = SeededGenerator(seed: 9)
    var refused = 0
    for _ in 0..<300 {
      var damaged = whole
      damaged.mutate([0, 1, 3, 8, 255], &random)
      try folder.write(damaged, to: "masks/x.png")
      do throws(ModelError) {
        #expect(try SegmentationDataset(at: folder.path).mask(at: 0).classes.count == 6)
      } catch {
        refused += 1
        #expect(error.stage == .input)
      }
    }
    #expect(refused > 100)
  }

  @Test func `a folder of another layout is refused`() throws {
    let folder = try TemporaryFolder()
    #expect(
      told { () throws(ModelError) in try SegmentationDataset(at: folder.path) }.map(\.code) == ["wrong-type"])
    try folder.write("x", to: "images/notes.txt")
    try folder.write("x", to: "masks/notes.txt")
    #expect(
      told { () throws(ModelError) in try SegmentationDataset(at: folder.path) }.map(\.code) == ["empty-data"])
  }
}
