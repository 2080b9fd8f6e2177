/*
 * TensorIO for C.
 *
 * Opens model bundles, runs them on tensors, images, text and sound, and returns tensors and the
 * results of tasks. One shared library contains everything but the runtimes.
 *
 *     tio_error *error = NULL;
 *     tio_model *model = NULL;
 *     if (tio_model_open("digits.tiobundle", NULL, &model, &error) != TIO_OK) { ... }
 *     tio_value image = tio_bytes(jpeg, jpeg_size);
 *     tio_output *output = NULL;
 *     if (tio_model_run(model, &image, 1, &output, &error) == TIO_OK) {
 *       const char *json = NULL;
 *       if (tio_output_json(output, NULL, &json, &error) == TIO_OK) puts(json);
 *       tio_output_release(output);
 *     }
 *     tio_model_release(model);
 *
 * Threads: a model may be used by several threads at the same time; each run uses one of its
 * sessions, and waits for one if all are in use. An output or an error belongs to one thread at a
 * time. A stream or a training belongs to one thread at a time. A trainer may be used by several threads;
 * its steps are performed one after another. A generation and a conversation may be used by several threads.
 *
 * Memory: inputs are borrowed for the duration of a call. What a function returns through a pointer
 * to a pointer belongs to the caller, who releases it. Strings and memory that belong to an object
 * are valid until it is released.
 *
 * Errors: a function that can fail returns a status. If it is not TIO_OK, and `error` is not NULL,
 * *error receives an error, which the caller releases. No function terminates the process.
 */
#ifndef TENSORIO_H
#define TENSORIO_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface. It is incremented when something is added; a change that breaks
 * callers gets another library name. */
#define TIO_ABI_VERSION 9

/* The result of a call: the stage in which it failed. */
typedef enum tio_status {
  TIO_OK = 0,
  TIO_ERROR_BUNDLE = 1,   /* the bundle is missing or invalid */
  TIO_ERROR_RUNTIME = 2,  /* the runtime is missing, or rejected the model */
  TIO_ERROR_INPUT = 3,    /* a value does not fit the model */
  TIO_ERROR_RUN = 4,      /* the model failed */
  TIO_ERROR_OUTPUT = 5,   /* an output could not be read or drawn */
  TIO_ERROR_ARGUMENT = 6  /* an argument of the call is invalid */
} tio_status;

/* The type of a tensor's elements. */
typedef enum tio_dtype {
  TIO_BOOL = 1,
  TIO_UINT8 = 2,
  TIO_INT8 = 3,
  TIO_INT16 = 4,
  TIO_INT32 = 5,
  TIO_INT64 = 6,
  TIO_FLOAT16 = 7,
  TIO_FLOAT32 = 8,
  TIO_FLOAT64 = 9,
  TIO_STRING = 10
} tio_dtype;

/* The order of a pixel's channels, 8 bits each. */
typedef enum tio_pixel_format {
  TIO_RGB = 1,
  TIO_BGR = 2,
  TIO_RGBA = 3,
  TIO_ARGB = 4,
  TIO_BGRA = 5,
  TIO_GRAY = 6
} tio_pixel_format;

/* What a value is. */
typedef enum tio_value_kind {
  /* Numbers with a dtype, shape and strides; for sound, the samples of one channel at the model's rate:
   * floats from -1 to 1, or integers of PCM with 8 (unsigned), 16 or 32 bits. */
  TIO_VALUE_TENSOR = 1,
  TIO_VALUE_BYTES = 2,  /* an encoded image or sound, or the memory of a tensor */
  TIO_VALUE_TEXT = 3,   /* text in UTF-8 */
  TIO_VALUE_PIXELS = 4, /* rows of pixels: shape[0] is the height, shape[1] the width */
  /* Several values in order, such as a pair of texts, rows of strings, or images: `data` is an array of shape[0]
   * values without names, and `rank` is 1. */
  TIO_VALUE_LIST = 5
} tio_value_kind;

/* The value of one input. */
typedef struct tio_value {
  /* The name of the input; NULL for the only one, or for those of a list in their order. */
  const char *name;
  int32_t kind;  /* a tio_value_kind */
  int32_t dtype; /* a tio_dtype, for TIO_VALUE_TENSOR */
  int32_t pixel_format; /* a tio_pixel_format, for TIO_VALUE_PIXELS */
  int32_t rank;  /* the number of dimensions; 0 for a single number */
  const int64_t *shape;
  /* The distance between elements of each dimension in bytes, which may be negative; for pixels,
   * the distance between rows. NULL if there are no gaps. */
  const int64_t *strides;
  const void *data;
  size_t byte_count; /* for TIO_VALUE_BYTES and TIO_VALUE_TEXT */
} tio_value;

/* A tensor in memory that belongs to another object, without gaps. */
typedef struct tio_tensor {
  int32_t dtype; /* a tio_dtype */
  int32_t rank;
  const int64_t *shape;
  const void *data; /* NULL for TIO_STRING */
  size_t byte_count;
} tio_tensor;

typedef struct tio_model tio_model;
typedef struct tio_output tio_output;
typedef struct tio_stream tio_stream;
typedef struct tio_generation tio_generation;
typedef struct tio_conversation tio_conversation;
typedef struct tio_trainer tio_trainer;
typedef struct tio_teacher tio_teacher;
typedef struct tio_weights tio_weights;
typedef struct tio_dataset tio_dataset;
typedef struct tio_training tio_training;
typedef struct tio_string tio_string;
typedef struct tio_error tio_error;

/* --- Version ------------------------------------------------------------------------------- */

/* The version of the library, such as "0.1.0". */
const char *tio_version(void);
/* The TIO_ABI_VERSION with which the library was built. */
int32_t tio_abi_version(void);

/* --- Models -------------------------------------------------------------------------------- */

/*
 * Opens a bundle, as a folder or zip, a chain, a bundle of the library by its name, or a bare model: a
 * .tflite or .onnx file, or a SavedModel. For a bare model, a description is drafted; the "guesses" of
 * tio_model_description say what to review.
 *
 * `options` is NULL or a JSON object with any of: "threads" (per run), "sessions" (the number of runs
 * at the same time), "mode" ("predict", "train" or "eval"), "isolation" ("none", "process" or "sandbox"),
 * "accelerator" ("cpu" or "gpu"), "worker" (the path of the worker executable), "run_timeout" and "session_timeout" (seconds),
 * "libraries" (the paths of runtimes by name: "tflite", "tensorflow", "onnx"), "weight_cache" (a folder, or true for
 * that of the command line: large models open faster, and processes share the memory of their weights), "gallery"
 * (the file of the gallery that gives names to embeddings; see tio_output_enroll), "function" (the name of the function of
 * the bundle to open instead of its model; the "functions" of tio_model_description are their names).
 */
tio_status tio_model_open(const char *path, const char *options, tio_model **model,
                          tio_error **error);
/* Adds a reference to a model. */
tio_model *tio_model_retain(tio_model *model);
/* Removes a reference. The model is closed with the last one, after its runs. NULL is ignored. */
void tio_model_release(tio_model *model);
/*
 * Describes a model as a JSON object: "id", "name", "version", "backend", "task", "inputs", "outputs"
 * and "placeholders" with their shapes, the types of their values, labels and the rate of sound,
 * "has_state", "supports_batching", "takes_rows" (see tio_model_run_rows), "warnings", and the "path" of the bundle,
 * which is that of an unpacked copy for a zip. The string belongs to the model.
 */
const char *tio_model_description(tio_model *model);

/* Runs a model once. */
tio_status tio_model_run(tio_model *model, const tio_value *values, size_t count,
                         tio_output **output, tio_error **error);
/*
 * Runs a model on several items, in as few invocations as it allows.
 *
 * `values` holds `count` values for each of `item_count` items. The outputs of item i are stored in
 * outputs[i]. If items fail, their outputs are NULL, their errors are stored in errors[i] unless
 * `errors` is NULL, and the status is that of the first one. Outputs equal those of single runs.
 */
tio_status tio_model_run_batch(tio_model *model, const tio_value *values, size_t count,
                               size_t item_count, tio_output **outputs, tio_error **errors);
/*
 * Runs a model with one numeric input and one numeric output on rows of 32-bit floats.
 *
 * `input` holds `row_count` rows of `input_count` numbers, `output` as many rows of `output_count`. No
 * memory is allocated for outputs, so a small model costs little more than its computation. If a row fails,
 * the rows before it are stored.
 */
tio_status tio_model_run_floats(tio_model *model, const float *input, size_t input_count,
                                float *output, size_t output_count, size_t row_count,
                                tio_error **error);

/*
 * Runs a model with one numeric input and one numeric output on rows that are given as columns: `count`
 * tensors of one dimension with `row_count` numbers of any type and stride, such as the columns of a data
 * frame. `output` has room for `row_count` rows of `output_count` numbers.
 */
tio_status tio_model_run_columns(tio_model *model, const tio_value *columns, size_t count,
                                 float *output, size_t output_count, size_t row_count,
                                 tio_error **error);

/*
 * Runs a model on rows of numbers in one invocation, if "takes_rows" of tio_model_description is true: its inputs
 * are numbers, its outputs numbers or strings, and it takes any number of items.
 *
 * `values` holds a tensor for each of `count` inputs; its first dimension counts the rows, the same number for all
 * inputs. The outputs have one dimension more than those of a single run, which counts the rows; strings have one
 * dimension. They have no JSON and cannot be drawn.
 */
tio_status tio_model_run_rows(tio_model *model, const tio_value *values, size_t count,
                              tio_output **output, tio_error **error);

/*
 * Describes the tensors of a model that tio_model_run_memory can run: one with one input and one output of
 * numbers in fixed shapes, which are copied without conversion. Returns 0 and stores nothing for other models.
 * The shapes belong to the model; there is no data. A value with more than one dimension has the shape of the input, which
 * may be preceded by ones.
 */
int32_t tio_model_memory(tio_model *model, tio_tensor *input, tio_tensor *output);
/*
 * Runs a model between memory of the caller, without conversion or allocation: `input` holds the tensors of
 * `item_count` items one after another, and `output` has room for theirs. If an item fails, the outputs of those
 * before it are stored.
 */
tio_status tio_model_run_memory(tio_model *model, const void *input, void *output,
                                size_t item_count, tio_error **error);
/*
 * Returns the output of a run from a copy of the memory that tio_model_run_memory has stored for one item.
 * `nanoseconds` is the duration of the run, for the JSON.
 */
tio_status tio_model_output(tio_model *model, const void *memory, int64_t nanoseconds,
                            tio_output **output, tio_error **error);

/* --- Streams ------------------------------------------------------------------------------- */

/* Starts a sequence of runs that carries the state of a recurrent model from run to run. */
tio_status tio_stream_open(tio_model *model, tio_stream **stream, tio_error **error);
/* Runs the model on the next item of a sequence. */
tio_status tio_stream_run(tio_stream *stream, const tio_value *values, size_t count,
                          tio_output **output, tio_error **error);
/* Returns to the initial state. */
void tio_stream_reset(tio_stream *stream);
/* Ends a sequence. NULL is ignored. */
void tio_stream_release(tio_stream *stream);

/* --- Generating, transcribing and speaking text --------------------------------------------- */

/*
 * Prepares a text of a language model. Nothing is generated before tio_generation_read.
 *
 * `values` is one text without a name, the prompt, or messages: `count` texts whose names are the roles of their
 * authors, such as "system", "user" and "assistant". The last message is answered.
 *
 *     tio_value messages[2] = {tio_text(instructions, size), tio_text(question, other_size)};
 *     messages[0].name = "system";
 *     messages[1].name = "user";
 *
 * `options` is NULL or a JSON object with any of: "max_tokens", "stop" (an array of strings before which the text ends),
 * "temperature" (0 takes the most probable token), "top_k", "top_p", "min_p", "repetition_penalty",
 * "presence_penalty", "frequency_penalty", "no_repeat_ngram_size", "beams" (the number of texts that are followed to find
 * the most probable one, which is written at the end), "length_penalty", "early_stopping", "seed",
 * "raw" (true continues the prompt without the bundle's template),
 * one of "json" (true: the text is a JSON object), "json_schema" (a JSON Schema that it fulfills as JSON) and "pattern" (a
 * regular expression that matches it), "allow_special_tokens" (in messages, false by default) and "max_cache_bytes" (of
 * memory). The bundle's settings apply where there is no option.
 *
 * A model that transcribes takes one sound, and its pieces are the texts of segments. Its options are "language" (a code
 * such as "en"), "translate", "prompt", "words" (true adds their times), "temperatures" (an array), "beams",
 * "compression_threshold", "logprob_threshold", "silence_threshold", "follow_text", "seed", "label_speakers" and
 * "speaker_similarity" (for a bundle that contains a model of voices) and "sections" (the only ones that are transcribed, as an
 * array of pairs of times in seconds).
 *
 * A model that speaks takes one text, and its pieces are sentences, whose sound tio_generation_sound returns. Its options are
 * "voice" (a name), "speed" (0.25 to 4), "noise", "language" (a code such as "en-us"), "pause" (seconds between sentences) and
 * "phonemes" (true: the text consists of phonemes).
 */
tio_status tio_model_generate(tio_model *model, const tio_value *values, size_t count,
                              const char *options, tio_generation **generation, tio_error **error);
/*
 * Receives a piece of a text, in UTF-8 without a terminating zero. The text ends with a whole character; it is empty
 * while a character is incomplete or may be part of a stop string. `token` is the id of the token that was generated, or -1
 * for text that was held back until the end. A result other than 0 ends the call of tio_generation_read.
 */
typedef int32_t (*tio_piece_function)(void *context, const char *text, size_t byte_count,
                                      int32_t token);
/*
 * Generates the text and calls a function with each piece, on the calling thread, until the text or the function ends
 * it. A text that the function has ended can be continued by another call; if the function is not called, the
 * text has ended. `on_piece` may be NULL. `context` is passed to it.
 *
 * A text that fails or is canceled keeps its pieces and has ended.
 */
tio_status tio_generation_read(tio_generation *generation, tio_piece_function on_piece,
                               void *context, tio_error **error);
/* Ends a text, also from another thread: tio_generation_read fails with the code "cancelled". NULL is ignored. */
void tio_generation_cancel(tio_generation *generation);
/*
 * Describes the text so far as a JSON object: "text", "end" ("stop", "length", or "cancelled" for a text that is not
 * complete), "prompt_tokens", "cached_tokens" (those of the prompt that a conversation had processed before), "tokens"
 * (ids), "prompt_seconds" (until the first token) and "seconds" (after it). Of a transcript, it has "text", "language",
 * "duration" and "segments" with "start", "end", "text", "words", and "speaker" of a bundle that names speakers, or after
 * tio_generation_label_speakers. Of speech,
 * it has "rate", "seconds" and "sentences" with "text", "phonemes", "start" and "end". The caller releases the string.
 */
tio_status tio_generation_result(tio_generation *generation, tio_string **json, tio_error **error);
/*
 * Copies the sound of the sentence that was read last: at most `capacity` samples from -1 to 1 of one channel. `count` receives
 * the number of all its samples, and `rate` that of a second; both are 0 before the first sentence, and for texts that are not
 * spoken. `samples` may be NULL, and so may `rate`.
 */
tio_status tio_generation_sound(tio_generation *generation, float *samples, size_t capacity,
                                size_t *count, int32_t *rate, tio_error **error);
/*
 * Names the speakers of the segments of a transcript that has been read to its end. `voices` is a model with the task
 * "embedding" that takes one sound, possibly with a gallery, whose names speakers then have, and `sound` the recording. Segments have one speaker from `min_similarity` on, the cosine
 * similarity of their vectors; NAN means the default, 0.65.
 */
tio_status tio_generation_label_speakers(tio_generation *generation, tio_model *voices,
                                         const tio_value *sound, double min_similarity,
                                         tio_error **error);
/*
 * Prepares a transcript of sound that goes on, such as that of a microphone, by a model that transcribes. `options` are those of
 * tio_model_generate for such a model, without "sections". `rate` receives the rate of the model, and may be NULL. The
 * transcript is a generation whose sound is added by tio_generation_append_sound, and read by tio_generation_update instead of
 * tio_generation_read.
 */
tio_status tio_model_listen(tio_model *model, const char *options, tio_generation **generation,
                            int32_t *rate, tio_error **error);
/*
 * Adds samples from -1 to 1, those of all channels of a frame one after another, of any rate up to 768000 and at most 64
 * channels; samples that are no numbers are silence. May be called while another thread updates the transcript.
 */
tio_status tio_generation_append_sound(tio_generation *generation, const float *samples,
                                       size_t count, int32_t channels, int32_t rate,
                                       tio_error **error);
/*
 * Transcribes the sound that was added. `json` receives what is new as an object: "segments" that have become final,
 * "partial_text" after them, which later updates replace and which is empty if `partial` is 0, and "duration" in seconds; or
 * NULL if less than half a second was added, or nothing that can be heard. If `is_last` is not 0, the transcript ends, and
 * tio_generation_result has all of it. The caller releases the string.
 */
tio_status tio_generation_update(tio_generation *generation, int32_t partial, int32_t is_last,
                                 tio_string **json, tio_error **error);
/* Releases a text, which ends it. NULL is ignored. */
void tio_generation_release(tio_generation *generation);

/*
 * Begins a conversation, whose messages stay in the caches of the model: each answer processes only what is new. `system` is
 * NULL or the instructions for all answers. `options` are those of tio_model_generate.
 */
tio_status tio_conversation_open(tio_model *model, const char *system, const char *options,
                                 tio_conversation **conversation, tio_error **error);
/* Prepares the answer to a message. An earlier answer that is not complete ends, and counts as far as it was read. */
tio_status tio_conversation_send(tio_conversation *conversation, const char *message,
                                 tio_generation **answer, tio_error **error);
/* The messages so far as a JSON array of objects with "role" and "content". The caller releases the string. */
tio_status tio_conversation_messages(tio_conversation *conversation, tio_string **json,
                                     tio_error **error);
/* Ends a conversation; its last answer can be read nevertheless. NULL is ignored. */
void tio_conversation_release(tio_conversation *conversation);

/* --- Outputs ------------------------------------------------------------------------------- */

/* Releases an output, with all memory that belongs to it. NULL is ignored. */
void tio_output_release(tio_output *output);
/*
 * The result as the JSON object that `tensorio run --format json` prints. `options` is NULL or a JSON
 * object with any of "top", "min_score", "score_above" and "input" (the name to report). The string belongs
 * to the output until the next call.
 */
tio_status tio_output_json(tio_output *output, const char *options, const char **json,
                           tio_error **error);
/* The number of outputs. */
size_t tio_output_count(tio_output *output);
/* The name of an output; NULL if the index is out of range. */
const char *tio_output_name(tio_output *output, size_t index);
/* An output as a tensor in memory that belongs to the output. */
tio_status tio_output_tensor(tio_output *output, size_t index, tio_tensor *tensor,
                             tio_error **error);
/* A string of an output; its length is stored in *byte_count. NULL if there is none. */
const char *tio_output_string(tio_output *output, size_t index, size_t element,
                              size_t *byte_count);
/* Draws the result on an image and encodes it as PNG, in memory that belongs to the output. */
tio_status tio_output_draw(tio_output *output, const tio_value *image, const void **png,
                           size_t *byte_count, tio_error **error);

/* --- Columns of results -------------------------------------------------------------------- */

/* What a column holds. */
typedef enum tio_column_kind {
  TIO_COLUMN_NUMBERS = 1,  /* numbers or Booleans of one dtype, in `data` */
  TIO_COLUMN_TEXTS = 2,    /* texts in UTF-8: text i is the bytes offsets[i] to offsets[i + 1] of `data` */
  TIO_COLUMN_IMAGES = 3,   /* images, in `images` */
  TIO_COLUMN_LISTS = 4,    /* lists: list i is the entries offsets[i] to offsets[i + 1] of children[0] */
  TIO_COLUMN_RECORDS = 5,  /* records: each child is a member, and has an entry for each record */
  /* Values that may be missing: present[i] is 1 if entry i is there, else 0. children[0] has the entries that are there. */
  TIO_COLUMN_OPTIONALS = 6
} tio_column_kind;

/* An image in memory that belongs to another object. */
typedef struct tio_image {
  int64_t width, height;
  int64_t row_bytes;    /* the distance between rows */
  int32_t pixel_format; /* a tio_pixel_format */
  const uint8_t *pixels;
} tio_image;

typedef struct tio_column tio_column;
/* Values of one kind, one after another. Pointers that the kind does not have are NULL. */
struct tio_column {
  const char *name; /* of a member of records; NULL for other columns */
  int32_t kind;     /* a tio_column_kind */
  int32_t dtype;    /* of numbers: TIO_FLOAT32, TIO_FLOAT64, TIO_INT64 or TIO_BOOL */
  int64_t count;    /* the number of entries */
  const void *data;
  const int64_t *offsets; /* one more than entries */
  const uint8_t *present;
  const tio_image *images;
  int64_t child_count;
  const tio_column *children;
};

typedef struct tio_columns tio_columns;

/*
 * The results of one or several runs of a model as columns: everything that "outputs" of tio_output_json has, without
 * text to parse. Use it to build objects or Arrow arrays of a binding, or to read a mask without decoding an image.
 *
 * `options` is NULL or a JSON object with any of "top", "min_score" and "score_above". The columns do not need the
 * outputs any more; the caller releases them.
 */
tio_status tio_result_columns(tio_output *const *outputs, size_t count, const char *options,
                              tio_columns **columns, tio_error **error);
/*
 * Records with an entry for each output. A member is the result of the task, such as "detections", or an output beside
 * it. Its memory belongs to the columns, and must not be changed.
 */
const tio_column *tio_columns_root(tio_columns *columns);
/* The member of records with a name; NULL if there is none. */
const tio_column *tio_column_child(const tio_column *column, const char *name);
/* Releases columns, with all memory that belongs to them. NULL is ignored. */
void tio_columns_release(tio_columns *columns);

/* --- Galleries ----------------------------------------------------------------------------- */

/*
 * Enrolls the embedding of an output under a name, into the gallery that its model was opened with, which is created
 * if it is missing. Other programs can use the gallery at the same time. `source` is NULL or what the
 * embedding is of, such as a path. 1 is stored in *is_new if the name does not have this embedding yet.
 */
tio_status tio_output_enroll(tio_output *output, const char *name, const char *source,
                             int32_t *is_new, tio_error **error);
/* The enrolled names with their numbers of embeddings, as a JSON object; the caller releases the string. */
tio_status tio_model_enrolled(tio_model *model, tio_string **names, tio_error **error);
/* Removes a name from the gallery, and stores its number of embeddings, which is 0 for an unknown name. */
tio_status tio_model_remove_enrolled(tio_model *model, const char *name, size_t *count,
                                     tio_error **error);

/* --- Teaching ------------------------------------------------------------------------------ */

/*
 * Opens a teacher, which fits a classifier to the embeddings that a model computes of a few examples of each class. A
 * taught bundle continues with its examples. `options` is NULL or a JSON object with any of "classes" (a list of labels, of
 * which some may have no examples; by default those of the examples), "unknown_rate" (the fraction of the classes' own
 * inputs that may be taken for unknown ones, default 0.1; 0 for no class of unknown inputs), "regularization" (C of the
 * logistic regression), "label_column" (default "label") and "cache" (the folder with cached embeddings; "" for none).
 */
tio_status tio_teacher_open(tio_model *model, const char *options, tio_teacher **teacher,
                            tio_error **error);
/* Closes a teacher. NULL is ignored. */
void tio_teacher_release(tio_teacher *teacher);
/*
 * Adds an example, of `count` values as in tio_model_run, to a class. With the label "unknown", it measures the rejection of
 * such inputs. `name` is NULL or the name in reports.
 */
tio_status tio_teacher_add(tio_teacher *teacher, const tio_value *values, size_t count,
                           const char *label, const char *name, tio_error **error);
/*
 * Adds the examples of a folder with a folder per class, or of a .csv, .tsv or .ndjson file; with a label, the files of a
 * folder, or the lines of a .txt file, as examples of one class. Files that cannot be read are skipped.
 */
tio_status tio_teacher_add_data(tio_teacher *teacher, const char *path, const char *label,
                                tio_error **error);
/* Adds the embeddings that a gallery has under names, which become classes; the same bundle has to have computed them. */
tio_status tio_teacher_add_gallery(tio_teacher *teacher, const char *path, tio_error **error);
/* Removes a class, "unknown" for the examples of no class, or an example, and stores the number of removed examples. */
tio_status tio_teacher_remove(tio_teacher *teacher, const char *name, size_t *count,
                              tio_error **error);
/* The classes with their numbers of examples, as a JSON object; the caller releases the string. */
tio_status tio_teacher_classes(tio_teacher *teacher, tio_string **json, tio_error **error);
/*
 * Trains the model on the classes, with the mode "train" of the bundle, before tio_teacher_fit fits the classifier.
 *
 * `options` is NULL or a JSON object with any of "epochs" (at most, 20), "patience" (epochs without a lower loss of held-out
 * examples after which the training ends, 3), "batch_size" (16), "augment" (a list of "flip", "crop", "color", "shift" and
 * "noise"; by default all but "flip") and "seed" (0). `placeholders` holds `count` values with names, such as a learning rate.
 *
 * Returns a JSON object with "epochs", "best_epoch" (0 if the weights are unchanged), "trained" and "held_out" (numbers of
 * examples), and "before" and "after" with the "accuracy" and the "log_loss" of the held-out examples. It is also the
 * "refinement" of the report. A call takes as long as the training; another one continues with the trained weights.
 */
tio_status tio_teacher_refine(tio_teacher *teacher, const char *options,
                              const tio_value *placeholders, size_t count, tio_string **json,
                              tio_error **error);
/*
 * Fits a classifier, and writes a bundle with it unless `path` is NULL. An existing one is an error, unless `overwriting` is
 * not 0. The report is the JSON object that `tensorio teach --format json` prints.
 */
tio_status tio_teacher_fit(tio_teacher *teacher, const char *path, int32_t overwriting,
                           tio_string **report, tio_error **error);
/*
 * Returns a copy of the classifier's weights, "head/weights" with a row for each class and "head/bias": those of a taught
 * bundle, or the last that were set or trained, otherwise zeros. Clients of a federation exchange them.
 */
tio_status tio_teacher_weights(tio_teacher *teacher, tio_weights **weights, tio_error **error);
/* Assigns both weights, or none if one has another name, type or shape, or a number that is not finite. */
tio_status tio_teacher_set_weights(tio_teacher *teacher, const tio_value *values, size_t count,
                                   tio_error **error);
/*
 * Fits the classifier to the examples near its weights, so that classes without examples are not forgotten. `proximity` is
 * NULL for the default of 0.003, or µ of FedProx. Returns the results on the examples as tio_teacher_evaluate does.
 */
tio_status tio_teacher_train(tio_teacher *teacher, const double *proximity, tio_string **json,
                             tio_error **error);
/* Evaluates the weights on the examples: a JSON object with "loss", "metrics" ("accuracy") and "items". */
tio_status tio_teacher_evaluate(tio_teacher *teacher, tio_string **json, tio_error **error);
/*
 * Determines the temperature of the weights and the distance of unknown inputs from the examples, which have to be others
 * than those that the weights were fitted to: an object as of tio_teacher_evaluate with "temperature" and "max_distance", which
 * is null if each input belongs to a class. The weights are divided by the temperature.
 */
tio_status tio_teacher_calibrate(tio_teacher *teacher, tio_string **json, tio_error **error);
/* Writes a bundle with the classifier of the weights. An existing one is an error, unless `overwriting` is not 0. */
tio_status tio_teacher_export(tio_teacher *teacher, const char *path, int32_t overwriting,
                              tio_error **error);

/* --- Training ------------------------------------------------------------------------------ */

/*
 * Opens a bundle with the mode "train" for training. `options` is NULL or a JSON object with any of
 * "threads" and "libraries" (see tio_model_open).
 */
tio_status tio_trainer_open(const char *path, const char *options, tio_trainer **trainer,
                            tio_error **error);
/* Adds a reference to a trainer. */
tio_trainer *tio_trainer_retain(tio_trainer *trainer);
/* Removes a reference. The trainer is closed with the last one. NULL is ignored. */
void tio_trainer_release(tio_trainer *trainer);
/*
 * Describes a trainer as a JSON object: "id", "name", "version", "backend", the training "inputs",
 * "placeholders" and "outputs", and "variables" with "name", "dtype", "shape" and "trainable". The string
 * belongs to the trainer.
 */
const char *tio_trainer_description(tio_trainer *trainer);
/*
 * Performs one training step on all items of a dataset.
 *
 * `placeholders` holds `count` values with names, such as a learning rate. `timing` is NULL or
 * "after-update" (outputs of the updated weights), "before-update" (outputs of the step, which is faster)
 * or "never".
 */
tio_status tio_trainer_step(tio_trainer *trainer, tio_dataset *batch, const tio_value *placeholders,
                            size_t count, const char *timing, tio_output **output,
                            tio_error **error);
/*
 * Returns the means of the outputs over a dataset, without changing the weights, as a JSON object: "loss",
 * "metrics" by output, and "items". `loss` is the name of the loss output, or NULL to find it.
 */
tio_status tio_trainer_evaluate(tio_trainer *trainer, tio_dataset *data, size_t batch_size,
                                const char *loss, tio_string **json, tio_error **error);
/* Returns a model for predictions, which always uses the current weights. */
tio_status tio_trainer_model(tio_trainer *trainer, tio_model **model, tio_error **error);
/* Writes the weights to a folder, or reads them from it. */
tio_status tio_trainer_save(tio_trainer *trainer, const char *folder, tio_error **error);
tio_status tio_trainer_restore(tio_trainer *trainer, const char *folder, tio_error **error);
/* Writes a new bundle with the current weights. An existing one is an error, unless `overwriting` is not 0. */
tio_status tio_trainer_export(tio_trainer *trainer, const char *path, int32_t overwriting,
                              tio_error **error);

/* Returns a copy of the trainable weights; with the state of the optimizer if `all` is not 0. */
tio_status tio_trainer_weights(tio_trainer *trainer, int32_t all, tio_weights **weights,
                               tio_error **error);
/*
 * Assigns values to variables by name: to all that are given, or to none if one has an unknown name or
 * another type or shape, or if a trainable variable has no value, unless `partial` is not 0.
 */
tio_status tio_trainer_set_weights(tio_trainer *trainer, const tio_value *values, size_t count,
                                   int32_t partial, tio_error **error);
/* The number of variables. */
size_t tio_weights_count(tio_weights *weights);
/* The name of a variable; NULL if the index is out of range. */
const char *tio_weights_name(tio_weights *weights, size_t index);
/* The value of a variable, in memory that belongs to the weights. */
tio_status tio_weights_tensor(tio_weights *weights, size_t index, tio_tensor *tensor,
                              tio_error **error);
/* Releases weights. NULL is ignored. */
void tio_weights_release(tio_weights *weights);

/* Opens a folder with a subfolder of images per label, a table (.csv, .tsv) or an .ndjson file. */
tio_status tio_dataset_open(tio_trainer *trainer, const char *path, tio_dataset **data,
                            tio_error **error);
/* Creates a dataset from copies of `count` values with names for each of `item_count` items. */
tio_status tio_dataset_create(const tio_value *values, size_t count, size_t item_count,
                              tio_dataset **data, tio_error **error);
/* The number of items. */
size_t tio_dataset_count(tio_dataset *data);
/* Releases a dataset. NULL is ignored. */
void tio_dataset_release(tio_dataset *data);

/*
 * Prepares a training in epochs. Nothing is trained before tio_training_next.
 *
 * `options` is NULL or a JSON object with any of "epochs" (1), "batch_size" (32), "shuffle" (true), "seed"
 * (0), "keep_last_batch" (true), "validation_split" (0), "patience" (epochs without a lower loss after
 * which the training ends), "timing" (see tio_trainer_step), "loss" (the name of the output), "checkpoints"
 * (a folder), "checkpoint_steps" (the interval; by default one epoch), "max_checkpoints" (3) and "resume"
 * (false). `placeholders` holds `count` values with names.
 */
tio_status tio_training_start(tio_trainer *trainer, tio_dataset *data, const char *options,
                              const tio_value *placeholders, size_t count,
                              tio_training **training, tio_error **error);
/*
 * Performs the next step, and describes it as a JSON object: "step", "epoch", "step_in_epoch",
 * "steps_per_epoch", "items", "loss", and at the end of an epoch a "summary" with "loss", "metrics",
 * "validation", "is_best" and "stops_early". The string belongs to the training until the next call; it is
 * NULL at the end.
 */
tio_status tio_training_next(tio_training *training, const char **json, tio_error **error);
/* Writes a checkpoint after the last step, if the training writes any. */
tio_status tio_training_save(tio_training *training, tio_error **error);
/* Ends a training between two steps. NULL is ignored. */
void tio_training_release(tio_training *training);

/* The text of a string, which belongs to it. */
const char *tio_string_text(tio_string *string);
/* Releases a string. NULL is ignored. */
void tio_string_release(tio_string *string);

/* --- Errors -------------------------------------------------------------------------------- */

/* Releases an error. NULL is ignored. */
void tio_error_release(tio_error *error);
/* The stage in which the error occurred. */
tio_status tio_error_status(const tio_error *error);
/* A stable identifier, such as "wrong-count". */
const char *tio_error_code(const tio_error *error);
/* What happened, in one sentence. */
const char *tio_error_message(const tio_error *error);
/* The input or output that the error is about; NULL if it is about none. */
const char *tio_error_layer(const tio_error *error);
/* All of it as a JSON object: "code", "message", "stage", and "layer", "file", "item" and
 * "details", the values of the message by name, if known. */
const char *tio_error_json(const tio_error *error);

/* --- Commands ------------------------------------------------------------------------------ */

/* Runs the command line, and returns its exit status. */
int32_t tio_main(int32_t argc, const char *const *argv);
/* Runs the main function of a worker process, and returns its exit status. */
int32_t tio_worker_main(int32_t argc, const char *const *argv);

/* --- Values -------------------------------------------------------------------------------- */

/* A value for an encoded image or sound, or the memory of a tensor. */
static inline tio_value tio_bytes(const void *data, size_t byte_count) {
  tio_value value = {NULL, TIO_VALUE_BYTES, 0, 0, 0, NULL, NULL, NULL, 0};
  value.data = data;
  value.byte_count = byte_count;
  return value;
}

/* A value for text in UTF-8. */
static inline tio_value tio_text(const char *text, size_t byte_count) {
  tio_value value = {NULL, TIO_VALUE_TEXT, 0, 0, 0, NULL, NULL, NULL, 0};
  value.data = text;
  value.byte_count = byte_count;
  return value;
}

/* A value for numbers without gaps. */
static inline tio_value tio_numbers(tio_dtype dtype, const void *data, const int64_t *shape,
                                    int32_t rank) {
  tio_value value = {NULL, TIO_VALUE_TENSOR, 0, 0, 0, NULL, NULL, NULL, 0};
  value.dtype = (int32_t)dtype;
  value.data = data;
  value.shape = shape;
  value.rank = rank;
  return value;
}

#ifdef __cplusplus
}
#endif

#endif
