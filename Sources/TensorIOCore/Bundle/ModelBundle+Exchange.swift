internal import TensorIOSystem

extension ModelBundle {
  /// How often a bundle is opened anew that is exchanged again and again.
  private static let attempts = 100

  /// Makes something of the bundle at a path, all of whose files are one bundle's.
  ///
  /// A bundle may be exchanged for another one between the reading of two of its files. What was made
  /// of both, or could not be, is made anew of the one that has come.
  package static func making<Made>(
    at path: String, _ make: () throws(ModelError) -> Made
  ) throws(ModelError) -> Made {
    for _ in 1..<attempts {
      let before = FileIdentity(path)
      do throws(ModelError) {
        let made = try make()
        if FileIdentity(path) == before { return made }
      } catch {
        if FileIdentity(path) == before { throw error }
      }
    }
    return try make()
  }

  /// Makes something of this very bundle, or nothing where another one has taken its place.
  func made<Made>(_ make: () throws(ModelError) -> Made) throws(ModelError) -> Made {
    try Self.making(at: folder.root) { () throws(ModelError) in
      try refuseExchanged()
      let made = Result { () throws(ModelError) in try make() }
      try refuseExchanged()
      return try made.get()
    }
  }
}
