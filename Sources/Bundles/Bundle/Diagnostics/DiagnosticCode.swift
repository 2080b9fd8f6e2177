package import TensorIOJSON

/// The stable identifier of a diagnostic about a description or the bundle that it describes.
///
/// The meaning of a published code never changes. `Documentation/ModelJSON.md` explains every code.
package enum DiagnosticCode: String, Sendable, Hashable, CaseIterable {
  // JSON syntax and its tolerated extensions; the errors of the syntax have codes of their own
  // (`JSONError.Code`).
  case tooLarge = "too-large"
  case byteOrderMark = "byte-order-mark"
  case comment
  case trailingComma = "trailing-comma"
  case notFinite = "not-finite"
  case numberOverflow = "number-overflow"

  // JSON structure.
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
  case nonstandardMode = "nonstandard-mode"

  // The layers.
  case emptyLayers = "empty-layers"
  case misspelledPlaceholders = "misspelled-placeholders"
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
  case nonstandardElementType = "nonstandard-dtype"
  case nonstandardPlaceholders = "nonstandard-placeholders"
  case valueCount = "value-count"
  case unknownTransform = "unknown-transform"
  case misplacedCalibration = "misplaced-calibration"

  // Transformations.
  case unknownStandard = "unknown-standard"
  case incompleteTransform = "incomplete-transform"
  case overriddenByStandard = "overridden-by-standard"
  case partialBias = "partial-bias"
  case unknownColor = "unknown-color"
  case zeroScale = "zero-scale"
  case outsideUnitRange = "outside-unit-range"
  case standardRangeWithInt8 = "standard-range-with-int8"
  case ineffectiveQuantization = "ineffective-quantization"

  // State and task.
  case stateMismatch = "state-mismatch"
  case unknownTask = "unknown-task"
  case unknownSetting = "unknown-setting"
  case settingOutOfRange = "setting-out-of-range"
  case missingRole = "missing-role"

  // The steps of a chain.
  case unusedInput = "unused-input"
  case invalidBundle = "invalid-bundle"

  // The examples.
  case negativeTolerance = "negative-tolerance"
  case unknownInput = "unknown-input"
  case unknownOutput = "unknown-output"
  case unknownFunction = "unknown-function"
  case exampleFailed = "example-failed"
  case exampleMismatch = "example-mismatch"
  case trialFailed = "trial-failed"

  // The loaded model.
  case tensorCount = "tensor-count"
  case tensorShape = "tensor-shape"
  case tensorType = "tensor-type"
  case unknownTensor = "unknown-tensor"
  case layerOrder = "layer-order"
  case outputTruncated = "output-truncated"
  case noPlaceholders = "no-placeholders"
  case quantizedFlagMismatch = "quantized-flag-mismatch"
  case missingTensorQuantization = "missing-tensor-quantization"
  case quantizationMismatch = "quantization-mismatch"
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
  case missingCalibrationFile = "missing-calibration-file"

  /// Replaces the diagnostics beyond the maximum number.
  case tooManyDiagnostics = "too-many-diagnostics"
}

extension Diagnostic {
  /// Creates a diagnostic with a code of the library.
  package init(
    _ severity: Severity, _ code: DiagnosticCode, path: String, at position: JSONPosition? = nil,
    expected: String? = nil, found: String? = nil, message: String, suggestion: String? = nil,
    legacyCode: LegacyCode? = nil
  ) {
    self.init(
      severity, code: code.rawValue, path: path, line: position?.line, column: position?.column,
      expected: expected, found: found, message: message, suggestion: suggestion,
      legacyCode: legacyCode?.rawValue)
  }

  /// The numeric codes of the validator of the original TensorIO library.
  package enum LegacyCode: Int, Sendable, Hashable, CaseIterable {
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
  /// Whether the code reports a documented extension that the original library's schema rejects.
  var isNonstandard: Bool {
    switch self {
    case .nonstandardMode, .nonstandardElementType, .nonstandardPlaceholders: true
    default: false
    }
  }
}
