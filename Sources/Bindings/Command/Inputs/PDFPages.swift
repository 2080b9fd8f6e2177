import TensorIO
import TensorIOCore
import TensorIOSystem

/// The pages of a PDF as images, which programs of Poppler draw if they are installed.
struct PDFPages: Sendable {
  private let path: String
  /// The number of pages.
  let count: Int

  private static let infoProgram = "pdfinfo"
  private static let drawingProgram = "pdftoppm"
  #if os(macOS)
    private static let installCommand = "brew install poppler"
  #else
    private static let installCommand = "apt-get install poppler-utils"
  #endif
  /// The longer side of a drawn page in pixels: a page of A4 has 215 dots per inch.
  ///
  /// A resolution would not bound the size of an image, because a page can have any size.
  private static let longerSide = 2500
  private static let maxPages = 10_000
  private static let timeout = Duration.seconds(60)

  /// Reads the number of pages; `nil` if the path is not that of a PDF.
  ///
  /// - Throws: An error if the file is damaged or encrypted, or if the programs are missing.
  init?(_ path: String) throws(OperationError) {
    guard path.lowercased().hasSuffix(".pdf"), FileKind(at: path) == .file else { return nil }
    // A path that begins with a hyphen would be an option.
    self.path = path.hasPrefix("-") ? "./\(path)" : path
    guard
      let info = Subprocess.output(
        of: Self.infoProgram, [self.path], input: [], limit: 1 << 20, timeout: Self.timeout)
    else {
      throw OperationError(
        "pdf-programs-missing",
        "cannot find '\(Self.infoProgram)', which PDF files require; install it with "
          + "`\(Self.installCommand)`", exitCode: .runtimeUnavailable)
    }
    let key = "Pages:"
    let line = String(decoding: info.bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
      .first { $0.hasPrefix(key) }
    guard info.status == 0,
      let count = line.flatMap({ Int(String($0.dropFirst(key.count)).trimmed) })
    else {
      throw .input("invalid-pdf", "\(path): \(info.errorLine ?? "it has no pages")")
    }
    guard count <= Self.maxPages else {
      throw .input("invalid-pdf", "\(path): it has more than \(Self.maxPages) pages")
    }
    self.count = count
  }

  /// Returns a page as a PNG file.
  ///
  /// - Parameter number: The number of the page, from 1.
  /// - Returns: The bytes of the file.
  /// - Throws: A ``ModelError`` if the page cannot be drawn.
  func image(ofPage number: Int) throws(ModelError) -> [UInt8] {
    let page = "\(number)"
    let output = Subprocess.output(
      of: Self.drawingProgram,
      ["-f", page, "-l", page, "-scale-to", "\(Self.longerSide)", "-png", path],
      input: [], limit: ImageLimits.maxFileBytes, timeout: Self.timeout)
    guard let output, output.status == 0, !output.bytes.isEmpty else {
      let reason = output?.errorLine ?? "it is not drawn in time"
      throw ModelError(.input, .failed("page \(number) cannot be drawn: \(reason)"), file: path)
    }
    return output.bytes
  }
}
