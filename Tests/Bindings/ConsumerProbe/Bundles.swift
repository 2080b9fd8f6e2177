/// The project's example bundles, found without test support.
enum Bundles {
  static let digits = path("digits")
  static let diabetes = path("diabetes")
  static let negative = path("negative")
  static let pair = path("two-in-two-out-quantized")

  static let faces = path("faces", "tiochain")

  private static func path(_ name: String, _ pathExtension: String = "tiobundle") -> String {
    let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
    return "/\(root)/Examples/Bundles/\(name).\(pathExtension)"
  }
}
