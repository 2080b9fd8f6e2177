/// The list of operators that TensorFlow gives of itself.
enum OperatorList {
  /// The names of the operators.
  static func names(_ list: WireMessage) throws(WireFault) -> Set<String> {
    var names: Set<String> = []
    try list.forEachField { (field, value) throws(WireFault) in
      guard field == 1 else { return }
      try value.message().forEachField { (field, value) throws(WireFault) in
        if field == 1 { names.insert(try value.text()) }
      }
    }
    return names
  }
}
