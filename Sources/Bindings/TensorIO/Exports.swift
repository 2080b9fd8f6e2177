// Makes values, images and models available with `import TensorIO` alone.
@_exported public import TensorIOAudio
@_exported public import TensorIOBundle
@_exported public import TensorIOCore
@_exported public import TensorIOImage
@_exported public import TensorIOJSON
@_exported public import TensorIOTasks

#if Everything
  @_exported public import TensorIOGeneration
  @_exported public import TensorIOTraining
#endif
