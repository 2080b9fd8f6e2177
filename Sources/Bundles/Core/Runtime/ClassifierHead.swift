package import TensorIOBundle

/// The last layers of a taught classifier, which make scores of classes from the embedding of a model.
///
/// The embedding is scaled to unit length. A dense layer computes a score for each class, and softmax makes
/// probabilities of the scores.
package struct ClassifierHead: Sendable, Hashable {
  /// The name of the output with the probabilities.
  package static let outputName = "probabilities"
  /// The beginning of the names of tensors and operators that belong to a head.
  package static let namePrefix = "tensorio/head/"

  /// The number of elements of an embedding.
  package let dimensions: Int
  /// The weights of the dense layer: a row of ``dimensions`` numbers for each class.
  package let weights: [Float]
  /// The bias of each class.
  package let bias: [Float]
  /// The rule for inputs that belong to no class; `nil` if each input belongs to one.
  package let unknown: Unknown?

  /// Creates a head.
  package init(dimensions: Int, weights: [Float], bias: [Float], unknown: Unknown? = nil) {
    (self.dimensions, self.weights, self.bias) = (dimensions, weights, bias)
    self.unknown = unknown
  }

  /// The number of scores: one for each class, and one for inputs that belong to no class.
  package var scoreCount: Int { bias.count + (unknown == nil ? 0 : 1) }

  /// A class for inputs that are unlike all examples, after the classes of the examples.
  ///
  /// Its score before softmax is the highest one of the classes plus ``sharpness`` times the difference of the cosine
  /// distance to the nearest example and ``maxDistance``. So it is the best class exactly for inputs beyond that
  /// distance, and the order of the others is kept.
  ///
  /// The score exceeds the highest one of the classes by ``maxLead`` at most. Otherwise softmax would round the scores of
  /// all classes to 0 for an input far from all examples, and their order would be lost.
  package struct Unknown: Sendable, Hashable {
    /// The embeddings of the examples at unit length, one after the other.
    package let examples: [Float]
    /// The cosine distance to the nearest example beyond which an input belongs to no class.
    package let maxDistance: Float

    /// Creates a rule.
    package init(examples: [Float], maxDistance: Float) {
      (self.examples, self.maxDistance) = (examples, maxDistance)
    }

    /// How steeply the score rises: at a distance 10 % beyond the maximum, it is nine times as probable as the best class.
    private var sharpness: Float {
      let smallest: Float = 1e-4
      return 21.97 / Swift.max(maxDistance, smallest)  // 10 · ln 9
    }

    /// By how much the score exceeds the highest one of the classes at most: the best class then has the smallest
    /// probability whose difference to 1 is a 32-bit float, 2⁻²³.
    package static let maxLead: Float = 15.942385  // 23 · ln 2

    /// The weights of a dense layer whose highest output is subtracted from the highest score of the classes: a row for
    /// each example, and a row of zeros.
    ///
    /// - Parameter dimensions: The number of elements of an embedding.
    /// - Returns: The rows, one after the other.
    package func weights(dimensions: Int) -> [Float] {
      examples.map { $0 * sharpness } + [Float](repeating: 0, count: dimensions)
    }

    /// The biases of that layer: equal ones for all examples, and ``maxLead`` for the row of zeros, whose output is thus
    /// a lower limit.
    ///
    /// - Parameter dimensions: The number of elements of an embedding.
    /// - Returns: A bias for each row.
    package func bias(dimensions: Int) -> [Float] {
      let count = examples.count / Swift.max(1, dimensions)
      return [Float](repeating: sharpness * (maxDistance - 1), count: count) + [-Self.maxLead]
    }
  }
}

/// How a model with a vector for each token of a text computes the embedding.
package struct HeadPooling: Sendable, Hashable {
  /// How the vectors become one vector.
  package let pooling: TokenPooling
  /// The name of the input with 1 for each token and 0 for padding; `nil` if there is no padding.
  package let mask: String?

  /// Reads the pooling of a bundle's embedding; `nil` if the output is one vector already.
  package init?(_ task: TaskDescription?, inputs: [Layer]) {
    pooling = TokenPooling.setting.value(in: task)
    guard pooling != .none else { return nil }
    mask =
      inputs.first { layer in
        if case .text(let text) = layer.kind { text.part == .mask } else { false }
      }?.name
  }
}

/// Where a model has a head.
package struct HeadLocation: Sendable, Hashable {
  /// The path of the file with the graph, in the bundle.
  package let file: String
  /// The name of the output with the probabilities.
  package let output: String

  /// Creates a location.
  package init(file: String, output: String) { (self.file, self.output) = (file, output) }
}

/// A backend whose model files can be given other last layers.
package protocol HeadWritingBackend: Backend {
  /// Returns where a head is written, for a model without one.
  ///
  /// - Parameter file: The model.
  /// - Returns: The file and the output.
  /// - Throws: `ModelError` if the file cannot be read, or has no room for the output.
  func location(ofHeadIn file: ModelFile) throws(ModelError) -> HeadLocation

  /// Returns a copy of a model file that returns the scores of a head in place of its outputs.
  ///
  /// - Parameters:
  ///   - file: The model.
  ///   - head: The layers to append.
  ///   - pooling: How the embedding is computed of an output with a vector for each token; `nil` for one vector.
  ///   - use: The layers of the model, of which an output has the role `embedding`.
  /// - Returns: The contents of the copy, which has the output of ``location(ofHeadIn:)``.
  /// - Throws: `ModelError` if the file cannot be read or changed.
  func copy(
    of file: ModelFile, adding head: ClassifierHead, pooling: HeadPooling?, for use: ModelBinding
  ) throws(ModelError) -> [UInt8]

  /// Returns a copy of a model file without the head that was added to it.
  ///
  /// - Parameters:
  ///   - file: The model with a head.
  ///   - outputs: The outputs that the model had before.
  /// - Returns: The contents of the copy; `nil` if the file has no head.
  /// - Throws: `ModelError` if the file cannot be read.
  func copyWithoutHead(of file: ModelFile, outputs: [String]) throws(ModelError) -> [UInt8]?

  /// Returns a copy of a model file that returns an embedding of floating-point numbers.
  ///
  /// - Parameters:
  ///   - file: The model.
  ///   - source: What the embedding is.
  ///   - use: The layers of the model.
  /// - Returns: The contents of the copy, whose only output is the embedding; `nil` if the last layer with weights is not
  ///   a dense one, if the output has no quantized numbers, or if there is no such layer.
  /// - Throws: `ModelError` if the file cannot be read.
  func copyReturningEmbedding(
    of file: ModelFile, _ source: EmbeddingSource, for use: ModelBinding
  ) throws(ModelError) -> EmbeddingModelCopy?

  /// Returns the layers of a model that could be embeddings, the most suitable ones first.
  ///
  /// - Parameter file: The model.
  /// - Returns: The layers; none if the runtime cannot return a layer that is no output.
  /// - Throws: `ModelError` if the file cannot be read.
  func embeddingLayers(of file: ModelFile) throws(ModelError) -> [EmbeddingLayer]
}

extension HeadWritingBackend {
  /// Returns the file of the model and ``ClassifierHead/outputName``.
  package func location(ofHeadIn file: ModelFile) throws(ModelError) -> HeadLocation {
    HeadLocation(file: file.name, output: ClassifierHead.outputName)
  }

  /// Returns no layers.
  package func embeddingLayers(of file: ModelFile) throws(ModelError) -> [EmbeddingLayer] { [] }
}

/// What a copy of a model returns as its embedding.
package enum EmbeddingSource: Sendable, Hashable {
  /// An output, in the order of the model.
  case output(Int)
  /// What the last layer with weights of a classifier takes.
  case lastLayer
  /// A layer of ``HeadWritingBackend/embeddingLayers(of:)``, by name.
  case layer(String)
}

/// A layer of a model that returns one vector for each item, and that is no output.
package struct EmbeddingLayer: Sendable, Hashable {
  /// The name of the tensor.
  package let name: String
  /// The number of elements of the vector.
  package let length: Int

  /// Creates a layer.
  package init(name: String, length: Int) { (self.name, self.length) = (name, length) }

  /// The least number of elements; shorter vectors are rarely embeddings.
  package static let minLength = 16
}

/// A copy of a model file that returns an embedding.
package struct EmbeddingModelCopy: Sendable {
  /// The contents of the file.
  package let bytes: [UInt8]
  /// The name of the tensor with the embedding.
  package let tensor: String
  /// The shape of the embedding, with -1 for the number of items.
  package let shape: [Int]

  /// Creates a copy.
  package init(bytes: [UInt8], tensor: String, shape: [Int]) {
    (self.bytes, self.tensor, self.shape) = (bytes, tensor, shape)
  }
}

extension ModelError {
  /// Returns the error of a runtime whose model files cannot be given other last layers.
  package static func unsupportedHead(in backend: BackendIdentifier) -> ModelError {
    ModelError(
      .runtime, .unsupported("other last layers in a model of the backend '\(backend.rawValue)'"))
  }
}
