internal import TensorIOCore

/// Takes the places of this machine out of what is told.
struct Veil: Sendable {
  private var names: [(place: String, name: String)] = []

  /// Says what a place is called instead; what lies in it keeps its own name alone.
  func hiding(_ place: String, as name: String) -> Veil {
    guard !place.isEmpty, place != "/" else { return self }
    var veil = self
    veil.names += [(place + "/", ""), (place, name)]
    return veil
  }

  /// The text without the places.
  func text(_ text: String) -> String {
    names.reduce(text) { $0.replacing($1.place, with: $1.name) }
  }
}
