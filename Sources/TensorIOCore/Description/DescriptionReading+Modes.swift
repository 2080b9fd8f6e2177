/// The rules for `train` and `eval`: what modes have of their own.
extension DescriptionReading {
  mutating func readModes(in root: Fields, into description: inout ModelDescription) {
    if let train = root["train"].flatMap({ fields(of: $0, .train) }) {
      description.trainingOperations = operations(in: train)
      description.interfaces[.train] = interface(in: train)
    }
    if let evaluate = root["eval"].flatMap({ fields(of: $0, .evaluate) }) {
      description.interfaces[.evaluate] = interface(in: evaluate)
    }
  }

  private mutating func operations(in train: Fields) -> [String] {
    guard let list = required("ops", in: train, "an array of names"),
      let elements = array(list, of: "names")
    else { return [] }
    if list.count == 0 {
      log.error(
        .emptyOperations, at: list, expected: "the name of at least one operator",
        "Training runs no operator.")
    }
    return elements.compactMap { log.isFull ? nil : word($0) }
  }

  /// What a mode says of itself; `nil` when all is as for the whole model.
  private mutating func interface(in mode: Fields) -> ModeInterface? {
    var interface = ModeInterface()
    interface.modelFile = mode["file"].flatMap { fileName($0) }
    interface.inputs = mode["inputs"].map { layers($0, "inputs", as: .input) }
    interface.outputs = mode["outputs"].map { layers($0, "outputs", as: .output) }
    interface.placeholders = mode["placeholders"].map { layers($0, as: .placeholder) }
    return interface == ModeInterface() ? nil : interface
  }
}
