// The type names of TensorIO for iOS, as unavailable aliases through which the compiler suggests
// the new names. `Documentation/MigratingFromTIO.md` lists all names, including members.
public import TensorIOBundle
public import TensorIOCore
public import TensorIOImage

#if Everything
  public import TensorIOTraining
#endif

/// The name of ``ModelBundle`` in TensorIO for iOS.
@available(*, unavailable, renamed: "ModelBundle")
public typealias TIOModelBundle = ModelBundle

/// The name of ``ModelLibrary`` in TensorIO for iOS.
@available(*, unavailable, renamed: "ModelLibrary")
public typealias TIOModelBundleManager = ModelLibrary

/// The name of ``BundleValidator`` in TensorIO for iOS.
@available(*, unavailable, renamed: "BundleValidator")
public typealias TIOModelBundleValidator = BundleValidator

/// The name of ``ModelIdentifier`` in TensorIO for iOS.
@available(*, unavailable, renamed: "ModelIdentifier")
public typealias TIOModelIdentifier = ModelIdentifier

/// The name of ``BundleOptions`` in TensorIO for iOS.
@available(*, unavailable, renamed: "BundleOptions")
public typealias TIOModelOptions = BundleOptions

/// The name of ``ModelMode`` in TensorIO for iOS.
@available(*, unavailable, renamed: "ModelMode")
public typealias TIOModelModes = ModelMode

/// The name of ``BackendIdentifier`` in TensorIO for iOS.
@available(*, unavailable, renamed: "BackendIdentifier")
public typealias TIOModelBackend = BackendIdentifier

/// The name of ``Model`` in TensorIO for iOS.
@available(*, unavailable, renamed: "Model")
public typealias TIOModel = Model

/// The name of ``Model`` in TensorIO for iOS.
@available(*, unavailable, renamed: "Model")
public typealias TIOTFLiteModel = Model

/// The name of ``Model`` in TensorIO for iOS.
@available(*, unavailable, renamed: "Model")
public typealias TIOTensorFlowModel = Model

/// The name of ``Model`` in TensorIO for iOS.
@available(*, unavailable, renamed: "Model")
public typealias TIOPlaceholderModel = Model

/// The name of ``ModelDescription`` in TensorIO for iOS.
@available(*, unavailable, renamed: "ModelDescription")
public typealias TIOModelIO = ModelDescription

/// The name of ``Layer`` in TensorIO for iOS.
@available(*, unavailable, renamed: "Layer")
public typealias TIOLayerInterface = Layer

/// The name of ``ImageLayer`` in TensorIO for iOS.
@available(*, unavailable, renamed: "ImageLayer")
public typealias TIOPixelBufferLayerDescription = ImageLayer

/// The name of ``NumericLayer`` in TensorIO for iOS.
@available(*, unavailable, renamed: "NumericLayer")
public typealias TIOVectorLayerDescription = NumericLayer

/// The name of ``NumericLayer`` in TensorIO for iOS.
@available(*, unavailable, renamed: "NumericLayer")
public typealias TIOScalarLayerDescription = NumericLayer

/// The name of ``StringLayer`` in TensorIO for iOS.
@available(*, unavailable, renamed: "StringLayer")
public typealias TIOStringLayerDescription = StringLayer

/// The name of ``ElementType`` in TensorIO for iOS.
@available(*, unavailable, renamed: "ElementType")
public typealias TIODataType = ElementType

/// The name of ``PixelFormat`` in TensorIO for iOS.
@available(*, unavailable, renamed: "PixelFormat")
public typealias TIOPixelFormat = PixelFormat

/// The name of ``LayerValue`` in TensorIO for iOS.
@available(*, unavailable, renamed: "LayerValue")
public typealias TIOData = LayerValue

/// The name of ``Numbers`` in TensorIO for iOS.
@available(*, unavailable, renamed: "Numbers")
public typealias TIOVector = Numbers

/// The name of ``Batch`` in TensorIO for iOS.
@available(*, unavailable, renamed: "Batch")
public typealias TIOBatch = Batch

/// The name of ``BatchSource`` in TensorIO for iOS.
@available(*, unavailable, renamed: "BatchSource")
public typealias TIOBatchDataSource = BatchSource

/// The name of ``Batch`` in TensorIO for iOS.
@available(*, unavailable, renamed: "Batch")
public typealias TIOInMemoryBatchDataSource = Batch

#if Everything
  /// The name of ``TrainableModel`` in TensorIO for iOS.
  @available(*, unavailable, renamed: "TrainableModel")
  public typealias TIOTrainableModel = TrainableModel

  /// The name of ``Trainer`` in TensorIO for iOS.
  @available(*, unavailable, renamed: "Trainer")
  public typealias TIOModelTrainer = Trainer
#endif

/// The name of ``ModelInput`` in TensorIO for iOS.
@available(*, unavailable, renamed: "ModelInput")
public typealias TIOBatchItem = ModelInput

/// The name of ``ImageBuffer`` in TensorIO for iOS.
@available(*, unavailable, renamed: "ImageBuffer")
public typealias TIOPixelBuffer = ImageBuffer

/// The name of ``ImagePreparation`` in TensorIO for iOS.
@available(*, unavailable, renamed: "ImagePreparation")
public typealias TIOVisionPipeline = ImagePreparation

/// The name of ``MemorySampler`` in TensorIO for iOS.
@available(*, unavailable, renamed: "MemorySampler")
public typealias TIOMemorySampler = MemorySampler
