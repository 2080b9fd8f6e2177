import Testing

@testable import TensorIOTasks

@Suite struct BoundingBoxTests {
  private let box = BoundingBox(xmin: 0, ymin: 0, xmax: 4, ymax: 2)

  @Test func `Intersection over union is a fraction of the union`() {
    #expect(box.intersectionOverUnion(box) == 1)
    #expect(box.intersectionOverUnion(BoundingBox(xmin: 2, ymin: 0, xmax: 6, ymax: 2)) == 4.0 / 12)
    #expect(box.intersectionOverUnion(BoundingBox(xmin: 4, ymin: 0, xmax: 6, ymax: 2)) == 0)
  }

  @Test func `A box without area overlaps nothing`() {
    let empty = BoundingBox(xmin: 3, ymin: 1, xmax: 1, ymax: 2)
    #expect(empty.area == 0)
    #expect(empty.intersectionOverUnion(box) == 0 && empty.intersectionOverUnion(empty) == 0)
  }
}
