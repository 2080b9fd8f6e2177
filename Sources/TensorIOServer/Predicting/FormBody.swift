internal import TensorIOCore

/// Reads items from the parts of a form.
///
/// Of a model with one input, every part is an item; of one with several, the parts together are
/// one, each named as the input that it is for.
struct FormBody {
  private let model: Model
  private let json: JSONBody

  init(_ model: Model) {
    self.model = model
    json = JSONBody(model)
  }

  /// The items of a body.
  func items(_ body: [UInt8], _ type: MediaType) throws(PublicFailure) -> RequestItems {
    let parts = try Self.parts(body, type)
    guard !parts.isEmpty else {
      throw PublicFailure(.badRequest, "invalid-form", "the form has no parts")
    }
    guard let layer = model.askedInputs.first, model.askedInputs.count == 1 else {
      return RequestItems(try named(parts))
    }
    var items: [RequestItem] = []
    for part in parts {
      let value = try value(of: part, for: layer)
      items.append(
        RequestItem(name: part.fileName ?? part.name, input: value.map(ModelInput.value)))
    }
    return try RequestItems(items, isList: items.count > 1)
  }

  private static func parts(
    _ body: [UInt8], _ type: MediaType
  ) throws(PublicFailure) -> [FormPart] {
    do {
      return try MultipartForm(body, type).parts
    } catch {
      throw PublicFailure(.badRequest, "invalid-form", error.message)
    }
  }

  private func named(
    _ parts: [FormPart]
  ) throws(PublicFailure) -> Result<ModelInput, ModelError> {
    var values: [String: LayerValue] = [:]
    for part in parts {
      let layer = (model.askedInputs + model.optionalInputs).first { $0.name == part.name }
      switch try value(of: part, for: layer) {
      case .failure(let error): return .failure(error)
      case .success(let value):
        guard values.updateValue(value, forKey: part.name) == nil else {
          throw PublicFailure(.badRequest, "invalid-form", "two parts have one name")
        }
      }
    }
    return .success(.named(values))
  }

  /// What a part holds: JSON where numbers are typed or it says so, else bytes.
  private func value(
    of part: FormPart, for layer: Layer?
  ) throws(PublicFailure) -> Result<LayerValue, ModelError> {
    let isTyped = layer?.isNumeric == true && part.fileName == nil
    guard let layer, isTyped || part.type?.name == "application/json" else {
      return .success(.bytes(part.content))
    }
    return try json.value(part.content, for: layer)
  }
}
