internal import TensorIOSystem

/// The file of an archive, of which any part can be read at any time.
final class ArchiveFile: Sendable {
  private let file: ReadableFile
  /// How many bytes it has.
  let byteCount: Int

  init(at path: String) throws(ArchiveError) {
    do throws(FileFault) {
      file = try ReadableFile(path)
    } catch {
      throw ArchiveError(.unreadable(problem: error.problem))
    }
    byteCount = file.byteCount ?? 0
  }

  /// The bytes of a part.
  func bytes(_ range: Range<Int>) throws(ArchiveError) -> [UInt8] {
    guard range.lowerBound >= 0, range.upperBound <= byteCount else {
      throw .damaged("it ends before byte \(range.upperBound)")
    }
    do throws(FileFault) {
      return try file.bytes(range)
    } catch {
      throw ArchiveError(.unreadable(problem: error.problem))
    }
  }
}
