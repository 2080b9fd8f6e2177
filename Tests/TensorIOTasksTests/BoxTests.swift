import Testing
@testable import TensorIOTasks

@Suite struct BoxTests {
  private let box = BoundingBox(xmin: 0, ymin: 0, xmax: 4, ymax: 2)

  @Test func `what two boxes have in common is a share of what they cover`() {
    #expect(box.intersectionOverUnion(box) == 1)
    #expect(box.intersectionOverUnion(BoundingBox(xmin: 2, ymin: 0, xmax: 6, ymax: 2)) == 4.0 / 12)
    #expect(box.intersectionOverUnion(BoundingBox(xmin: 4, ymin: 0, xmax: 6, ymax: 2)) == 0)
  }

  @Test func `a box without area has nothing in common with any`() {
    let none = BoundingBox(xmin: 3, ymin: 1, xmax: 1, ymax: 2)
    #expect(none.area == 0)
    #expect(none.intersectionOverUnion(box) == 0 && none.intersectionOverUnion(none) == 0)
  }
}
