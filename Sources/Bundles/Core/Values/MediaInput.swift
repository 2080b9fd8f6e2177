public import TensorIOAudio
public import TensorIOImage

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A type whose values are images for an input: decoded pixels, or the bytes of an image file.
///
/// ``ImageBuffer`` and `Data` conform. An image file is decoded no larger than the model needs it.
public protocol ImageInput: LayerValueConvertible, Sendable {}

/// A type whose values are sound for an input: decoded samples, or the bytes of a sound file.
///
/// ``AudioBuffer`` and `Data` conform.
public protocol SoundInput: LayerValueConvertible, Sendable {}

extension ImageBuffer: ImageInput {}

extension AudioBuffer: SoundInput {}

extension Data: ImageInput, SoundInput {}
