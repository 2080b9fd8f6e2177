public import TensorIOJSON

/// The short names of all that can be wrong, or doubtful, about a document and the bundle that it
/// describes.
///
/// Scripts compare them, so a name is never given another meaning. `Documentation/ModelJSON.md`
/// says of each what it means and what to do.
public enum DiagnosticCode: String, Sendable, Hashable, CaseIterable {
  // The text is no JSON.
  case emptyDocument = "empty-document"
  case tooLarge = "too-large"
  case tooDeep = "too-deep"
  case byteOrderMark = "byte-order-mark"
  case unexpectedCharacter = "unexpected-character"
  case unexpectedEnd = "unexpected-end"
  case unknownLiteral = "unknown-word"
  case comment
  case trailingComma = "trailing-comma"
  case trailingContent = "trailing-content"
  case duplicateKey = "duplicate-key"
  case unterminatedString = "unterminated-string"
  case invalidEscape = "invalid-escape"
  case loneSurrogate = "lone-surrogate"
  case nulCharacter = "nul-character"
  case controlCharacter = "control-character"
  case invalidUTF8 = "invalid-utf8"
  case invalidNumber = "invalid-number"
  case notFinite = "not-finite"
  case numberOverflow = "number-overflow"

  // The JSON has the wrong form.
  case wrongType = "wrong-type"
  case notAnInteger = "not-an-integer"
  case raggedArray = "ragged-array"
  case emptyString = "empty-string"
  case missingKey = "missing-key"
  case unknownKey = "unknown-key"
  case misplacedKey = "misplaced-key"
  case conflictingKeys = "conflicting-keys"

  // The model.
  case unknownBackend = "unknown-backend"
  case backendCase = "backend-case"
  case missingBackend = "missing-backend"
  case legacyClass = "legacy-class"
  case unknownMode = "unknown-mode"
  case duplicateMode = "duplicate-mode"
  case emptyModes = "empty-modes"
  case missingModes = "missing-modes"
  case trainOnTFLite = "train-on-tflite"
  case trainWithoutOperations = "train-without-operations"
  case emptyOperations = "empty-operations"
  case unsafePath = "unsafe-path"
  case malformedIdentifier = "malformed-identifier"
  case unknownDevicePosition = "unknown-device-position"
  case nonstandardMode = "extended-mode"

  // The layers.
  case emptyLayers = "empty-layers"
  case misspelledPlaceholders = "misspelt-placeholders"
  case duplicateName = "duplicate-name"
  case unknownLayerType = "unknown-layer-type"
  case unknownElementType = "unknown-dtype"
  case emptyShape = "empty-shape"
  case zeroAxis = "zero-axis"
  case negativeAxis = "negative-axis"
  case misplacedBatch = "misplaced-batch"
  case tooManyAxes = "too-many-axes"
  case tooManyElements = "too-many-elements"
  case scalarShape = "scalar-shape"
  case imageShape = "image-shape"
  case channelCount = "channel-count"
  case unknownFormat = "unknown-format"
  case unknownFit = "unknown-fit"
  case unknownFilter = "unknown-filter"
  case invalidColor = "invalid-color"
  case unknownLayout = "unknown-layout"
  case unknownRole = "unknown-role"
  case nonstandardElementType = "extended-dtype"
  case nonstandardPlaceholders = "extended-placeholders"
  case valueCount = "value-count"

  // How values are transformed.
  case unknownStandard = "unknown-standard"
  case incompleteTransform = "incomplete-transform"
  case overriddenByStandard = "overridden-by-standard"
  case partialBias = "partial-bias"
  case unknownColor = "unknown-color"
  case zeroScale = "zero-scale"
  case outsideUnitRange = "outside-unit-range"
  case standardRangeWithInt8 = "standard-over-int8"
  case ineffectiveQuantization = "ineffective-quantization"

  // The state and the task.
  case stateMismatch = "state-differs"
  case unknownTask = "unknown-task"
  case unknownSetting = "unknown-setting"
  case settingOutOfRange = "setting-out-of-range"
  case missingRole = "missing-role"

  // The steps of a chain.
  case unusedInput = "unused-input"
  case invalidBundle = "broken-bundle"

  // The examples.
  case negativeTolerance = "negative-tolerance"
  case unknownInput = "unknown-input"
  case unknownOutput = "unknown-output"
  case exampleFailed = "example-failed"
  case exampleMismatch = "example-mismatch"

  // The model that was opened.
  case tensorCount = "tensor-count"
  case tensorShape = "tensor-shape"
  case tensorType = "tensor-type"
  case unknownTensor = "unknown-tensor"
  case layerOrder = "layer-order"
  case outputTruncated = "labels-beyond"
  case noPlaceholders = "no-placeholders"
  case quantizedFlagMismatch = "quantized-flag"
  case missingTensorQuantization = "no-model-quantization"
  case quantizationMismatch = "quantization-differs"
  case labelCount = "label-count"

  // The folder.
  case missingBundle = "missing-bundle"
  case notAFolder = "not-a-folder"
  case wrongExtension = "wrong-extension"
  case deprecatedExtension = "deprecated-extension"
  case missingDescription = "missing-description"
  case unreadableFile = "unreadable-file"
  case missingModelFile = "missing-model-file"
  case missingLabelsFile = "missing-labels-file"

  /// Said in place of the problems that are too many to list.
  case tooManyDiagnostics = "too-many-problems"
}

extension Diagnostic {
  /// A problem of a known kind.
  public init(
    _ severity: Severity, _ code: DiagnosticCode, path: String, at position: JSONPosition? = nil,
    expected: String? = nil, found: String? = nil, message: String, suggestion: String? = nil,
    legacyCode: LegacyCode? = nil
  ) {
    self.init(
      severity, code: code.rawValue, path: path, line: position?.line, column: position?.column,
      expected: expected, found: found, message: message, suggestion: suggestion,
      legacyCode: legacyCode?.rawValue)
  }

  /// The numbers under which the original library's validator reported problems.
  public enum LegacyCode: Int, Sendable, Hashable, CaseIterable {
    case invalidJSON = 1000
    case missingBundle = 1001
    case wrongExtension = 1002
    case missingDescription = 1003
    case missingModelFile = 1004
    case missingLabelsFile = 1005
    case unknownBackend = 1006
    case invalidDescription = 1007
  }
}

extension DiagnosticCode {
  /// Whether it stands for something that the original's schema refuses and this library documents.
  var isNonstandard: Bool {
    switch self {
    case .nonstandardMode, .nonstandardElementType, .nonstandardPlaceholders: true
    default: false
    }
  }
}

extension DiagnosticCode {
  /// The diagnostic code of a JSON error, which has the same raw value.
  package init(_ code: JSONError.Code) { self = DiagnosticCode(rawValue: code.rawValue) ?? .wrongType }
}
