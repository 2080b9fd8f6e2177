"""Run machine-learning models from bundles.

>>> import tensorio
>>> model = tensorio.Model("digits.tiobundle")  # doctest: +SKIP
>>> print(model("three.png").top(3))  # doctest: +SKIP
"""

from . import _library

_library.check(__path__[0])
_library.warn_of_namesake(__path__[0])

from ._commands import (
    CommandError,
    Report,
    compare,
    drift,
    evaluate,
    explain,
    init,
    pack,
    quantize,
    sign,
    validate,
    verify,
)
from ._drawing import Drawing
from ._errors import (
    BundleError,
    InputError,
    ModelError,
    ModelWarning,
    OutputError,
    RunError,
    RuntimeMissing,
    WrongTask,
)
from ._gallery import Gallery
from ._generation import Conversation, GeneratedPiece, GeneratedText, Generation, GenerationOptions
from ._model import ItemError, Model, Stream
from ._records import (
    Answer,
    Box,
    Detection,
    Entity,
    Keypoint,
    Label,
    Mask,
    Neighbor,
    Pose,
    Recognition,
    Region,
    Segmentation,
    ValueMap,
    Window,
)
from ._live import LiveTranscription, LiveUpdate, LiveUpdates
from ._results import Result
from ._sound import Sound
from ._speech import Sentence, Speech, SpeechOptions
from ._teaching import BackboneRefinement, Calibration, Teacher, TeachingReport
from ._transcription import Segment, Transcript, Transcription, TranscriptionOptions, Word
from ._values import Layer
from ._training import Dataset, Epoch, Evaluation, History, Step, Trainer, Variable
from ._core import version as _version

__version__ = _version()

__all__ = [
    "Answer", "BackboneRefinement", "Box", "BundleError", "Calibration", "CommandError", "Conversation", "Dataset", "Detection", "Drawing",
    "Entity", "Epoch", "Evaluation", "Gallery", "GeneratedPiece", "GeneratedText", "Generation", "GenerationOptions",
    "History", "InputError", "ItemError", "Keypoint", "Label", "Layer", "LiveTranscription", "LiveUpdate", "LiveUpdates",
    "Mask", "Model", "ModelError", "ModelWarning", "Neighbor", "OutputError", "Pose", "Recognition", "Region", "Report", "Result", "RunError", "RuntimeMissing",
    "Segment", "Segmentation", "Sentence", "Sound", "Speech", "SpeechOptions", "Step", "Stream", "Teacher",
    "TeachingReport", "Trainer", "Transcript", "Transcription", "TranscriptionOptions", "ValueMap", "Variable",
    "Window", "Word", "WrongTask", "compare", "drift", "evaluate", "explain", "init", "pack", "quantize", "sign",
    "validate", "verify",
]
