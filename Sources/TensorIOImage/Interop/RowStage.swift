/// A step on the way from stored pixels to the rows of a frame.
///
/// Rows are pulled: the last stage asks the one before it for the rows that it needs. Ranges that
/// are asked for never move up, and none is longer than the capacity that the stage was made
/// with, so every stage holds a few rows only.
protocol RowStage: AnyObject {
  /// How many bytes a row has.
  var rowBytes: Int { get }
  /// How many rows there are.
  var rowCount: Int { get }
  /// The addresses of rows, good until the next call.
  func rows(_ range: Range<Int>) -> UnsafeMutableBufferPointer<UnsafePointer<UInt8>>
}

/// A ring of rows that a stage has made, freed with it.
@safe final class RowRing {
  private let rowBytes: Int
  private let capacity: Int
  private let memory: UnsafeMutablePointer<UInt8>
  private let addresses: UnsafeMutableBufferPointer<UnsafePointer<UInt8>>
  /// The end of the rows that have been made.
  private var end = 0

  init(rowBytes: Int, capacity: Int) {
    self.rowBytes = rowBytes
    self.capacity = capacity
    unsafe memory = .allocate(capacity: rowBytes * capacity)
    unsafe addresses = .allocate(capacity: capacity)
    unsafe addresses.initialize(repeating: UnsafePointer(memory))
  }

  deinit {
    unsafe memory.deallocate()
    unsafe addresses.deallocate()
  }

  /// Where a row is or will be.
  func row(_ y: Int) -> UnsafeMutablePointer<UInt8> {
    unsafe memory + (y % capacity) * rowBytes
  }

  /// The addresses of rows, after those that are missing were made.
  func rows(
    _ range: Range<Int>, of rowCount: Int, atATime batch: Int, make: (Range<Int>) -> Void
  ) -> UnsafeMutableBufferPointer<UnsafePointer<UInt8>> {
    end = max(end, range.lowerBound)
    while end < range.upperBound {
      let next = min(end + batch, rowCount)
      make(end..<next)
      end = next
    }
    for y in range { unsafe addresses[y - range.lowerBound] = UnsafePointer(row(y)) }
    return unsafe UnsafeMutableBufferPointer(rebasing: addresses[..<range.count])
  }
}
