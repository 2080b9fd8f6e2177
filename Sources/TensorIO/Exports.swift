// `import TensorIO` is enough for values, images and models.
@_exported public import TensorIOBundle
@_exported public import TensorIOCore
@_exported public import TensorIOImage
@_exported public import TensorIOTasks
@_exported public import TensorIOTraining
