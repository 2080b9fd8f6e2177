/// What every pixel of a picture shows.
public struct ClassMask: Sendable, Hashable {
  /// The class of pixels that nobody judges by.
  public static let ignored: UInt8 = 255

  /// How large the mask and its picture are.
  public let size: PictureSize
  /// The index of a label for every pixel, row by row, or ``ignored``.
  public let classes: [UInt8]

  init(size: PictureSize, classes: [UInt8]) {
    (self.size, self.classes) = (size, classes)
  }

  /// The classes that occur, in ascending order.
  public var occurring: [Int] {
    var seen = [Bool](repeating: false, count: 256)
    for index in classes { seen[Int(index)] = true }
    return (0..<Int(Self.ignored)).filter { seen[$0] }
  }
}
