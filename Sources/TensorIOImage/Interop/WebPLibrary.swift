internal import CWebP
internal import TensorIOSystem

/// libwebp's functions, as found in the opened library, which stays open.
// Unchecked, but safe: the table is never written again.
@safe package struct WebPLibrary: @unchecked Sendable {
  let functions: UnsafePointer<CWebPTable>

  #if os(macOS)
    private static let names = ["libwebp.7.dylib", "/opt/homebrew/lib/libwebp.7.dylib"]
  #else
    private static let names = ["libwebp.so.7"]
  #endif

  /// Opens the library at a path, or by the first of its usual names that works.
  package init(path: String? = nil) throws(ImageError) {
    do throws(SystemLibraryFault) {
      unsafe functions = try SystemLibrary.open(
        firstOf: path.map { [$0] } ?? Self.names, cwebp_open)
    } catch {
      throw ImageError(.libraryMissing(error.path, problem: error.problem))
    }
  }

  /// The library of this system, opened by the first who asks.
  package static var standard: WebPLibrary {
    get throws(ImageError) { try opened.get() }
  }

  private static let opened = Result { () throws(ImageError) in try WebPLibrary() }

  /// The library's name and version, as `libwebp 1.2.4`.
  package var version: String {
    let number = unsafe functions.pointee.WebPGetDecoderVersion()
    return "libwebp \(number >> 16 & 0xFF).\(number >> 8 & 0xFF).\(number & 0xFF)"
  }

  /// The command that brings the library.
  package static var remedy: String {
    #if os(macOS)
      "brew install webp"
    #else
      "apt-get install libwebp7"
    #endif
  }
}
