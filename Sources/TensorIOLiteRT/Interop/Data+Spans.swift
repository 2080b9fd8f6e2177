#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

extension Data {
  /// A copy of memory that is only lent.
  init(copying memory: RawSpan) {
    self = unsafe memory.withUnsafeBytes { unsafe Data($0) }
  }
}

extension MutableRawSpan {
  /// Takes on bytes of the same number.
  mutating func copy(_ data: Data) {
    unsafe withUnsafeMutableBytes { unsafe $0.copyBytes(from: data) }
  }
}
