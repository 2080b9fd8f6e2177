extension Array {
  /// What becomes of each element; an error tells which item of the batch it was.
  func mapItems<Value>(
    _ transform: (Element) throws(ModelError) -> Value
  ) throws(ModelError) -> [Value] {
    var values: [Value] = []
    values.reserveCapacity(count)
    for (index, element) in enumerated() {
      do throws(ModelError) {
        values.append(try transform(element))
      } catch {
        throw error.at(item: index)
      }
    }
    return values
  }
}
