public import TensorIOImage

extension Model {
  /// How a model is opened and run.
  public struct Options: Sendable, Hashable {
    /// What the model is opened for; by default predictions, where the bundle is for them.
    public var mode: ModelMode?
    /// How many threads one run may use.
    ///
    /// By default as many as `TENSORIO_THREADS`, else `OMP_NUM_THREADS`, else the machine or its
    /// container allows.
    public var threads: Int
    /// How many runs may go on at the same time, each with memory of its own.
    public var sessions: Int
    /// How long a caller waits for a session before it gives up; `nil` waits as long as it takes.
    public var waitLimit: Duration?
    /// How pictures are fitted, in place of what the bundle says.
    public var fit: ImageFit?
    /// How pictures are resampled, in place of what the bundle says.
    public var filter: ImageFilter?
    /// Which way encoded pictures lie, in place of what their files say.
    public var orientation: ImageOrientation?
    /// How much of large encoded pictures is decoded.
    public var detail: ImageDetail

    /// The given options, and defaults for the others.
    public init(
      threads: Int = ThreadCount.standard, sessions: Int = 1, waitLimit: Duration? = nil,
      fit: ImageFit? = nil, filter: ImageFilter? = nil, orientation: ImageOrientation? = nil,
      detail: ImageDetail = .ample, mode: ModelMode? = nil
    ) {
      self.mode = mode
      self.threads = threads
      self.sessions = sessions
      self.waitLimit = waitLimit
      self.fit = fit
      self.filter = filter
      self.orientation = orientation
      self.detail = detail
    }
  }
}

extension Model.Options {
  /// How encoded pictures are decoded, whatever they are prepared as.
  var decoding: DecodingOptions { DecodingOptions(orientation: orientation, detail: detail) }
}

extension ModelDescription {
  /// What holds of the description when a model is opened.
  package func opened(with options: Model.Options) -> ModelDescription {
    inMode(options.mode ?? firstMode).overridden(by: options)
  }

  /// The description with what the caller wants otherwise.
  func overridden(by options: Model.Options) -> ModelDescription {
    var description = self
    description.inputs = inputs.map { $0.overridden(by: options) }
    return description
  }

  /// Everything in which the description and a model differ in a mode, harmless or not.
  package func problems(
    against signature: ModelSignature, in mode: ModelMode? = nil
  ) -> [Problem] {
    let mode = mode ?? firstMode
    return placed(
      TensorMatch(description: inMode(mode), signature: signature).problems, in: mode)
  }

  /// Problems of the layers of a mode, told where the description lists those layers.
  func placed(_ problems: [Problem], in mode: ModelMode) -> [Problem] {
    guard let own = interfaces[mode] else { return problems }
    let lists = [
      "inputs": own.inputs, "outputs": own.outputs, "placeholders": own.placeholders,
    ].compactMapValues(\.self)
    return problems.map { problem in
      guard let list = problem.path.split(separator: "/").first, lists[String(list)] != nil
      else { return problem }
      var problem = problem
      problem.path = "/\(mode.rawValue)" + problem.path
      return problem
    }
  }
}

extension ModelBundle {
  /// What is doubtful about the bundle, given the model of a mode; throws when the two do not fit.
  func warnings(_ model: any RuntimeModel, in mode: ModelMode) throws(ModelError) -> [Problem] {
    let problems = placed(description.problems(against: model.signature, in: mode))
    let errors = problems.filter { $0.severity == .error }
    guard errors.isEmpty else { throw ModelError(.bundle, .invalidDescription(errors)) }
    return warnings + placed(description.placed(model.warnings, in: mode)) + problems
  }
}

extension Layer {
  fileprivate func overridden(by options: Model.Options) -> Layer {
    guard case .image(var image) = kind else { return self }
    image.fit = options.fit ?? image.fit
    image.filter = options.filter ?? image.filter
    return Layer(name: name, kind: .image(image))
  }
}
