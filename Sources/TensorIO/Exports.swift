// An application imports TensorIO alone and has values, pictures and models.
@_exported public import TensorIOCore
@_exported public import TensorIOImage
@_exported public import TensorIOTasks
