import TensorIOImage
import Testing
@testable import TensorIODrawing

@Suite struct DrawingLibraryTests {
  @Test func `the system's libraries and font are found`() throws {
    let library = try DrawingLibrary.standard
    #expect(library.version.hasPrefix("1."))
    #expect(!library.font.isEmpty)
  }

  @Test func `a missing cairo says which package to install`() {
    let error = #expect(throws: DrawingError.self) {
      try DrawingLibrary(cairo: "libno-such-cairo.so.9")
    }
    guard case .libraryMissing(.cairo, "libno-such-cairo.so.9", _) = error?.reason else {
      Issue.record("\(String(describing: error))")
      return
    }
    let words = error?.description ?? ""
    #expect(words.contains("libno-such-cairo.so.9") && words.contains("install"))
    #expect(words.contains("cairo") && !words.contains("\n"))
  }

  @Test func `a missing FreeType says which package to install`() {
    let error = #expect(throws: DrawingError.self) {
      try DrawingLibrary(freetype: "libno-such-freetype.so.9")
    }
    #expect(error?.description.contains("install") == true)
    #expect(error?.description.contains("freetype") == true)
  }

  #if os(Linux)
    @Test func `another library names the function it lacks`() {
      let error = #expect(throws: DrawingError.self) { try DrawingLibrary(cairo: "libc.so.6") }
      #expect(error?.description.contains("cairo_version_string") == true)
      #expect(error?.description.contains("libcairo2") == true)
    }
  #endif

  @Test func `a font that is named and not there is an error`() {
    let search = FontSearch(environment: [FontSearch.environmentVariable: "/no/such/font.ttf"])
    let error = #expect(throws: DrawingError.self) { try DrawingLibrary(search: search) }
    guard case .fontUnreadable("/no/such/font.ttf", _) = error?.reason else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(error?.description.contains(FontSearch.environmentVariable) == true)
  }

  @Test func `a file that is no font is an error`() {
    #expect(throws: DrawingError.self) { try DrawingLibrary(font: #filePath) }
  }

  @Test func `without a font the error says which package to install`() {
    let search = FontSearch(environment: [:], directories: ["/no/such/folder"])
    let error = #expect(throws: DrawingError.self) { try DrawingLibrary(search: search) }
    #expect(error?.reason == .fontNotFound(searched: ["/no/such/folder"]))
    #expect(error?.description.contains("dejavu") == true)
  }

  @Test func `a canvas may use another font`() throws {
    let font = try DrawingLibrary.standard.font
    let library = try DrawingLibrary(font: font)
    var canvas = try Canvas(plain(60, 30), using: library)
    canvas.drawText("own", at: .init(x: 0, y: 0), size: 16, color: .white)
    #expect(try !canvas.image.inkedPixels(on: 0).isEmpty)
  }

  @Test func `a surface that cairo cannot make is an error`() throws {
    let library = try DrawingLibrary.standard
    #expect(throws: DrawingError.self) {
      _ = try CairoSurface(width: .max, height: .max, library: library)
    }
  }

  @Test func `many canvases draw at the same time, and all alike`() async throws {
    let pictures = try await withThrowingTaskGroup(of: ImageBuffer.self) { group in
      for _ in 0..<64 {
        group.addTask {
          var canvas = try Canvas(enlarging: plain(8, 8))
          canvas.draw(ScorePanelTests.cats)
          return try canvas.image
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(pictures.count == 64)
    #expect(pictures.allSatisfy { $0 == pictures[0] })
  }
}
