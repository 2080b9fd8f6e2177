extension Pipeline {
  /// Several items in the calling thread, together where the model takes them so.
  func run(
    batch items: [ModelInput], _ given: Placeholders, _ stopwatch: inout Stopwatch
  ) throws(ModelError) -> [ModelOutput] {
    defer { stopwatch.stop() }
    guard let (batching, groups) = try groups(of: items) else {
      return try items.mapItems { (item) throws(ModelError) in try run(item, given, &stopwatch) }
    }
    let values = try placeholders.values(given)
    var outputs: [ModelOutput] = []
    for group in groups {
      do throws(ModelError) {
        outputs += try sessions.withSession { (session) throws(ModelError) in
          try batching.run(group, values, in: session, &stopwatch)
        }
      } catch {
        throw error.at(group: group)
      }
    }
    return outputs
  }

  /// Several items on the pool's queue, together where the model takes them so.
  ///
  /// Between groups, other callers have their turn.
  func submit(
    batch items: [ModelInput], _ given: Placeholders
  ) async throws(ModelError) -> [ModelOutput] {
    var outputs: [ModelOutput] = []
    let values = try placeholders.values(given)
    if let (batching, groups) = try groups(of: items) {
      for group in groups {
        do throws(ModelError) {
          outputs += try await sessions.submit { (session) throws(ModelError) in
            var untimed = Stopwatch.off
            return try batching.run(group, values, in: session, &untimed)
          }
        } catch {
          throw error.at(group: group)
        }
      }
    } else {
      for (index, item) in items.enumerated() {
        do throws(ModelError) {
          outputs.append(try await submit(item, given))
        } catch {
          throw error.at(item: index)
        }
      }
    }
    return outputs
  }

  /// The groups in which items go through together; `nil` where they go one by one.
  private func groups(
    of items: [ModelInput]
  ) throws(ModelError) -> (Batching, [ArraySlice<[LayerValue]>])? {
    guard let batching else { return nil }
    let values = try items.mapItems { (item) throws(ModelError) in try encoder.values(in: item) }
    return batching.takes(values) ? (batching, batching.groups(of: values)) : nil
  }
}

extension ModelError {
  /// The error of an item of a group, told of its place among all items.
  fileprivate func at(group: ArraySlice<[LayerValue]>) -> ModelError {
    var error = self
    error.item = item.map { min(group.startIndex + $0, group.endIndex - 1) }
    return error
  }
}
