/// The version of the program and of the library that it is built from.
enum Version {
  static let current = "0.1.0"
}
