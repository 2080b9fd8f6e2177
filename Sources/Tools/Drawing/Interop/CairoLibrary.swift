import COptionalLibraries
import TensorIOBundle
import TensorIOSystem

/// The functions of cairo and FreeType.
///
/// The libraries are never closed, because cairo caches glyphs that refer to FreeType.
@safe struct CairoLibrary: @unchecked Sendable {  // the table is immutable
  let functions: UnsafePointer<CCairoTable>

  #if os(macOS)
    private static let cairoNames = ["libcairo.2.dylib", "/opt/homebrew/lib/libcairo.2.dylib"]
    private static let freenames = [
      "libfreetype.6.dylib", "/opt/homebrew/lib/libfreetype.6.dylib",
    ]
  #else
    private static let cairoNames = ["libcairo.so.2"]
    private static let freenames = ["libfreetype.so.6"]
  #endif

  /// Opens the specified libraries; those that are `nil` are the library of the Python package, or
  /// else the system's.
  init(cairo: String?, freetype: String?) throws(ModelError) {
    if cairo == nil, freetype == nil {
      let bundled = DynamicLibrary.bundledName
      if let table = unsafe try? Self.open(cairo: bundled, freetype: bundled) {
        unsafe functions = table
        return
      }
    }
    let cairoPaths = cairo.map { [$0] } ?? Self.cairoNames
    let freetypePaths = freetype.map { [$0] } ?? Self.freenames
    var firstFailure: ModelError?
    for cairo in cairoPaths {
      for freetype in freetypePaths {
        do throws(ModelError) {
          unsafe functions = try Self.open(cairo: cairo, freetype: freetype)
          return
        } catch {
          firstFailure = firstFailure ?? error
        }
      }
    }
    throw firstFailure ?? .drawingFailed("drawing failed: no libraries are known for this system")
  }

  private static func open(
    cairo: String, freetype: String
  ) throws(ModelError) -> UnsafePointer<CCairoTable> {
    var library: Int32 = 0
    var message: UnsafeMutablePointer<CChar>?
    if let table = unsafe ccairo_open(cairo, freetype, &library, &message) {
      return unsafe table
    }
    let text = unsafe DynamicLibrary.takeString(message) ?? "out of memory"
    let isCairo = library == CCairoLibraryCairo
    throw .drawingLibraryMissing(
      isCairo ? "cairo" : "FreeType", path: isCairo ? cairo : freetype, detail: text,
      install: isCairo ? installCairo : installFreeType)
  }

  #if os(macOS)
    private static let installCairo = "brew install cairo"
    private static let installFreeType = "brew install freetype"
  #else
    private static let installCairo = "apt-get install libcairo2"
    private static let installFreeType = "apt-get install libfreetype6"
  #endif

  /// The folder of the library that contains this code; `nil` if it is not known.
  ///
  /// A program may be reported by a relative name, which is not used: it would be looked up in the
  /// current folder.
  static var ownFolder: String? {
    guard let name = unsafe function_table_own_path() else { return nil }
    let path = unsafe String(cString: name)
    guard path.hasPrefix("/"), let slash = path.lastIndex(of: "/") else { return nil }
    return String(path[..<slash])
  }

  /// The version of cairo.
  var version: String { unsafe String(cString: functions.pointee.cairo_version_string()) }

  /// Converts cairo's status codes to errors.
  func check(_ status: cairo_status_t) throws(ModelError) {
    guard status != 0 else { return }
    let text = unsafe String(cString: functions.pointee.cairo_status_to_string(status))
    throw .drawingFailed("drawing failed: \(text)")
  }
}

/// A font file, opened as a `cairo_font_face_t`.
@safe final class Typeface: @unchecked Sendable {  // cairo font faces are thread-safe
  let path: String
  let handle: OpaquePointer
  private let library: CairoLibrary

  /// Opens a font file.
  ///
  /// The corresponding C functions are `FT_New_Face` and `cairo_ft_font_face_create_for_ft_face`.
  init(path: String, in library: CairoLibrary) throws(ModelError) {
    var status: FT_Error = 0
    guard let handle = unsafe ccairo_open_font(library.functions, path, &status) else {
      throw .fontUnreadable(path, code: Int(status))
    }
    unsafe self.handle = handle
    self.path = path
    self.library = library
  }

  deinit { unsafe library.functions.pointee.cairo_font_face_destroy(handle) }
}
