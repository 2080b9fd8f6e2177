// The original library's names, each unavailable and telling its new one, so that the compiler
// leads the way through old code. `Documentation/MigratingFromTIO.md` has them all, members too.
public import TensorIOBundle
public import TensorIOCore
public import TensorIOImage
public import TensorIOTraining

/// The original's name of ``ModelBundle``.
@available(*, unavailable, renamed: "ModelBundle")
public typealias TIOModelBundle = ModelBundle

/// The original's name of ``ModelLibrary``.
@available(*, unavailable, renamed: "ModelLibrary")
public typealias TIOModelBundleManager = ModelLibrary

/// The original's name of ``BundleValidator``.
@available(*, unavailable, renamed: "BundleValidator")
public typealias TIOModelBundleValidator = BundleValidator

/// The original's name of ``ModelIdentifier``.
@available(*, unavailable, renamed: "ModelIdentifier")
public typealias TIOModelIdentifier = ModelIdentifier

/// The original's name of ``BundleOptions``.
@available(*, unavailable, renamed: "BundleOptions")
public typealias TIOModelOptions = BundleOptions

/// The original's name of ``ModelMode``.
@available(*, unavailable, renamed: "ModelMode")
public typealias TIOModelModes = ModelMode

/// The original's name of ``BackendIdentifier``.
@available(*, unavailable, renamed: "BackendIdentifier")
public typealias TIOModelBackend = BackendIdentifier

/// The original's name of ``Model``.
@available(*, unavailable, renamed: "Model")
public typealias TIOModel = Model

/// The original's name of ``Model``.
@available(*, unavailable, renamed: "Model")
public typealias TIOTFLiteModel = Model

/// The original's name of ``Model``.
@available(*, unavailable, renamed: "Model")
public typealias TIOTensorFlowModel = Model

/// The original's name of ``Model``.
@available(*, unavailable, renamed: "Model")
public typealias TIOPlaceholderModel = Model

/// The original's name of ``ModelDescription``.
@available(*, unavailable, renamed: "ModelDescription")
public typealias TIOModelIO = ModelDescription

/// The original's name of ``Layer``.
@available(*, unavailable, renamed: "Layer")
public typealias TIOLayerInterface = Layer

/// The original's name of ``ImageLayer``.
@available(*, unavailable, renamed: "ImageLayer")
public typealias TIOPixelBufferLayerDescription = ImageLayer

/// The original's name of ``NumericLayer``.
@available(*, unavailable, renamed: "NumericLayer")
public typealias TIOVectorLayerDescription = NumericLayer

/// The original's name of ``NumericLayer``.
@available(*, unavailable, renamed: "NumericLayer")
public typealias TIOScalarLayerDescription = NumericLayer

/// The original's name of ``StringLayer``.
@available(*, unavailable, renamed: "StringLayer")
public typealias TIOStringLayerDescription = StringLayer

/// The original's name of ``ElementType``.
@available(*, unavailable, renamed: "ElementType")
public typealias TIODataType = ElementType

/// The original's name of ``PixelFormat``.
@available(*, unavailable, renamed: "PixelFormat")
public typealias TIOPixelFormat = PixelFormat

/// The original's name of ``LayerValue``.
@available(*, unavailable, renamed: "LayerValue")
public typealias TIOData = LayerValue

/// The original's name of ``Numbers``.
@available(*, unavailable, renamed: "Numbers")
public typealias TIOVector = Numbers

/// The original's name of ``Batch``.
@available(*, unavailable, renamed: "Batch")
public typealias TIOBatch = Batch

/// The original's name of ``BatchSource``.
@available(*, unavailable, renamed: "BatchSource")
public typealias TIOBatchDataSource = BatchSource

/// The original's name of ``Batch``.
@available(*, unavailable, renamed: "Batch")
public typealias TIOInMemoryBatchDataSource = Batch

/// The original's name of ``TrainableModel``.
@available(*, unavailable, renamed: "TrainableModel")
public typealias TIOTrainableModel = TrainableModel

/// The original's name of ``Trainer``.
@available(*, unavailable, renamed: "Trainer")
public typealias TIOModelTrainer = Trainer

/// The original's name of ``ModelInput``.
@available(*, unavailable, renamed: "ModelInput")
public typealias TIOBatchItem = ModelInput

/// The original's name of ``ImageBuffer``.
@available(*, unavailable, renamed: "ImageBuffer")
public typealias TIOPixelBuffer = ImageBuffer

/// The original's name of ``ImagePreparation``.
@available(*, unavailable, renamed: "ImagePreparation")
public typealias TIOVisionPipeline = ImagePreparation

/// The original's name of ``MemorySampler``.
@available(*, unavailable, renamed: "MemorySampler")
public typealias TIOMemorySampler = MemorySampler
