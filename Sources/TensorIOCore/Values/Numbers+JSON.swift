extension JSONWriter {
  /// A list of numbers, or the number itself when there is one.
  mutating func value(_ numbers: Numbers) {
    let isSingle = numbers.count == 1
    switch numbers.elements {
    case .floats(let values): isSingle ? value(values[0]) : self.numbers(values)
    case .doubles(let values): isSingle ? value(values[0]) : self.numbers(values)
    case .integers(let values): isSingle ? value(values[0]) : self.numbers(values)
    case .booleans(let values):
      if isSingle { return value(values[0]) }
      array { writer in values.forEach { writer.value($0) } }
    }
  }
}
