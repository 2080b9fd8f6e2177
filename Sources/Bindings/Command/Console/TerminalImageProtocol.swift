import TensorIOImage

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A protocol for displaying images on a terminal.
enum TerminalImageProtocol: String, CaseIterable {
  /// The graphics protocol of kitty, which other terminals support.
  case kitty
  /// The inline images protocol of iTerm2.
  case iterm
  /// Colored block characters with two pixels each.
  case blocks
  /// No images; paths only.
  case none

  /// Selects a protocol from environment variables, without querying the terminal.
  init(_ environment: (String) -> String?) {
    let (term, program) = (environment("TERM") ?? "", environment("TERM_PROGRAM") ?? "")
    if environment("KITTY_WINDOW_ID") != nil || term == "xterm-kitty" || program == "ghostty" {
      self = .kitty
    } else if program == "iTerm.app" || program == "WezTerm" {
      self = .iterm
    } else if Self.hasColors(environment, term), environment("NO_COLOR") == nil {
      self = .blocks
    } else {
      self = .none
    }
  }

  private static func hasColors(_ environment: (String) -> String?, _ term: String) -> Bool {
    ["truecolor", "24bit"].contains(environment("COLORTERM") ?? "") || term.contains("256color")
  }

  /// The maximum width in columns, and the maximum side in pixels.
  private static let (columns, maxSide) = (60, 480)
  /// The maximum payload of a kitty message in bytes.
  private static let chunkLength = 4096

  /// Returns the bytes that display an image file; none if it cannot be displayed.
  func escapeSequence(for file: [UInt8], columns: Int = columns) -> [UInt8] {
    guard self != .none, let image = try? ImageBuffer(decoding: file) else { return [] }
    switch self {
    case .kitty: return Self.base64PNG(image).map(Self.kitty) ?? []
    case .iterm: return Self.base64PNG(image).map(Self.iterm) ?? []
    case .blocks: return Self.blocks(image, columns: columns)
    case .none: return []
    }
  }

  private static func base64PNG(_ image: ImageBuffer) -> String? {
    let thumbnail = scaled(image, toWidth: maxSide, height: maxSide)
    return (try? thumbnail?.encoded(as: .png)).map { Data($0).base64EncodedString() }
  }

  /// Returns the upright image, scaled down to fit a width and height.
  private static func scaled(
    _ image: ImageBuffer, toWidth width: Int, height: Int
  ) -> ImageBuffer? {
    let (fullWidth, fullHeight) = (Double(image.uprightWidth), Double(image.uprightHeight))
    let scale = min(1, Double(width) / fullWidth, Double(height) / fullHeight)
    let preparation = ImagePreparation(
      width: max(1, Int(fullWidth * scale)), height: max(1, Int(fullHeight * scale)), fit: .stretch,
      filter: .area)
    return (try? preparation(image, as: .rgb))?.image
  }

  private static func kitty(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    var control = "a=T,f=100,"
    while !rest.isEmpty {
      let chunk = rest.prefix(chunkLength)
      rest = rest.dropFirst(chunkLength)
      bytes += Array("\u{1B}_G\(control)m=\(rest.isEmpty ? 0 : 1);".utf8) + chunk
      bytes += Array("\u{1B}\\".utf8)
      control = ""
    }
    return bytes + Array("\n".utf8)
  }

  private static func iterm(_ text: String) -> [UInt8] {
    Array("\u{1B}]1337;File=inline=1;preserveAspectRatio=1:\(text)\u{07}\n".utf8)
  }

  private static func blocks(_ image: ImageBuffer, columns: Int) -> [UInt8] {
    guard let thumbnail = scaled(image, toWidth: columns, height: columns) else { return [] }
    let (pixels, rowLength) = (thumbnail.pixels, thumbnail.width * 3)
    var text = ""
    for y in stride(from: 0, to: thumbnail.height, by: 2) {
      for x in 0..<thumbnail.width {
        let upper = y * rowLength + x * 3
        let lower = y + 1 < thumbnail.height ? upper + rowLength : upper
        text += "\u{1B}[38;5;\(colorIndex(pixels, upper));48;5;\(colorIndex(pixels, lower))m▀"
      }
      text += "\u{1B}[0m\n"
    }
    return Array(text.utf8)
  }

  /// Returns the index of the nearest color of the 216-color cube.
  private static func colorIndex(_ pixels: [UInt8], _ offset: Int) -> Int {
    let steps = (0..<3).map { (Int(pixels[offset + $0]) * 5 + 127) / 255 }
    return 16 + steps[0] * 36 + steps[1] * 6 + steps[2]
  }
}
