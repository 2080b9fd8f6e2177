internal import TensorIOCore

/// Makes items of a request's body, as its type says.
struct BodyReader {
  let model: Model
  let options: PredictOptions

  /// What an answer to the wrong type of body names.
  private static let types =
    "image/*, application/octet-stream, multipart/form-data or application/json"

  /// The items of a request.
  func items(_ request: HTTPRequest) throws(PublicFailure) -> RequestItems {
    guard let text = request.headers["Content-Type"], let type = MediaType(text) else {
      throw unknownType
    }
    switch type.name {
    case "application/json": return try JSONBody(model).items(request.body)
    case "multipart/form-data": return try FormBody(model).items(request.body, type)
    case "application/octet-stream": return RequestItems(.success(try whole(request.body)))
    case _ where type.isPicture:
      return RequestItems(.success(try whole(request.body, isPicture: true)))
    default: throw unknownType
    }
  }

  private var unknownType: PublicFailure {
    PublicFailure(.unsupportedType, "unsupported-type", "the body is \(Self.types)")
  }

  /// The body as the bytes of one input.
  private func whole(
    _ body: [UInt8], isPicture: Bool = false
  ) throws(PublicFailure) -> ModelInput {
    let layer = try layer(isPicture: isPicture)
    return model.askedInputs.count == 1
      ? .value(.bytes(body)) : .named([layer.name: .bytes(body)])
  }

  /// The input that is asked for by name, or else the only one that takes such a body.
  private func layer(isPicture: Bool) throws(PublicFailure) -> Layer {
    let takers = model.askedInputs.filter { $0.isPicture || !isPicture }
    if let name = options.input {
      if let layer = takers.first(where: { $0.name == name }) { return layer }
      throw PublicFailure(
        .badRequest, "unknown-input", "the model has no such input for a body of this type")
    }
    let pictures = takers.filter(\.isPicture)
    guard let layer = pictures.first ?? takers.first else {
      throw PublicFailure(.unsupportedType, "unsupported-type", "the model takes no pictures")
    }
    guard pictures.count == 1 || takers.count == 1 else {
      let names = takers.map { "'\($0.name)'" }.joined(separator: ", ")
      throw PublicFailure(
        .badRequest, "ambiguous-input", "?input= says which input the body is for: \(names)")
    }
    return layer
  }
}

extension Model {
  /// What an object or a form may name besides the inputs that are asked for.
  var optionalInputs: [Layer] {
    placeholders + inputs.filter { !askedInputs.contains($0) }
  }
}
