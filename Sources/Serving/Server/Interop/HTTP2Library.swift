internal import COptionalLibraries
package import TensorIOSystem

/// The functions of nghttp2, loaded at run time. The library stays open.
// Unchecked, but safe: the table is not modified after loading.
@safe package struct HTTP2Library: @unchecked Sendable {
  let functions: UnsafePointer<CNGHTTP2Table>

  #if os(macOS)
    private static let names = [
      "libnghttp2.14.dylib", "/opt/homebrew/opt/libnghttp2/lib/libnghttp2.14.dylib",
    ]
  #else
    private static let names = ["libnghttp2.so.14"]
  #endif

  /// The command that installs the library.
  package static var installCommand: String {
    #if os(macOS)
      "brew install libnghttp2"
    #else
      "apt-get install libnghttp2-14"
    #endif
  }

  /// Loads the library from a path, or from the first of its usual names that works.
  package init(path: String? = nil) throws(DynamicLibraryError) {
    unsafe functions = try DynamicLibrary.open(path, orFirstOf: Self.names, cnghttp2_open)
  }

  /// The system's library, loaded on first use.
  package static var standard: HTTP2Library {
    get throws(DynamicLibraryError) { try opened.get() }
  }

  private static let opened = Result { () throws(DynamicLibraryError) in try HTTP2Library() }

  /// The library's name and version, such as `nghttp2 1.52.0`.
  package var version: String {
    guard let info = unsafe functions.pointee.nghttp2_version(0) else { return "nghttp2" }
    return unsafe "nghttp2 " + String(cString: info.pointee.version_str)
  }
}
