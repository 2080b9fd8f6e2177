#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Where the font of labels is looked for.
struct FontSearch {
  /// The font: it knows most alphabets, and is on most systems.
  static let fileName = "DejaVuSans.ttf"
  /// The variable that names another font.
  static let variable = "TENSORIO_FONT"

  /// The values of variables.
  let environment: [String: String]
  /// Where fonts usually are, best first.
  let folders: [String]

  init(
    environment: [String: String] = ProcessInfo.processInfo.environment, folders: [String]? = nil
  ) {
    self.environment = environment
    self.folders = folders ?? Self.usualFolders(home: environment["HOME"])
  }

  /// The path of the font.
  ///
  /// One that the user names is taken as it is, never passed over.
  func path() throws(DrawingError) -> String {
    if let named = environment[Self.variable], !named.isEmpty { return named }
    let candidates = folders.map { "\($0)/\(Self.fileName)" }
    guard let found = candidates.first(where: FileManager.default.isReadableFile(atPath:)) else {
      throw DrawingError(.fontMissing(lookedIn: folders))
    }
    return found
  }

  private static func usualFolders(home: String?) -> [String] {
    let own = home.map { home in
      ["\(home)/.local/share/fonts", "\(home)/.fonts", "\(home)/Library/Fonts"]
    }
    return [
      "/usr/share/fonts/truetype/dejavu",  // Debian, Ubuntu
      "/usr/share/fonts/dejavu-sans-fonts",  // Fedora
      "/usr/share/fonts/TTF",  // Arch
      "/usr/share/fonts/dejavu",  // Alpine
      "/usr/local/share/fonts",
      "/Library/Fonts",
      "/opt/homebrew/share/fonts",
    ] + (own ?? [])
  }
}
