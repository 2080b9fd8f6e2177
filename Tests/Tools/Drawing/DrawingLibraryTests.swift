import TensorIOBundle
import TensorIOImage
import TensorIOTestSupport
import Testing

@testable import TensorIODrawing

@Suite(.ownThreads) struct DrawingLibraryTests {
  @Test func `The system's libraries and font are found`() throws {
    let library = try DrawingLibrary.standard
    #expect(library.version.hasPrefix("1."))
    #expect(!library.font.isEmpty)
  }

  @Test func `The error for a missing cairo names the package to install`() {
    let error = #expect(throws: ModelError.self) {
      try DrawingLibrary(cairo: "libno-such-cairo.so.9")
    }
    #expect(error?.code == "drawing-failed" && error?.recoverySuggestion?.contains("cairo") == true)
    let description = error?.description ?? ""
    #expect(description.contains("libno-such-cairo.so.9") && description.contains("install"))
    #expect(description.contains("cairo") && !description.contains("\n"))
  }

  @Test func `The error for a missing FreeType names the package to install`() {
    let error = #expect(throws: ModelError.self) {
      try DrawingLibrary(freetype: "libno-such-freetype.so.9")
    }
    #expect(error?.description.contains("install") == true)
    #expect(error?.description.contains("freetype") == true)
  }

  #if os(Linux)
    @Test func `The error for a wrong library names the missing function`() {
      let error = #expect(throws: ModelError.self) { try DrawingLibrary(cairo: "libc.so.6") }
      #expect(error?.description.contains("cairo_version_string") == true)
      #expect(error?.description.contains("libcairo2") == true)
    }
  #endif

  @Test func `A specified font that does not exist is an error`() {
    let search = FontSearch(environment: [FontSearch.environmentVariable: "/no/such/font.ttf"])
    let error = #expect(throws: ModelError.self) { try DrawingLibrary(search: search) }
    #expect(error?.text("path") == "/no/such/font.ttf")
    #expect(error?.description.contains(FontSearch.environmentVariable) == true)
  }

  @Test func `A file that is not a font is an error`() {
    #expect(throws: ModelError.self) { try DrawingLibrary(font: #filePath) }
  }

  @Test func `The error for a missing font names the package to install`() {
    let search = FontSearch(environment: [:], directories: ["/no/such/folder"])
    let error = #expect(throws: ModelError.self) { try DrawingLibrary(search: search) }
    #expect(error?.description.contains("/no/such/folder") == true)
    #expect(error?.description.contains("dejavu") == true)
  }

  @Test func `A canvas can use another font`() throws {
    let font = try DrawingLibrary.standard.font
    let library = try DrawingLibrary(font: font)
    var canvas = try Canvas(plain(60, 30), using: library)
    canvas.drawText("own", at: .init(x: 0, y: 0), size: 16, color: .white)
    #expect(try !canvas.image.inkedPixels(on: 0).isEmpty)
  }

  @Test func `A surface that cairo cannot create is an error`() throws {
    let library = try DrawingLibrary.standard
    #expect(throws: ModelError.self) {
      _ = try CairoSurface(width: .max, height: .max, library: library)
    }
  }

  @Test func `Canvases can be drawn concurrently with identical results`() async throws {
    let images = try await withThrowingTaskGroup(of: ImageBuffer.self) { group in
      for _ in 0..<64 {
        group.addTask {
          var canvas = try Canvas(enlarging: plain(8, 8))
          canvas.draw(ScorePanelTests.cats)
          return try canvas.image
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(images.count == 64)
    #expect(images.allSatisfy { $0 == images[0] })
  }
}
