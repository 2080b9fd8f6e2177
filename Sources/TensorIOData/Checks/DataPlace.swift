internal import TensorIOCore

/// Where in the data something stands, worked out in lines and columns when somebody asks.
enum DataPlace: Sendable {
  case text(String, line: Int? = nil, column: Int? = nil)
  /// A value of a document, which is a line of a file where one is given.
  case value(JSONNode, line: Int? = nil)

  /// A fault at the place.
  func problem(_ fault: DataFault) -> Problem {
    switch self {
    case .text(let path, let line, let column):
      return fault.at(path: path, line: line, column: column)
    case .value(let node, let line):
      let position = node.position
      return fault.at(
        path: node.pointer, line: line ?? position.line, column: position.column)
    }
  }
}

/// A fault, and where it is.
struct PlacedFault: Error {
  let fault: DataFault
  let place: DataPlace

  init(_ fault: DataFault, at place: DataPlace) {
    (self.fault, self.place) = (fault, place)
  }
}

extension DataLog {
  /// Notes a fault; where there is no room for it, its place is not worked out.
  mutating func add(_ fault: DataFault, at place: DataPlace) {
    guard !isFull(of: fault.severity) else { return }
    add(place.problem(fault))
  }

  /// What is wrong with an item.
  ///
  /// To say where something stands takes as long as reading up to there, so that it is not done for
  /// more faults than are listed.
  func problem(_ fault: DataFault, at place: DataPlace, of name: String) -> Problem {
    isFull(of: fault.severity) ? fault.at(path: name) : place.problem(fault)
  }

  mutating func add(_ fault: PlacedFault) { add(fault.fault, at: fault.place) }
}
