/* The extension module of the package: a thin layer over tensorio.h.
 *
 * Objects of the library are held by capsules. The module uses the limited API of Python 3.11, so one
 * build works with all later versions. */
#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

#define NPY_TARGET_VERSION NPY_1_25_API_VERSION
#define NPY_NO_DEPRECATED_API NPY_1_25_API_VERSION
#include <numpy/arrayobject.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tensorio.h"

#define MAX_VALUES 64
#define MAX_RANK 32

/* A model that has run in less than this keeps the interpreter's lock: handing it over would cost
 * more. */
#define SHORT_RUN_NANOSECONDS 20000

static const char MODEL[] = "tensorio.model";
static const char OUTPUT[] = "tensorio.output";
static const char COLUMNS[] = "tensorio.columns";
static const char STREAM[] = "tensorio.stream";
static const char GENERATION[] = "tensorio.generation";
static const char CONVERSATION[] = "tensorio.conversation";
static const char TRAINER[] = "tensorio.trainer";
static const char TEACHER[] = "tensorio.teacher";
static const char DATASET[] = "tensorio.dataset";
static const char TRAINING[] = "tensorio.training";
static const char WEIGHTS[] = "tensorio.weights";

/* The duration of one of so many short runs is measured: reading a clock costs a part of such a run. */
#define MEASURED_RUNS 32

typedef struct {
  tio_model *model;
  /* The duration of the last measured run. Only a hint, so races between threads are harmless. */
  long long last_nanoseconds;
  unsigned run_count;
  /* Whether the model runs between arrays of these types and shapes. */
  int has_memory;
  tio_tensor input, output;
  int input_type, output_type;
  npy_intp output_shape[MAX_RANK];
  PyObject *input_name;
} Model;

static PyObject *raise_hook; /* called with the JSON of an error; returns an exception */

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (long long)time.tv_sec * 1000000000LL + time.tv_nsec;
}

/* Replaces a reference, and releases the old one afterward. */
#define REPLACE(reference, value)          \
  do {                                     \
    PyObject *old = (PyObject *)(reference); \
    (reference) = (value);                 \
    Py_XDECREF(old);                       \
  } while (0)

/* Raises the exception for an error of the library, and releases the error. */
static PyObject *exception(tio_error *error) {
  PyObject *result = NULL;
  if (raise_hook != NULL)
    result = PyObject_CallFunction(raise_hook, "s", tio_error_json(error));
  else
    PyErr_SetString(PyExc_RuntimeError, tio_error_message(error));
  tio_error_release(error);
  return result;
}

static PyObject *fail(tio_error *error) {
  PyObject *value = exception(error);
  if (value != NULL) {
    PyErr_SetObject((PyObject *)Py_TYPE(value), value);
    Py_DECREF(value);
  }
  return NULL;
}

/* Returns the text of a string, and releases the string. */
static PyObject *take_string(tio_string *string) {
  PyObject *text = PyUnicode_FromString(tio_string_text(string));
  tio_string_release(string);
  return text;
}

/* Calls a function of the library without the lock of the interpreter, with `&error` as its last argument. */
#define UNLOCKED(call)     \
  tio_error *error = NULL; \
  tio_status status;       \
  Py_BEGIN_ALLOW_THREADS   \
  status = (call);         \
  Py_END_ALLOW_THREADS

/* The same for a function that returns if the call fails. */
#define CALL(call) \
  UNLOCKED(call);  \
  if (status != TIO_OK) return fail(error)

/* --- Buffers: memory of an output -------------------------------------------------------------- */

typedef struct {
  PyObject_HEAD
  PyObject *owner; /* the capsule of the output */
  void *data;
  Py_ssize_t byte_count;
  Py_ssize_t item_size;
  int rank;
  char format[2];
  Py_ssize_t shape[MAX_RANK];
  Py_ssize_t strides[MAX_RANK];
} Buffer;

static int buffer_get(PyObject *object, Py_buffer *view, int flags) {
  Buffer *self = (Buffer *)object;
  (void)flags;
  view->obj = Py_NewRef(object);
  view->buf = self->data;
  view->len = self->byte_count;
  view->readonly = 0; /* the memory belongs to this result alone */
  view->itemsize = self->item_size;
  view->format = self->format;
  view->ndim = self->rank;
  view->shape = self->shape;
  view->strides = self->strides;
  view->suboffsets = NULL;
  view->internal = NULL;
  return 0;
}

static void buffer_dealloc(PyObject *object) {
  Buffer *self = (Buffer *)object;
  PyTypeObject *type = Py_TYPE(object);
  Py_XDECREF(self->owner);
  freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
  release(object);
  Py_DECREF(type);
}

static PyType_Slot buffer_slots[] = {
    {Py_bf_getbuffer, buffer_get},
    {Py_tp_dealloc, buffer_dealloc},
    {Py_tp_doc, "The memory of an output, which keeps the output alive."},
    {0, NULL},
};
static PyType_Spec buffer_spec = {
    "tensorio._core.Buffer", sizeof(Buffer), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, buffer_slots};
static PyTypeObject *buffer_type;

/* Returns a buffer with the memory of a tensor that belongs to the object of a capsule. */
static PyObject *new_buffer(PyObject *capsule, const tio_tensor *tensor) {
  static const char formats[] = {0, '?', 'B', 'b', 'h', 'i', 'q', 'e', 'f', 'd'};
  static const char sizes[] = {0, 1, 1, 1, 2, 4, 8, 2, 4, 8};
  if (tensor->rank > MAX_RANK) {
    PyErr_Format(PyExc_ValueError, "a tensor with more than %d dimensions", MAX_RANK);
    return NULL;
  }
  allocfunc allocate = (allocfunc)PyType_GetSlot(buffer_type, Py_tp_alloc);
  Buffer *buffer = (Buffer *)allocate(buffer_type, 0);
  if (buffer == NULL) return NULL;
  buffer->owner = Py_NewRef(capsule);
  buffer->data = (void *)tensor->data;
  buffer->byte_count = (Py_ssize_t)tensor->byte_count;
  buffer->item_size = sizes[tensor->dtype];
  buffer->format[0] = formats[tensor->dtype];
  buffer->rank = tensor->rank;
  Py_ssize_t stride = buffer->item_size;
  for (int axis = tensor->rank - 1; axis >= 0; axis--) {
    buffer->shape[axis] = (Py_ssize_t)tensor->shape[axis];
    buffer->strides[axis] = stride;
    stride *= buffer->shape[axis];
  }
  return (PyObject *)buffer;
}

/* --- Values: from Python to C ------------------------------------------------------------------ */

/* Whether the functions of numpy can be used: a caller with an array has imported it. */
static int has_numpy(void) {
  static int is_ready = 0;
  if (is_ready) return 1;
  PyObject *name = PyUnicode_FromString("numpy");
  PyObject *module = name == NULL ? NULL : PyImport_GetModule(name);
  Py_XDECREF(name);
  if (module == NULL) {
    PyErr_Clear();
    return 0;
  }
  Py_DECREF(module);
  if (_import_array() < 0) {
    PyErr_Clear();
    return 0;
  }
  return is_ready = 1;
}

/* Imports numpy, whose functions can be used then; returns -1 with an exception if it fails. */
static int import_numpy(void) {
  if (has_numpy()) return 0;
  PyObject *module = PyImport_ImportModule("numpy");
  Py_XDECREF(module);
  if (module == NULL || has_numpy()) return module == NULL ? -1 : 0;
  PyErr_SetString(PyExc_ImportError, "this version of numpy cannot be used");
  return -1;
}

/* Prevents other threads from resizing an array while its memory is used without Python's lock.
 *
 * An export of the buffer does not: `array.resize(size, refcheck=False)` frees the memory nevertheless. But numpy
 * never resizes an array with a weak reference. Returns the weak reference, or NULL if the object does not get its
 * memory from an array. */
static PyObject *keep_size(PyObject *object) {
  while (object != NULL && has_numpy()) {
    if (PyMemoryView_Check(object)) {
      PyObject *exporter = PyObject_GetAttrString(object, "obj");
      if (exporter == NULL) break;
      Py_DECREF(exporter); /* the view keeps it alive */
      object = exporter;
    } else if (!PyArray_Check(object)) {
      return NULL;
    } else if (PyArray_BASE((PyArrayObject *)object) != NULL) {
      object = PyArray_BASE((PyArrayObject *)object);
    } else {
      PyObject *reference = PyWeakref_NewRef(object, NULL);
      if (reference != NULL) return reference;
      break;
    }
  }
  PyErr_Clear();
  return NULL;
}

typedef struct Loan Loan;

/* Values of a call, with the buffers that they borrow. */
typedef struct {
  tio_value *values;
  Loan *loans;
  Py_ssize_t count, capacity;
} Values;

/* What a value borrows. */
struct Loan {
  Py_buffer view;
  PyObject *size; /* see keep_size */
  Values elements; /* of a list */
  int64_t shape[MAX_RANK];
  int64_t strides[MAX_RANK];
};

/* Values of a single run, without memory from the heap. */
typedef struct {
  tio_value values[MAX_VALUES];
  Loan loans[MAX_VALUES];
} FewValues;

#define FEW(storage) {(storage).values, (storage).loans, 0, MAX_VALUES}

/* Allocates memory for values; returns -1 with an exception if there is none. */
static int values_allocate(Values *self, Py_ssize_t capacity) {
  self->values = PyMem_Calloc((size_t)capacity + 1, sizeof(tio_value));
  self->loans = PyMem_Calloc((size_t)capacity + 1, sizeof(Loan));
  self->count = 0;
  self->capacity = capacity;
  if (self->values != NULL && self->loans != NULL) return 0;
  PyErr_NoMemory();
  return -1;
}

static void values_release(Values *self);

/* Releases values in allocated memory, and the memory. */
static void values_free(Values *self) {
  values_release(self);
  PyMem_Free(self->values);
  PyMem_Free(self->loans);
}

static void values_release(Values *self) {
  for (Py_ssize_t index = 0; index < self->count; index++) {
    Loan *loan = &self->loans[index];
    values_free(&loan->elements);
    Py_XDECREF(loan->size);
    if (loan->view.obj != NULL) PyBuffer_Release(&loan->view);
  }
  self->count = 0;
}

/* Returns the dtype of a buffer's format, or 0 with an exception. */
static int dtype_of(const Py_buffer *view, const char *name) {
  const char *format = view->format == NULL ? "B" : view->format;
  const char *whole = format;
  if (*format == '>' || *format == '!') {
    if (view->itemsize > 1) {
      PyErr_Format(PyExc_ValueError, "%s%s: expected native byte order, got '%s'",
                   name ? name : "input", name ? "" : "", whole);
      return 0;
    }
    format++;
  } else if (*format == '<' || *format == '=' || *format == '@') {
    format++;
  }
  if (format[0] != 0 && format[1] == 0) switch (format[0]) {
      case '?': return TIO_BOOL;
      case 'B': case 'c': return TIO_UINT8;
      case 'b': return TIO_INT8;
      case 'h': return TIO_INT16;
      case 'e': return TIO_FLOAT16;
      case 'f': return TIO_FLOAT32;
      case 'd': return TIO_FLOAT64;
      case 'i': case 'l': case 'q': return view->itemsize == 4 ? TIO_INT32 : TIO_INT64;
      default: break;
    }
  PyErr_Format(PyExc_TypeError, "%s: unsupported element type '%s'", name ? name : "input", whole);
  return 0;
}

static int values_read(Values *self, PyObject *items);

/* Adds the value of a tuple (name, kind, object, pixel_format); the object of a list is a tuple of such tuples. */
static int values_add(Values *self, PyObject *item) {
  if (self->count == self->capacity) {
    PyErr_SetString(PyExc_ValueError, "too many inputs, or items with different numbers of values");
    return -1;
  }
  const char *name = NULL;
  int kind = 0, pixel_format = 0;
  PyObject *object = NULL;
  if (!PyArg_ParseTuple(item, "ziOi", &name, &kind, &object, &pixel_format)) return -1;
  tio_value *value = &self->values[self->count];
  Loan *loan = &self->loans[self->count];
  Py_buffer *view = &loan->view;
  memset(value, 0, sizeof *value);
  memset(&loan->elements, 0, sizeof loan->elements);
  view->obj = NULL;
  loan->size = NULL;
  value->name = name;
  value->kind = kind;
  value->pixel_format = pixel_format;
  if (kind == TIO_VALUE_TEXT) {
    Py_ssize_t size = 0;
    const char *text = PyUnicode_AsUTF8AndSize(object, &size);
    if (text == NULL) return -1;
    value->data = text;
    value->byte_count = (size_t)size;
    self->count++;
    return 0;
  }
  if (kind == TIO_VALUE_LIST) {
    Py_ssize_t count = PyTuple_Size(object);
    if (count < 0 || Py_EnterRecursiveCall(" in a list of values")) return -1;
    self->count++;
    int failed = values_allocate(&loan->elements, count) != 0 || values_read(&loan->elements, object) != 0;
    Py_LeaveRecursiveCall();
    if (failed) return -1;
    loan->shape[0] = count;
    value->data = loan->elements.values;
    value->rank = 1;
    value->shape = loan->shape;
    return 0;
  }
  int flags = kind == TIO_VALUE_BYTES ? PyBUF_SIMPLE : PyBUF_STRIDED_RO | PyBUF_FORMAT;
  if (PyObject_GetBuffer(object, view, flags) != 0) {
    view->obj = NULL;
    return -1;
  }
  self->count++;
  loan->size = keep_size(object);
  value->data = view->buf;
  value->byte_count = (size_t)view->len;
  if (kind == TIO_VALUE_BYTES) return 0;
  if (view->ndim > MAX_RANK) {
    PyErr_Format(PyExc_ValueError, "%s: more than %d dimensions", name ? name : "input", MAX_RANK);
    return -1;
  }
  if (kind == TIO_VALUE_TENSOR) {
    value->dtype = dtype_of(view, name);
    if (value->dtype == 0) return -1;
  }
  for (int axis = 0; axis < view->ndim; axis++) {
    loan->shape[axis] = view->shape[axis];
    loan->strides[axis] = view->strides[axis];
  }
  value->rank = view->ndim;
  value->shape = loan->shape;
  value->strides = loan->strides;
  return 0;
}

/* Adds a tuple of values; releases all and returns -1 with an exception if one is invalid. */
static int values_read(Values *self, PyObject *items) {
  Py_ssize_t count = PyTuple_Size(items);
  if (count < 0) return -1;
  for (Py_ssize_t index = 0; index < count; index++)
    if (values_add(self, PyTuple_GetItem(items, index)) != 0) {
      values_release(self);
      return -1;
    }
  return 0;
}

/* Values of several items, the same number for each. */
typedef struct {
  Values values;
  Py_ssize_t item_count, value_count;
} ItemValues;

static void items_release(ItemValues *self) { values_free(&self->values); }

/* Reads a list of tuples of values; returns -1 with an exception if one is invalid. */
static int items_read(ItemValues *self, PyObject *items) {
  memset(self, 0, sizeof *self);
  Py_ssize_t item_count = PyList_Size(items);
  if (item_count < 0) return -1;
  Py_ssize_t value_count = item_count == 0 ? 0 : PyTuple_Size(PyList_GetItem(items, 0));
  if (value_count <= 0) {
    if (value_count == 0)
      PyErr_SetString(PyExc_ValueError, item_count == 0 ? "no items" : "an item without values");
    return -1;
  }
  size_t total = (size_t)item_count * (size_t)value_count;
  self->item_count = item_count;
  self->value_count = value_count;
  if (values_allocate(&self->values, (Py_ssize_t)total) != 0) {
    items_release(self);
    return -1;
  }
  for (Py_ssize_t index = 0; index < item_count; index++) {
    self->values.capacity = (index + 1) * value_count;
    int failed = values_read(&self->values, PyList_GetItem(items, index));
    if (!failed && self->values.count != self->values.capacity) {
      PyErr_SetString(PyExc_ValueError, "items with different numbers of values");
      failed = -1;
    }
    if (failed) {
      items_release(self);
      return -1;
    }
  }
  return 0;
}

/* --- Models ------------------------------------------------------------------------------------ */

static void model_destroy(PyObject *capsule) {
  Model *model = PyCapsule_GetPointer(capsule, MODEL);
  if (model == NULL) return;
  Py_BEGIN_ALLOW_THREADS
  tio_model_release(model->model);
  Py_END_ALLOW_THREADS
  Py_XDECREF(model->input_name);
  PyMem_Free(model);
}

static void output_destroy(PyObject *capsule) {
  PyThread_type_lock lock = PyCapsule_GetContext(capsule);
  if (lock != NULL) PyThread_free_lock(lock);
  tio_output_release(PyCapsule_GetPointer(capsule, OUTPUT));
}

static void stream_destroy(PyObject *capsule) {
  PyObject *model = PyCapsule_GetContext(capsule);
  tio_stream_release(PyCapsule_GetPointer(capsule, STREAM));
  Py_XDECREF(model);
}

/* Finds out whether a model runs between arrays. */
static void find_memory(Model *self) {
  static const int types[] = {-1, NPY_BOOL, NPY_UINT8, NPY_INT8, NPY_INT16, NPY_INT32, NPY_INT64,
                              NPY_HALF, NPY_FLOAT, NPY_DOUBLE};
  self->has_memory = tio_model_memory(self->model, &self->input, &self->output) &&
                     self->output.rank <= MAX_RANK && self->input.rank <= MAX_RANK;
  if (!self->has_memory) return;
  self->input_type = types[self->input.dtype];
  self->output_type = types[self->output.dtype];
  for (int axis = 0; axis < self->output.rank; axis++)
    self->output_shape[axis] = (npy_intp)self->output.shape[axis];
}

/* Returns a capsule for a model, which it owns. */
static PyObject *new_model(tio_model *model) {
  Model *self = PyMem_Calloc(1, sizeof *self);
  if (self == NULL) {
    tio_model_release(model);
    return PyErr_NoMemory();
  }
  self->model = model;
  self->last_nanoseconds = SHORT_RUN_NANOSECONDS;
  find_memory(self);
  PyObject *capsule = PyCapsule_New(self, MODEL, model_destroy);
  if (capsule == NULL) {
    tio_model_release(model);
    PyMem_Free(self);
  }
  return capsule;
}

static PyObject *open_model(PyObject *module, PyObject *arguments) {
  const char *path, *options;
  (void)module;
  if (!PyArg_ParseTuple(arguments, "sz", &path, &options)) return NULL;
  tio_model *model = NULL;
  CALL(tio_model_open(path, options, &model, &error));
  return new_model(model);
}

static PyObject *describe(PyObject *module, PyObject *capsule) {
  (void)module;
  Model *self = PyCapsule_GetPointer(capsule, MODEL);
  return self == NULL ? NULL : PyUnicode_FromString(tio_model_description(self->model));
}

/* set_input_name(model, name): the key of the only input in a mapping */
static PyObject *set_input_name(PyObject *module, PyObject *arguments) {
  PyObject *capsule, *name;
  (void)module;
  if (!PyArg_ParseTuple(arguments, "OU", &capsule, &name)) return NULL;
  Model *self = PyCapsule_GetPointer(capsule, MODEL);
  if (self == NULL) return NULL;
  REPLACE(self->input_name, Py_NewRef(name));
  Py_RETURN_NONE;
}

static PyObject *new_output(tio_output *output) {
  PyObject *capsule = PyCapsule_New(output, OUTPUT, output_destroy);
  if (capsule == NULL) tio_output_release(output);
  return capsule;
}

/* run_rows(model, values) -> output */
static PyObject *run_rows(PyObject *module, PyObject *arguments) {
  PyObject *capsule, *items;
  (void)module;
  if (!PyArg_ParseTuple(arguments, "OO!", &capsule, &PyTuple_Type, &items)) return NULL;
  Model *self = PyCapsule_GetPointer(capsule, MODEL);
  FewValues storage;
  Values values = FEW(storage);
  if (self == NULL || values_read(&values, items) != 0) return NULL;
  tio_output *output = NULL;
  UNLOCKED(tio_model_run_rows(self->model, values.values, (size_t)values.count, &output, &error));
  values_release(&values);
  return status == TIO_OK ? new_output(output) : fail(error);
}

/* run(model, values) -> output */
static PyObject *run(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
  (void)module;
  if (count != 2) {
    PyErr_SetString(PyExc_TypeError, "run takes a model and values");
    return NULL;
  }
  Model *self = PyCapsule_GetPointer(arguments[0], MODEL);
  FewValues storage;
  Values values = FEW(storage);
  if (self == NULL || values_read(&values, arguments[1]) != 0) return NULL;
  tio_output *output = NULL;
  tio_error *error = NULL;
  tio_status status;
  long long start = now();
  if (self->last_nanoseconds < SHORT_RUN_NANOSECONDS) {
    status = tio_model_run(self->model, values.values, (size_t)values.count, &output, &error);
  } else {
    Py_BEGIN_ALLOW_THREADS
    status = tio_model_run(self->model, values.values, (size_t)values.count, &output, &error);
    Py_END_ALLOW_THREADS
  }
  self->last_nanoseconds = now() - start;
  values_release(&values);
  return status == TIO_OK ? new_output(output) : fail(error);
}

/* run_batch(model, items) -> list of outputs and exceptions */
static PyObject *run_batch(PyObject *module, PyObject *arguments) {
  PyObject *capsule, *items;
  (void)module;
  if (!PyArg_ParseTuple(arguments, "OO!", &capsule, &PyList_Type, &items)) return NULL;
  Model *self = PyCapsule_GetPointer(capsule, MODEL);
  if (self == NULL) return NULL;
  if (PyList_Size(items) == 0) return PyList_New(0);
  ItemValues values;
  if (items_read(&values, items) != 0) return NULL;
  Py_ssize_t item_count = values.item_count;
  tio_output **outputs = PyMem_Calloc((size_t)item_count, sizeof *outputs);
  tio_error **errors = PyMem_Calloc((size_t)item_count, sizeof *errors);
  PyObject *result = NULL;
  if (outputs == NULL || errors == NULL) {
    PyErr_NoMemory();
    goto done;
  }
  Py_BEGIN_ALLOW_THREADS
  tio_model_run_batch(self->model, values.values.values, (size_t)values.value_count,
                      (size_t)item_count, outputs, errors);
  Py_END_ALLOW_THREADS
  result = PyList_New(item_count);
  for (Py_ssize_t index = 0; index < item_count; index++) {
    PyObject *entry = NULL;
    if (result != NULL)
      entry = outputs[index] != NULL ? new_output(outputs[index]) : exception(errors[index]);
    else if (outputs[index] != NULL)
      tio_output_release(outputs[index]);
    else
      tio_error_release(errors[index]);
    if (entry != NULL) {
      PyList_SetItem(result, index, entry);
    } else {
      Py_CLEAR(result);
    }
  }
done:
  items_release(&values);
  PyMem_Free(outputs);
  PyMem_Free(errors);
  return result;
}

static int float_buffer(PyObject *object, Py_buffer *view, int flags) {
  if (PyObject_GetBuffer(object, view, flags | PyBUF_FORMAT) != 0) return -1;
  if (view->itemsize == 4 && view->format != NULL && strcmp(view->format, "f") == 0) return 0;
  PyBuffer_Release(view);
  PyErr_SetString(PyExc_TypeError, "expected an array of float32 without gaps");
  return -1;
}

/* Runs a model on rows of floats between two buffers. */
static PyObject *run_float_rows(Model *self, PyObject *source, PyObject *target, Py_ssize_t rows) {
  Py_buffer input, output;
  if (float_buffer(source, &input, PyBUF_CONTIG_RO) != 0) return NULL;
  if (float_buffer(target, &output, PyBUF_CONTIG) != 0) {
    PyBuffer_Release(&input);
    return NULL;
  }
  tio_error *error = NULL;
  tio_status status;
  long long start = now();
  if (self->last_nanoseconds * rows < SHORT_RUN_NANOSECONDS) {
    status = tio_model_run_floats(self->model, input.buf, (size_t)(input.len / 4 / rows), output.buf,
                                  (size_t)(output.len / 4 / rows), (size_t)rows, &error);
  } else {
    PyObject *sizes[] = {keep_size(source), keep_size(target)};
    Py_BEGIN_ALLOW_THREADS
    status = tio_model_run_floats(self->model, input.buf, (size_t)(input.len / 4 / rows), output.buf,
                                  (size_t)(output.len / 4 / rows), (size_t)rows, &error);
    Py_END_ALLOW_THREADS
    Py_XDECREF(sizes[0]);
    Py_XDECREF(sizes[1]);
  }
  self->last_nanoseconds = (now() - start) / rows;
  PyBuffer_Release(&input);
  PyBuffer_Release(&output);
  if (status != TIO_OK) return fail(error);
  Py_RETURN_NONE;
}

/* run_floats(model, input, output, rows) */
static PyObject *run_floats(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
  (void)module;
  if (count != 4) {
    PyErr_SetString(PyExc_TypeError, "run_floats takes a model, an input, an output and a count");
    return NULL;
  }
  Py_ssize_t rows = PyLong_AsSsize_t(arguments[3]);
  if (rows < 1) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "expected at least one row");
    return NULL;
  }
  Model *self = PyCapsule_GetPointer(arguments[0], MODEL);
  return self == NULL ? NULL : run_float_rows(self, arguments[1], arguments[2], rows);
}

/* run_columns(model, columns, output, rows); the columns are a tuple of values with names */
static PyObject *run_columns(PyObject *module, PyObject *arguments) {
  PyObject *capsule, *items, *target;
  Py_ssize_t rows;
  (void)module;
  if (!PyArg_ParseTuple(arguments, "OO!On", &capsule, &PyTuple_Type, &items, &target, &rows)) return NULL;
  Model *self = PyCapsule_GetPointer(capsule, MODEL);
  if (self == NULL) return NULL;
  Py_ssize_t count = PyTuple_Size(items);
  if (rows < 1 || count < 1) {
    PyErr_SetString(PyExc_ValueError, "expected at least one column and one row");
    return NULL;
  }
  Py_buffer output;
  if (float_buffer(target, &output, PyBUF_CONTIG) != 0) return NULL;
  Values values;
  PyObject *result = NULL;
  if (values_allocate(&values, count) == 0 && values_read(&values, items) == 0) {
    tio_error *error = NULL;
    tio_status status;
    PyObject *size = keep_size(target);
    Py_BEGIN_ALLOW_THREADS
    status = tio_model_run_columns(self->model, values.values, (size_t)count, output.buf,
                                   (size_t)(output.len / 4 / rows), (size_t)rows, &error);
    Py_END_ALLOW_THREADS
    Py_XDECREF(size);
    result = status == TIO_OK ? Py_NewRef(Py_None) : fail(error);
  }
  values_free(&values);
  PyBuffer_Release(&output);
  return result;
}

/* --- Streams ----------------------------------------------------------------------------------- */

static PyObject *open_stream(PyObject *module, PyObject *capsule) {
  (void)module;
  Model *self = PyCapsule_GetPointer(capsule, MODEL);
  if (self == NULL) return NULL;
  tio_stream *stream = NULL;
  tio_error *error = NULL;
  if (tio_stream_open(self->model, &stream, &error) != TIO_OK) return fail(error);
  PyObject *result = PyCapsule_New(stream, STREAM, stream_destroy);
  if (result == NULL) {
    tio_stream_release(stream);
    return NULL;
  }
  PyCapsule_SetContext(result, Py_NewRef(capsule));
  return result;
}

static PyObject *run_stream(PyObject *module, PyObject *arguments) {
  PyObject *capsule, *items;
  (void)module;
  if (!PyArg_ParseTuple(arguments, "OO!", &capsule, &PyTuple_Type, &items)) return NULL;
  tio_stream *stream = PyCapsule_GetPointer(capsule, STREAM);
  FewValues storage;
  Values values = FEW(storage);
  if (stream == NULL || values_read(&values, items) != 0) return NULL;
  tio_output *output = NULL;
  UNLOCKED(tio_stream_run(stream, values.values, (size_t)values.count, &output, &error));
  values_release(&values);
  return status == TIO_OK ? new_output(output) : fail(error);
}

static PyObject *reset_stream(PyObject *module, PyObject *capsule) {
  (void)module;
  tio_stream *stream = PyCapsule_GetPointer(capsule, STREAM);
  if (stream == NULL) return NULL;
  tio_stream_reset(stream);
  Py_RETURN_NONE;
}

/* --- Outputs ----------------------------------------------------------------------------------- */

static PyObject *output_json(PyObject *module, PyObject *arguments) {
  PyObject *capsule;
  const char *options;
  (void)module;
  if (!PyArg_ParseTuple(arguments, "Oz", &capsule, &options)) return NULL;
  tio_output *output = PyCapsule_GetPointer(capsule, OUTPUT);
  if (output == NULL) return NULL;
  const char *json = NULL;
  tio_error *error = NULL;
  if (tio_output_json(output, options, &json, &error) != TIO_OK) return fail(error);
  return PyUnicode_FromString(json);
}

static PyObject *output_names(PyObject *module, PyObject *capsule) {
  (void)module;
  tio_output *output = PyCapsule_GetPointer(capsule, OUTPUT);
  if (output == NULL) return NULL;
  size_t count = tio_output_count(output);
  PyObject *names = PyList_New((Py_ssize_t)count);
  for (size_t index = 0; names != NULL && index < count; index++) {
    PyObject *name = PyUnicode_FromString(tio_output_name(output, index));
    if (name == NULL) {
      Py_CLEAR(names);
    } else {
      PyList_SetItem(names, (Py_ssize_t)index, name);
    }
  }
  return names;
}

static PyObject *strings(tio_output *output, size_t index, const tio_tensor *tensor) {
  int64_t count = 1;
  for (int axis = 0; axis < tensor->rank; axis++) count *= tensor->shape[axis];
  PyObject *list = PyList_New((Py_ssize_t)count);
  for (int64_t element = 0; list != NULL && element < count; element++) {
    size_t size = 0;
    const char *text = tio_output_string(output, index, (size_t)element, &size);
    PyObject *string =
        PyUnicode_DecodeUTF8(text == NULL ? "" : text, text == NULL ? 0 : (Py_ssize_t)size, "replace");
    if (string == NULL) {
      Py_CLEAR(list);
    } else {
      PyList_SetItem(list, (Py_ssize_t)element, string);
    }
  }
  return list;
}

/* output_tensor(output, index) -> a buffer, or a list of strings */
static PyObject *output_tensor(PyObject *module, PyObject *arguments) {
  PyObject *capsule;
  Py_ssize_t index;
  (void)module;
  if (!PyArg_ParseTuple(arguments, "On", &capsule, &index)) return NULL;
  tio_output *output = PyCapsule_GetPointer(capsule, OUTPUT);
  if (output == NULL) return NULL;
  tio_tensor tensor;
  tio_error *error = NULL;
  if (tio_output_tensor(output, (size_t)index, &tensor, &error) != TIO_OK) return fail(error);
  if (tensor.dtype == TIO_STRING) return strings(output, (size_t)index, &tensor);
  return new_buffer(capsule, &tensor);
}

static void columns_destroy(PyObject *capsule) { tio_columns_release(PyCapsule_GetPointer(capsule, COLUMNS)); }

/* Returns an array with memory that belongs to the object of a capsule. */
static PyObject *borrowed_array(PyObject *owner, int type, int rank, const npy_intp *shape, const npy_intp *strides,
                                const void *data) {
  PyObject *array = PyArray_New(&PyArray_Type, rank, shape, type, strides, (void *)data, 0, 0, NULL);
  /* It takes a reference also if it fails. */
  if (array != NULL && PyArray_SetBaseObject((PyArrayObject *)array, Py_NewRef(owner)) != 0) Py_CLEAR(array);
  return array;
}

static PyObject *numbers_array(PyObject *owner, int type, int64_t count, const void *data) {
  npy_intp shape = (npy_intp)count;
  return borrowed_array(owner, type, 1, &shape, NULL, data);
}

/* Returns a list of the entries of a column that are objects of Python. */
static PyObject *entry_list(PyObject *owner, const tio_column *column,
                            PyObject *(*entry)(PyObject *, const tio_column *, int64_t)) {
  PyObject *list = PyList_New((Py_ssize_t)column->count);
  for (int64_t index = 0; list != NULL && index < column->count; index++) {
    PyObject *item = entry(owner, column, index);
    if (item != NULL)
      PyList_SetItem(list, (Py_ssize_t)index, item);
    else
      Py_CLEAR(list);
  }
  return list;
}

static PyObject *column_text(PyObject *owner, const tio_column *column, int64_t index) {
  (void)owner;
  const char *text = (const char *)column->data + column->offsets[index];
  return PyUnicode_DecodeUTF8(text, (Py_ssize_t)(column->offsets[index + 1] - column->offsets[index]), "replace");
}

/* Returns an image as an array of height, width and, unless it is gray, red, green, blue and possibly alpha. */
static PyObject *column_image(PyObject *owner, const tio_column *column, int64_t index) {
  static const int bgr[] = {2, 1, 0}, argb[] = {1, 2, 3, 0}, bgra[] = {2, 1, 0, 3};
  const tio_image *image = &column->images[index];
  const int *order = image->pixel_format == TIO_BGR    ? bgr
                     : image->pixel_format == TIO_ARGB ? argb
                     : image->pixel_format == TIO_BGRA ? bgra
                                                       : NULL;
  int is_gray = image->pixel_format == TIO_GRAY;
  int channels = is_gray ? 1 : image->pixel_format == TIO_RGB || image->pixel_format == TIO_BGR ? 3 : 4;
  npy_intp shape[] = {(npy_intp)image->height, (npy_intp)image->width, channels};
  npy_intp strides[] = {(npy_intp)image->row_bytes, channels, 1};
  if (order == NULL) return borrowed_array(owner, NPY_UINT8, is_gray ? 2 : 3, shape, strides, image->pixels);
  PyObject *array = PyArray_SimpleNew(3, shape, NPY_UINT8);
  uint8_t *target = array == NULL ? NULL : PyArray_DATA((PyArrayObject *)array);
  for (int64_t y = 0; target != NULL && y < image->height; y++)
    for (int64_t x = 0; x < image->width; x++)
      for (int channel = 0; channel < channels; channel++)
        *target++ = image->pixels[y * image->row_bytes + x * channels + order[channel]];
  return array;
}

/* Returns a column: an array of numbers, a list of texts or images, a dictionary of the members of records, or a pair of
 * an array and a column. The array of lists is the beginnings of the lists and the end of the last one; that of values that may
 * be missing is of Booleans. */
static PyObject *column_object(PyObject *owner, const tio_column *column) {
  static const int types[] = {-1, NPY_BOOL, -1, -1, -1, -1, NPY_INT64, -1, NPY_FLOAT, NPY_DOUBLE};
  switch (column->kind) {
    case TIO_COLUMN_NUMBERS: return numbers_array(owner, types[column->dtype], column->count, column->data);
    case TIO_COLUMN_TEXTS: return entry_list(owner, column, column_text);
    case TIO_COLUMN_IMAGES: return entry_list(owner, column, column_image);
    case TIO_COLUMN_LISTS:
    case TIO_COLUMN_OPTIONALS: {
      PyObject *first = column->kind == TIO_COLUMN_LISTS
                            ? numbers_array(owner, NPY_INT64, column->count + 1, column->offsets)
                            : numbers_array(owner, NPY_BOOL, column->count, column->present);
      PyObject *second = first == NULL ? NULL : column_object(owner, column->children);
      PyObject *pair = second == NULL ? NULL : PyTuple_Pack(2, first, second);
      Py_XDECREF(first);
      Py_XDECREF(second);
      return pair;
    }
    default: break;
  }
  PyObject *members = PyDict_New();
  for (int64_t index = 0; members != NULL && index < column->child_count; index++) {
    PyObject *member = column_object(owner, &column->children[index]);
    if (member == NULL || PyDict_SetItemString(members, column->children[index].name, member) != 0) Py_CLEAR(members);
    Py_XDECREF(member);
  }
  return members;
}

/* Returns the number with the fewest decimal digits that is the same float, which JSON has: 0.1 for 0.1f. */
static double shortest(float value) {
  static const double powers[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
                                  1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  double number = value, magnitude = number < 0 ? -number : number, result = number;
  if (!isfinite(number)) return number;
  if (magnitude >= 1e-13 && magnitude < 1e9) {
    /* A quotient of exact integers is the nearest double. Nine digits suffice; the exponent may be too large by one. */
    int exponent = 0;
    if (magnitude >= 1)
      while (magnitude >= powers[exponent + 1]) exponent++;
    else
      while (magnitude * powers[-exponent] < 1) exponent--;
    for (int digits = 10; digits > 0; digits--) {
      int scale = digits - 1 - exponent;
      double candidate = scale >= 0 ? rint(number * powers[scale]) / powers[scale]
                                    : rint(number / powers[-scale]) * powers[-scale];
      if ((float)candidate != value) break;
      result = candidate;
    }
    return result;
  }
  if (magnitude == 0) return number;
  /* Rare, and difficult: numpy does it. */
  PyObject *scalar = PyArray_Scalar(&value, PyArray_DescrFromType(NPY_FLOAT), NULL);
  PyObject *text = scalar == NULL ? NULL : PyObject_Str(scalar), *found = text == NULL ? NULL : PyFloat_FromString(text);
  if (found != NULL) result = PyFloat_AsDouble(found);
  PyErr_Clear();
  Py_XDECREF(scalar);
  Py_XDECREF(text);
  Py_XDECREF(found);
  return result;
}

/* Returns a number as JSON has it: None if it is not finite, and an integer if it is written without a point. */
static PyObject *json_number(double number, double limit) {
  if (!isfinite(number)) return Py_NewRef(Py_None);
  int is_integer = number == rint(number) && fabs(number) <= limit && (number != 0 || !signbit(number));
  return is_integer ? PyLong_FromDouble(number) : PyFloat_FromDouble(number);
}

/* numbers(array, as_json) -> list: floats in as few digits as JSON has, and NaN for those that are not finite; or as JSON has
 * them */
static PyObject *numbers(PyObject *module, PyObject *arguments) {
  PyObject *object;
  int as_json;
  (void)module;
  if (!PyArg_ParseTuple(arguments, "Op", &object, &as_json) || import_numpy() != 0) return NULL;
  Py_buffer view;
  if (PyObject_GetBuffer(object, &view, PyBUF_CONTIG_RO | PyBUF_FORMAT) != 0) return NULL;
  int type = dtype_of(&view, NULL), is_single = type == TIO_FLOAT32;
  Py_ssize_t count = view.len / view.itemsize;
  PyObject *list = NULL;
  if (is_single || type == TIO_FLOAT64)
    list = PyList_New(count);
  else if (type != 0)
    PyErr_SetString(PyExc_TypeError, "expected an array of float32 or float64");
  for (Py_ssize_t index = 0; list != NULL && index < count; index++) {
    double number = is_single ? shortest(((const float *)view.buf)[index]) : ((const double *)view.buf)[index];
    PyObject *item = as_json ? json_number(number, is_single ? 0x1p24 : 0x1p53)
                             : PyFloat_FromDouble(isfinite(number) ? number : NAN);
    if (item != NULL)
      PyList_SetItem(list, index, item);
    else
      Py_CLEAR(list);
  }
  PyBuffer_Release(&view);
  return list;
}

/* Returns the entries of columns with an index as a dictionary, or as an object of a type; without those that are `missing`. */
static PyObject *record(newfunc new_object, PyTypeObject *type, PyObject *names, PyObject *columns, Py_ssize_t index,
                        PyObject *missing, PyObject *nothing) {
  PyObject *found = new_object == NULL ? PyDict_New() : new_object(type, nothing, NULL);
  Py_ssize_t count = found == NULL ? 0 : PyTuple_Size(names);
  for (Py_ssize_t position = 0; position < count; position++) {
    PyObject *name = PyTuple_GetItem(names, position), *value = PyList_GetItem(PyTuple_GetItem(columns, position), index);
    if (value == missing) continue;
    /* Not the type's own function, which rejects changes of a frozen object. */
    if (value == NULL || (new_object == NULL ? PyDict_SetItem(found, name, value)
                                             : PyObject_GenericSetAttr(found, name, value)) != 0) {
      Py_DECREF(found);
      return NULL;
    }
  }
  return found;
}

/* records(type, names, columns, count, missing) -> list: dictionaries, or objects of a type with these attributes, which are
 * created without calling it; entries that are `missing` are left out */
static PyObject *records(PyObject *module, PyObject *arguments) {
  PyObject *type, *names, *columns, *missing;
  Py_ssize_t count;
  (void)module;
  if (!PyArg_ParseTuple(arguments, "OO!O!nO", &type, &PyTuple_Type, &names, &PyTuple_Type, &columns, &count, &missing))
    return NULL;
  Py_ssize_t member_count = PyTuple_Size(names);
  if (member_count != PyTuple_Size(columns) || (type != Py_None && !PyType_Check(type))) {
    PyErr_SetString(PyExc_TypeError, "records takes a type or None, and a name for each column");
    return NULL;
  }
  for (Py_ssize_t index = 0; index < member_count; index++)
    if (!PyList_Check(PyTuple_GetItem(columns, index))) {
      PyErr_SetString(PyExc_TypeError, "records takes lists");
      return NULL;
    }
  newfunc new_object = type == Py_None ? NULL : (newfunc)PyType_GetSlot((PyTypeObject *)type, Py_tp_new);
  PyObject *nothing = PyTuple_New(0), *list = nothing == NULL ? NULL : PyList_New(count);
  for (Py_ssize_t index = 0; list != NULL && index < count; index++) {
    PyObject *item = record(new_object, (PyTypeObject *)type, names, columns, index, missing, nothing);
    if (item != NULL)
      PyList_SetItem(list, index, item);
    else
      Py_CLEAR(list);
  }
  Py_XDECREF(nothing);
  return list;
}

/* result_columns(outputs, options) -> the columns of the outputs by name */
static PyObject *result_columns(PyObject *module, PyObject *arguments) {
  PyObject *items;
  const char *options;
  (void)module;
  if (!PyArg_ParseTuple(arguments, "O!z", &PyTuple_Type, &items, &options)) return NULL;
  if (import_numpy() != 0) return NULL;
  Py_ssize_t count = PyTuple_Size(items);
  tio_output **outputs = PyMem_Calloc((size_t)count + 1, sizeof *outputs);
  if (outputs == NULL) return PyErr_NoMemory();
  PyObject *result = NULL, *owner = NULL;
  tio_columns *columns = NULL;
  tio_error *error = NULL;
  for (Py_ssize_t index = 0; index < count; index++) {
    outputs[index] = PyCapsule_GetPointer(PyTuple_GetItem(items, index), OUTPUT);
    if (outputs[index] == NULL) goto done;
  }
  if (tio_result_columns(outputs, (size_t)count, options, &columns, &error) != TIO_OK) {
    fail(error);
    goto done;
  }
  owner = PyCapsule_New(columns, COLUMNS, columns_destroy);
  if (owner == NULL)
    tio_columns_release(columns);
  else
    result = column_object(owner, tio_columns_root(columns));
done:
  Py_XDECREF(owner);
  PyMem_Free(outputs);
  return result;
}

/* Returns the lock of an output, with which one thread at a time draws and copies the PNG that the output owns. */
static PyThread_type_lock drawing_lock(PyObject *capsule) {
  PyThread_type_lock lock = PyCapsule_GetContext(capsule);
  if (lock != NULL || PyErr_Occurred()) return lock;
  lock = PyThread_allocate_lock();
  if (lock == NULL) {
    PyErr_NoMemory();
  } else if (PyCapsule_SetContext(capsule, lock) != 0) {
    PyThread_free_lock(lock);
    lock = NULL;
  }
  return lock;
}

/* draw(output, image value) -> PNG */
static PyObject *draw(PyObject *module, PyObject *arguments) {
  PyObject *capsule, *items;
  (void)module;
  if (!PyArg_ParseTuple(arguments, "OO!", &capsule, &PyTuple_Type, &items)) return NULL;
  tio_output *output = PyCapsule_GetPointer(capsule, OUTPUT);
  FewValues storage;
  Values values = FEW(storage);
  if (output == NULL) return NULL;
  PyThread_type_lock lock = drawing_lock(capsule);
  if (lock == NULL || values_read(&values, items) != 0) return NULL;
  const void *png = NULL;
  size_t size = 0;
  tio_error *error = NULL;
  tio_status status;
  Py_BEGIN_ALLOW_THREADS
  PyThread_acquire_lock(lock, WAIT_LOCK);
  status = tio_output_draw(output, values.values, &png, &size, &error);
  Py_END_ALLOW_THREADS
  values_release(&values);
  PyObject *result = status == TIO_OK ? PyBytes_FromStringAndSize(png, (Py_ssize_t)size) : fail(error);
  PyThread_release_lock(lock);
  return result;
}

/* enroll(output, name, source) -> whether the name did not have this embedding */
static PyObject *enroll(PyObject *module, PyObject *arguments) {
  PyObject *capsule;
  const char *name, *source;
  (void)module;
  if (!PyArg_ParseTuple(arguments, "Oss", &capsule, &name, &source)) return NULL;
  tio_output *output = PyCapsule_GetPointer(capsule, OUTPUT);
  if (output == NULL) return NULL;
  int32_t is_new = 0;
  CALL(tio_output_enroll(output, name, source, &is_new, &error));
  return PyBool_FromLong(is_new);
}

/* enrolled(model) -> JSON */
static PyObject *enrolled(PyObject *module, PyObject *capsule) {
  (void)module;
  Model *self = PyCapsule_GetPointer(capsule, MODEL);
  if (self == NULL) return NULL;
  tio_string *names = NULL;
  tio_error *error = NULL;
  if (tio_model_enrolled(self->model, &names, &error) != TIO_OK) return fail(error);
  return take_string(names);
}

/* remove_enrolled(model, name) -> number of embeddings */
static PyObject *remove_enrolled(PyObject *module, PyObject *arguments) {
  PyObject *capsule;
  const char *name;
  (void)module;
  if (!PyArg_ParseTuple(arguments, "Os", &capsule, &name)) return NULL;
  Model *self = PyCapsule_GetPointer(capsule, MODEL);
  if (self == NULL) return NULL;
  size_t count = 0;
  CALL(tio_model_remove_enrolled(self->model, name, &count, &error));
  return PyLong_FromSize_t(count);
}

/* --- Runs between arrays ------------------------------------------------------------------------ */

/* The base class of Model: runs a model on one array without a call of Python, and everything else by
 * the method _call. */
typedef struct {
  PyObject_HEAD
  PyObject *handle; /* the capsule of the model; NULL or None if it has to be opened */
} Runner;

/* The base class of Result: what a run has returned. */
typedef struct {
  PyObject_HEAD
  PyObject *output; /* the capsule of the output; created from the array when it is needed */
  PyObject *model, *source, *name;
  PyObject *array;  /* the only output of a run between arrays */
  PyObject *handle; /* the capsule of the model that has run between arrays */
  long long nanoseconds;
} Outputs;

static PyTypeObject *result_type; /* the subclass of Outputs whose objects runs return */
static allocfunc allocate_result;
static PyObject *input_text, *call_text, *live_text, *only_array_text;

/* Whether an object is an array whose memory is that of a tensor. */
static int is_tensor(PyObject *object, int type, const tio_tensor *tensor, int checks_shape) {
  if (Py_TYPE(object) != &PyArray_Type) return 0;
  PyArrayObject *array = (PyArrayObject *)object;
  if (PyArray_TYPE(array) != type || !PyArray_ISCARRAY_RO(array)) return 0;
  int rank = PyArray_NDIM(array), first = 0;
  const npy_intp *shape = PyArray_DIMS(array);
  size_t count = 1;
  for (int axis = 0; axis < rank; axis++) count *= (size_t)shape[axis];
  static const char sizes[] = {0, 1, 1, 1, 2, 4, 8, 2, 4, 8};
  if (count * (size_t)sizes[tensor->dtype] != tensor->byte_count) return 0;
  if (!checks_shape || rank < 2) return 1;
  while (first < rank && shape[first] == 1) first++;
  if (rank - first != tensor->rank) return 0;
  for (int axis = 0; axis < tensor->rank; axis++)
    if (shape[first + axis] != tensor->shape[axis]) return 0;
  return 1;
}

/* Runs a model from array to array, without Python's lock unless the run is short. */
static tio_status run_memory(Model *self, PyObject *input, PyObject *output, tio_error **error) {
  const void *source = PyArray_DATA((PyArrayObject *)input);
  void *target = PyArray_DATA((PyArrayObject *)output);
  if (self->last_nanoseconds < SHORT_RUN_NANOSECONDS)
    return tio_model_run_memory(self->model, source, target, 1, error);
  PyObject *sizes[] = {keep_size(input), keep_size(output)};
  tio_status status;
  Py_BEGIN_ALLOW_THREADS
  status = tio_model_run_memory(self->model, source, target, 1, error);
  Py_END_ALLOW_THREADS
  Py_XDECREF(sizes[0]);
  Py_XDECREF(sizes[1]);
  return status;
}

/* Runs a model on one array, or on a mapping with one. Returns NULL without an exception if the value needs
 * another way. */
static PyObject *run_array(PyObject *object, PyObject *value) {
  PyObject *handle = ((Runner *)object)->handle;
  if (handle == NULL || handle == Py_None || result_type == NULL) return NULL;
  Model *self = PyCapsule_GetPointer(handle, MODEL);
  if (self == NULL) return NULL;
  if (!self->has_memory || !has_numpy()) return NULL;
  if (PyDict_CheckExact(value)) {
    Py_ssize_t position = 0;
    PyObject *key, *only;
    if (self->input_name == NULL || PyDict_Size(value) != 1 || !PyDict_Next(value, &position, &key, &only) ||
        !PyUnicode_CheckExact(key) || PyUnicode_Compare(key, self->input_name) != 0)
      return NULL;
    value = only;
  }
  if (!is_tensor(value, self->input_type, &self->input, 1)) return NULL;
  PyObject *array = PyArray_SimpleNew(self->output.rank, self->output_shape, self->output_type);
  if (array == NULL) return NULL;
  /* The value and the handle must live as long as the run. */
  Py_INCREF(value);
  Py_INCREF(handle);
  tio_error *error = NULL;
  long long start = now();
  tio_status status = run_memory(self, value, array, &error);
  long long elapsed = now() - start;
  self->last_nanoseconds = elapsed;
  Py_DECREF(value);
  Outputs *result = NULL;
  if (status == TIO_OK) result = (Outputs *)allocate_result(result_type, 0);
  if (result == NULL) {
    Py_DECREF(array);
    Py_DECREF(handle);
    return status == TIO_OK ? NULL : fail(error);
  }
  result->model = Py_NewRef(object);
  result->name = Py_NewRef(input_text);
  result->array = array;
  result->handle = handle;
  result->nanoseconds = elapsed;
  return (PyObject *)result;
}

/* model(value, **inputs) */
static PyObject *runner_call(PyObject *object, PyObject *arguments, PyObject *keywords) {
  if ((keywords == NULL || PyDict_Size(keywords) == 0) && PyTuple_Size(arguments) == 1) {
    PyObject *result = run_array(object, PyTuple_GetItem(arguments, 0));
    if (result != NULL || PyErr_Occurred()) return result;
  }
  PyObject *method = PyObject_GetAttr(object, call_text);
  if (method == NULL) return NULL;
  PyObject *result = PyObject_Call(method, arguments, keywords);
  Py_DECREF(method);
  return result;
}

/* model.run(value, **inputs) */
static PyObject *runner_run(PyObject *object, PyObject *const *arguments, Py_ssize_t count,
                            PyObject *names) {
  Py_ssize_t name_count = names == NULL ? 0 : PyTuple_Size(names);
  if (count == 1 && name_count == 0) {
    PyObject *result = run_array(object, arguments[0]);
    if (result != NULL || PyErr_Occurred()) return result;
  }
  PyObject *positional = PyTuple_New(count), *keywords = name_count == 0 ? NULL : PyDict_New();
  PyObject *result = NULL;
  int failed = positional == NULL || (name_count != 0 && keywords == NULL);
  for (Py_ssize_t index = 0; !failed && index < count; index++)
    failed = PyTuple_SetItem(positional, index, Py_NewRef(arguments[index])) != 0;
  for (Py_ssize_t index = 0; !failed && index < name_count; index++)
    failed = PyDict_SetItem(keywords, PyTuple_GetItem(names, index), arguments[count + index]) != 0;
  if (!failed) result = runner_call(object, positional, keywords);
  Py_XDECREF(positional);
  Py_XDECREF(keywords);
  return result;
}

/* model.run_into(input, output) */
static PyObject *runner_run_into(PyObject *object, PyObject *const *arguments, Py_ssize_t count,
                                 PyObject *names) {
  PyObject *input = count > 0 ? arguments[0] : NULL, *output = count > 1 ? arguments[1] : NULL;
  Py_ssize_t name_count = names == NULL ? 0 : PyTuple_Size(names);
  for (Py_ssize_t index = 0; index < name_count; index++) {
    PyObject *name = PyTuple_GetItem(names, index);
    if (input == NULL && PyUnicode_CompareWithASCIIString(name, "input") == 0)
      input = arguments[count + index];
    else if (output == NULL && PyUnicode_CompareWithASCIIString(name, "output") == 0)
      output = arguments[count + index];
    else
      count = 3;
  }
  if (count > 2 || input == NULL || output == NULL) {
    PyErr_SetString(PyExc_TypeError, "run_into() takes two arrays: input and output");
    return NULL;
  }
  PyObject *handle = ((Runner *)object)->handle;
  if (handle == NULL || handle == Py_None) {
    PyObject *method = PyObject_GetAttr(object, live_text);
    handle = method == NULL ? NULL : PyObject_CallObject(method, NULL);
    Py_XDECREF(method);
    if (handle == NULL) return NULL;
  } else {
    Py_INCREF(handle);
  }
  PyObject *result = NULL;
  Model *self = PyCapsule_GetPointer(handle, MODEL);
  if (self == NULL) {
    /* raised */
  } else if (self->has_memory && has_numpy() && self->input_type == NPY_FLOAT &&
             self->output_type == NPY_FLOAT && is_tensor(input, NPY_FLOAT, &self->input, 0) &&
             is_tensor(output, NPY_FLOAT, &self->output, 0) &&
             PyArray_ISWRITEABLE((PyArrayObject *)output)) {
    tio_error *error = NULL;
    int is_measured = self->run_count++ % MEASURED_RUNS == 0;
    long long start = is_measured ? now() : 0;
    Py_INCREF(input);
    Py_INCREF(output);
    tio_status status = run_memory(self, input, output, &error);
    Py_DECREF(input);
    Py_DECREF(output);
    if (is_measured) self->last_nanoseconds = now() - start;
    result = status == TIO_OK ? Py_NewRef(Py_None) : fail(error);
  } else {
    result = run_float_rows(self, input, output, 1);
  }
  Py_DECREF(handle);
  return result;
}

static int runner_traverse(PyObject *object, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(((Runner *)object)->handle);
  return 0;
}

static int runner_clear(PyObject *object) {
  Py_CLEAR(((Runner *)object)->handle);
  return 0;
}

/* Frees an object of a type with garbage collection. */
static void free_tracked(PyObject *object, inquiry clear) {
  PyTypeObject *type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  clear(object);
  freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
  release(object);
  Py_DECREF(type);
}

static void runner_dealloc(PyObject *object) { free_tracked(object, runner_clear); }

static PyMethodDef runner_methods[] = {
    {"run", (PyCFunction)(void (*)(void))runner_run, METH_FASTCALL | METH_KEYWORDS,
     "run($self, value=None, /, **inputs)\n--\n\n"
     "Runs the model once, like calling it, and returns a Result.\n\n"
     "Args:\n"
     "    value: A path, bytes, an open file, PIL image, array, DLPack tensor, number, text, a list of\n"
     "        texts or images for one input, a list of values in the order of the inputs, or a mapping of\n"
     "        values by input name.\n"
     "    inputs: Values by input name, instead of `value`.\n\n"
     "Raises:\n"
     "    InputError: A value does not fit the model.\n"
     "    RunError: The model failed."},
    {"run_into", (PyCFunction)(void (*)(void))runner_run_into, METH_FASTCALL | METH_KEYWORDS,
     "run_into($self, input, output)\n--\n\n"
     "Runs a model with one numeric input and output, and writes the output into an existing array.\n\n"
     "Both arrays are of float32, contiguous, and have the size of their tensors."},
    {NULL, NULL, 0, NULL},
};
static PyMemberDef runner_members[] = {
    {"_handle", T_OBJECT, offsetof(Runner, handle), 0, NULL},
    {NULL, 0, 0, 0, NULL},
};
static PyType_Slot runner_slots[] = {
    {Py_tp_call, runner_call},       {Py_tp_methods, runner_methods}, {Py_tp_members, runner_members},
    {Py_tp_traverse, runner_traverse}, {Py_tp_clear, runner_clear},   {Py_tp_dealloc, runner_dealloc},
    {0, NULL},
};
static PyType_Spec runner_spec = {
    "tensorio._core.Runner", sizeof(Runner), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, runner_slots};

/* The output of a run between arrays, created when it is first needed. */
static PyObject *outputs_output(PyObject *object, void *unused) {
  Outputs *self = (Outputs *)object;
  (void)unused;
  if (self->output != NULL) return Py_NewRef(self->output);
  if (self->array == NULL || self->handle == NULL) Py_RETURN_NONE;
  Model *model = PyCapsule_GetPointer(self->handle, MODEL);
  if (model == NULL) return NULL;
  tio_output *output = NULL;
  tio_error *error = NULL;
  tio_status status = tio_model_output(model->model, PyArray_DATA((PyArrayObject *)self->array),
                                       self->nanoseconds, &output, &error);
  PyObject *capsule = status == TIO_OK ? new_output(output) : fail(error);
  if (capsule != NULL) REPLACE(self->output, Py_NewRef(capsule));
  return capsule;
}

static int outputs_set_output(PyObject *object, PyObject *value, void *unused) {
  Outputs *self = (Outputs *)object;
  (void)unused;
  REPLACE(self->output, Py_XNewRef(value));
  return 0;
}

/* The only output as an array. */
static PyObject *outputs_array(PyObject *object, void *unused) {
  Outputs *self = (Outputs *)object;
  (void)unused;
  if (self->array != NULL) return Py_NewRef(self->array);
  PyObject *method = PyObject_GetAttr(object, only_array_text);
  PyObject *result = method == NULL ? NULL : PyObject_CallObject(method, NULL);
  Py_XDECREF(method);
  return result;
}

static int outputs_traverse(PyObject *object, visitproc visit, void *arg) {
  Outputs *self = (Outputs *)object;
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(self->output);
  Py_VISIT(self->model);
  Py_VISIT(self->source);
  Py_VISIT(self->name);
  Py_VISIT(self->array);
  Py_VISIT(self->handle);
  return 0;
}

static int outputs_clear(PyObject *object) {
  Outputs *self = (Outputs *)object;
  Py_CLEAR(self->output);
  Py_CLEAR(self->model);
  Py_CLEAR(self->source);
  Py_CLEAR(self->name);
  Py_CLEAR(self->array);
  Py_CLEAR(self->handle);
  return 0;
}

static void outputs_dealloc(PyObject *object) { free_tracked(object, outputs_clear); }

static PyMemberDef outputs_members[] = {
    {"_model", T_OBJECT, offsetof(Outputs, model), 0, NULL},
    {"_source", T_OBJECT, offsetof(Outputs, source), 0, NULL},
    {"_name", T_OBJECT, offsetof(Outputs, name), 0, NULL},
    {"_array", T_OBJECT, offsetof(Outputs, array), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};
static PyGetSetDef outputs_properties[] = {
    {"_output", outputs_output, outputs_set_output, NULL, NULL},
    {"array", outputs_array, NULL, "The only output as an array.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyType_Slot outputs_slots[] = {
    {Py_tp_members, outputs_members},   {Py_tp_getset, outputs_properties},
    {Py_tp_traverse, outputs_traverse}, {Py_tp_clear, outputs_clear},
    {Py_tp_dealloc, outputs_dealloc},   {0, NULL},
};
static PyType_Spec outputs_spec = {
    "tensorio._core.Outputs", sizeof(Outputs), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, outputs_slots};

/* set_result_type(type): the subclass of Outputs whose objects runs return */
static PyObject *set_result_type(PyObject *module, PyObject *type) {
  (void)module;
  if (!PyType_Check(type)) {
    PyErr_SetString(PyExc_TypeError, "expected a type");
    return NULL;
  }
  REPLACE(result_type, (PyTypeObject *)Py_NewRef(type));
  allocate_result = (allocfunc)PyType_GetSlot(result_type, Py_tp_alloc);
  Py_RETURN_NONE;
}

/* --- Weights -------------------------------------------------------------------------------------- */

static void weights_destroy(PyObject *capsule) {
  tio_weights_release(PyCapsule_GetPointer(capsule, WEIGHTS));
}

/* Returns weights, which it takes over, as a list of names and buffers. */
static PyObject *weights_list(tio_weights *weights) {
  PyObject *owner = PyCapsule_New(weights, WEIGHTS, weights_destroy);
  if (owner == NULL) {
    tio_weights_release(weights);
    return NULL;
  }
  Py_ssize_t count = (Py_ssize_t)tio_weights_count(weights);
  PyObject *list = PyList_New(count);
  for (Py_ssize_t index = 0; list != NULL && index < count; index++) {
    tio_tensor tensor;
    tio_error *error = NULL;
    PyObject *pair = NULL, *buffer = NULL;
    if (tio_weights_tensor(weights, (size_t)index, &tensor, &error) != TIO_OK)
      fail(error);
    else
      buffer = new_buffer(owner, &tensor);
    if (buffer != NULL)
      pair = Py_BuildValue("(sN)", tio_weights_name(weights, (size_t)index), buffer);
    if (pair != NULL)
      PyList_SetItem(list, index, pair);
    else
      Py_CLEAR(list);
  }
  Py_DECREF(owner);
  return list;
}

/* --- Teaching ------------------------------------------------------------------------------------- */

static void teacher_destroy(PyObject *capsule) {
  tio_teacher_release(PyCapsule_GetPointer(capsule, TEACHER));
}

/* open_teacher(model, options) -> teacher */
static PyObject *open_teacher(PyObject *module, PyObject *arguments) {
  PyObject *capsule;
  const char *options;
  (void)module;
  if (!PyArg_ParseTuple(arguments, "Oz", &capsule, &options)) return NULL;
  Model *self = PyCapsule_GetPointer(capsule, MODEL);
  if (self == NULL) return NULL;
  tio_teacher *teacher = NULL;
  CALL(tio_teacher_open(self->model, options, &teacher, &error));
  PyObject *result = PyCapsule_New(teacher, TEACHER, teacher_destroy);
  if (result == NULL) tio_teacher_release(teacher);
  return result;
}

/* add_example(teacher, values, label, name) */
static PyObject *add_example(PyObject *module, PyObject *arguments) {
  PyObject *capsule, *items;
  const char *label, *name;
  (void)module;
  if (!PyArg_ParseTuple(arguments, "OO!ss", &capsule, &PyTuple_Type, &items, &label, &name)) return NULL;
  tio_teacher *teacher = PyCapsule_GetPointer(capsule, TEACHER);
  FewValues storage;
  Values values = FEW(storage);
  if (teacher == NULL || values_read(&values, items) != 0) return NULL;
  UNLOCKED(tio_teacher_add(teacher, values.values, (size_t)values.count, label, name, &error));
  values_release(&values);
  if (status != TIO_OK) return fail(error);
  Py_RETURN_NONE;
}

/* add_examples(teacher, path, label) */
static PyObject *add_examples(PyObject *module, PyObject *arguments) {
  PyObject *capsule;
  const char *path, *label;
  (void)module;
  if (!PyArg_ParseTuple(arguments, "Osz", &capsule, &path, &label)) return NULL;
  tio_teacher *teacher = PyCapsule_GetPointer(capsule, TEACHER);
  if (teacher == NULL) return NULL;
  CALL(tio_teacher_add_data(teacher, path, label, &error));
  Py_RETURN_NONE;
}

/* add_gallery(teacher, path) */
static PyObject *add_gallery(PyObject *module, PyObject *arguments) {
  PyObject *capsule;
  const char *path;
  (void)module;
  if (!PyArg_ParseTuple(arguments, "Os", &capsule, &path)) return NULL;
  tio_teacher *teacher = PyCapsule_GetPointer(capsule, TEACHER);
  if (teacher == NULL) return NULL;
  CALL(tio_teacher_add_gallery(teacher, path, &error));
  Py_RETURN_NONE;
}

/* remove_examples(teacher, name) -> number of examples */
static PyObject *remove_examples(PyObject *module, PyObject *arguments) {
  PyObject *capsule;
  const char *name;
  (void)module;
  if (!PyArg_ParseTuple(arguments, "Os", &capsule, &name)) return NULL;
  tio_teacher *teacher = PyCapsule_GetPointer(capsule, TEACHER);
  if (teacher == NULL) return NULL;
  size_t count = 0;
  tio_error *error = NULL;
  if (tio_teacher_remove(teacher, name, &count, &error) != TIO_OK) return fail(error);
  return PyLong_FromSize_t(count);
}

/* Returns the JSON text that a function of a teacher stores. */
static PyObject *text_of_teacher(
    PyObject *capsule, tio_status (*function)(tio_teacher *, tio_string **, tio_error **)) {
  tio_teacher *teacher = PyCapsule_GetPointer(capsule, TEACHER);
  if (teacher == NULL) return NULL;
  tio_string *json = NULL;
  tio_error *error = NULL;
  if (function(teacher, &json, &error) != TIO_OK) return fail(error);
  return take_string(json);
}

/* teacher_classes(teacher) -> JSON */
static PyObject *teacher_classes(PyObject *module, PyObject *capsule) {
  (void)module;
  return text_of_teacher(capsule, tio_teacher_classes);
}

/* refine_teacher(teacher, options, placeholders) -> JSON */
static PyObject *refine_teacher(PyObject *module, PyObject *arguments) {
  PyObject *capsule, *items;
  const char *options;
  (void)module;
  if (!PyArg_ParseTuple(arguments, "OzO!", &capsule, &options, &PyTuple_Type, &items)) return NULL;
  tio_teacher *teacher = PyCapsule_GetPointer(capsule, TEACHER);
  FewValues storage;
  Values values = FEW(storage);
  if (teacher == NULL || values_read(&values, items) != 0) return NULL;
  tio_string *json = NULL;
  UNLOCKED(tio_teacher_refine(teacher, options, values.values, (size_t)values.count, &json, &error));
  values_release(&values);
  if (status != TIO_OK) return fail(error);
  return take_string(json);
}

/* fit_teacher(teacher, path, overwrite) -> JSON */
static PyObject *fit_teacher(PyObject *module, PyObject *arguments) {
  PyObject *capsule;
  const char *path;
  int overwriting;
  (void)module;
  if (!PyArg_ParseTuple(arguments, "Ozp", &capsule, &path, &overwriting)) return NULL;
  tio_teacher *teacher = PyCapsule_GetPointer(capsule, TEACHER);
  if (teacher == NULL) return NULL;
  tio_string *report = NULL;
  CALL(tio_teacher_fit(teacher, path, overwriting, &report, &error));
  return take_string(report);
}

/* teacher_weights(teacher) -> list of names and buffers */
static PyObject *teacher_weights(PyObject *module, PyObject *capsule) {
  (void)module;
  tio_teacher *teacher = PyCapsule_GetPointer(capsule, TEACHER);
  if (teacher == NULL) return NULL;
  tio_weights *weights = NULL;
  tio_error *error = NULL;
  if (tio_teacher_weights(teacher, &weights, &error) != TIO_OK) return fail(error);
  return weights_list(weights);
}

/* set_teacher_weights(teacher, values) */
static PyObject *set_teacher_weights(PyObject *module, PyObject *arguments) {
  PyObject *capsule, *items;
  (void)module;
  if (!PyArg_ParseTuple(arguments, "OO!", &capsule, &PyTuple_Type, &items)) return NULL;
  tio_teacher *teacher = PyCapsule_GetPointer(capsule, TEACHER);
  if (teacher == NULL) return NULL;
  Values values;
  PyObject *result = NULL;
  if (values_allocate(&values, PyTuple_Size(items)) == 0 && values_read(&values, items) == 0) {
    tio_error *error = NULL;
    tio_status status =
        tio_teacher_set_weights(teacher, values.values, (size_t)values.count, &error);
    result = status == TIO_OK ? Py_NewRef(Py_None) : fail(error);
  }
  values_free(&values);
  return result;
}

/* train_teacher(teacher, proximity) -> JSON */
static PyObject *train_teacher(PyObject *module, PyObject *arguments) {
  PyObject *capsule, *number;
  (void)module;
  if (!PyArg_ParseTuple(arguments, "OO", &capsule, &number)) return NULL;
  tio_teacher *teacher = PyCapsule_GetPointer(capsule, TEACHER);
  if (teacher == NULL) return NULL;
  double proximity = number == Py_None ? 0 : PyFloat_AsDouble(number);
  if (PyErr_Occurred()) return NULL;
  const double *given = number == Py_None ? NULL : &proximity;
  tio_string *json = NULL;
  CALL(tio_teacher_train(teacher, given, &json, &error));
  return take_string(json);
}

/* evaluate_teacher(teacher) -> JSON */
static PyObject *evaluate_teacher(PyObject *module, PyObject *capsule) {
  (void)module;
  return text_of_teacher(capsule, tio_teacher_evaluate);
}

/* calibrate_teacher(teacher) -> JSON */
static PyObject *calibrate_teacher(PyObject *module, PyObject *capsule) {
  (void)module;
  return text_of_teacher(capsule, tio_teacher_calibrate);
}

/* export_teacher(teacher, path, overwrite) */
static PyObject *export_teacher(PyObject *module, PyObject *arguments) {
  PyObject *capsule;
  const char *path;
  int overwriting;
  (void)module;
  if (!PyArg_ParseTuple(arguments, "Osp", &capsule, &path, &overwriting)) return NULL;
  tio_teacher *teacher = PyCapsule_GetPointer(capsule, TEACHER);
  if (teacher == NULL) return NULL;
  CALL(tio_teacher_export(teacher, path, overwriting, &error));
  Py_RETURN_NONE;
}

/* --- Training ---------------------------------------------------------------------------------- */

static void trainer_destroy(PyObject *capsule) {
  tio_trainer *trainer = PyCapsule_GetPointer(capsule, TRAINER);
  Py_BEGIN_ALLOW_THREADS
  tio_trainer_release(trainer);
  Py_END_ALLOW_THREADS
}

static void dataset_destroy(PyObject *capsule) {
  tio_dataset_release(PyCapsule_GetPointer(capsule, DATASET));
}

static void training_destroy(PyObject *capsule) {
  tio_training *training = PyCapsule_GetPointer(capsule, TRAINING);
  Py_BEGIN_ALLOW_THREADS
  tio_training_release(training);
  Py_END_ALLOW_THREADS
}

static PyObject *open_trainer(PyObject *module, PyObject *arguments) {
  const char *path, *options;
  (void)module;
  if (!PyArg_ParseTuple(arguments, "sz", &path, &options)) return NULL;
  tio_trainer *trainer = NULL;
  CALL(tio_trainer_open(path, options, &trainer, &error));
  PyObject *capsule = PyCapsule_New(trainer, TRAINER, trainer_destroy);
  if (capsule == NULL) tio_trainer_release(trainer);
  return capsule;
}

static PyObject *describe_trainer(PyObject *module, PyObject *capsule) {
  (void)module;
  tio_trainer *trainer = PyCapsule_GetPointer(capsule, TRAINER);
  return trainer == NULL ? NULL : PyUnicode_FromString(tio_trainer_description(trainer));
}

static PyObject *new_dataset(tio_dataset *data) {
  PyObject *capsule = PyCapsule_New(data, DATASET, dataset_destroy);
  if (capsule == NULL) tio_dataset_release(data);
  return capsule;
}

static PyObject *open_dataset(PyObject *module, PyObject *arguments) {
  PyObject *capsule;
  const char *path;
  (void)module;
  if (!PyArg_ParseTuple(arguments, "Os", &capsule, &path)) return NULL;
  tio_trainer *trainer = PyCapsule_GetPointer(capsule, TRAINER);
  if (trainer == NULL) return NULL;
  tio_dataset *data = NULL;
  CALL(tio_dataset_open(trainer, path, &data, &error));
  return new_dataset(data);
}

/* create_dataset(items) -> dataset; the items are tuples of values with the same names */
static PyObject *create_dataset(PyObject *module, PyObject *items) {
  (void)module;
  ItemValues values;
  if (items_read(&values, items) != 0) return NULL;
  tio_dataset *data = NULL;
  UNLOCKED(tio_dataset_create(values.values.values, (size_t)values.value_count,
           (size_t)values.item_count, &data, &error));
  items_release(&values);
  return status == TIO_OK ? new_dataset(data) : fail(error);
}

static PyObject *count_dataset(PyObject *module, PyObject *capsule) {
  (void)module;
  tio_dataset *data = PyCapsule_GetPointer(capsule, DATASET);
  return data == NULL ? NULL : PyLong_FromSize_t(tio_dataset_count(data));
}

/* step(trainer, dataset, placeholders, timing) -> output */
static PyObject *step(PyObject *module, PyObject *arguments) {
  PyObject *capsule, *dataset, *items;
  const char *timing;
  (void)module;
  if (!PyArg_ParseTuple(arguments, "OOO!s", &capsule, &dataset, &PyTuple_Type, &items, &timing))
    return NULL;
  tio_trainer *trainer = PyCapsule_GetPointer(capsule, TRAINER);
  tio_dataset *data = trainer == NULL ? NULL : PyCapsule_GetPointer(dataset, DATASET);
  FewValues storage;
  Values values = FEW(storage);
  if (data == NULL || values_read(&values, items) != 0) return NULL;
  tio_output *output = NULL;
  UNLOCKED(tio_trainer_step(trainer, data, values.values, (size_t)values.count, timing, &output,
           &error));
  values_release(&values);
  return status == TIO_OK ? new_output(output) : fail(error);
}

/* evaluate(trainer, dataset, batch_size, loss) -> JSON */
static PyObject *evaluate(PyObject *module, PyObject *arguments) {
  PyObject *capsule, *dataset;
  Py_ssize_t batch_size;
  const char *loss;
  (void)module;
  if (!PyArg_ParseTuple(arguments, "OOnz", &capsule, &dataset, &batch_size, &loss)) return NULL;
  tio_trainer *trainer = PyCapsule_GetPointer(capsule, TRAINER);
  tio_dataset *data = trainer == NULL ? NULL : PyCapsule_GetPointer(dataset, DATASET);
  if (data == NULL) return NULL;
  tio_string *json = NULL;
  CALL(tio_trainer_evaluate(trainer, data, batch_size < 0 ? 0 : (size_t)batch_size, loss, &json,
       &error));
  return take_string(json);
}

/* trainer_model(trainer) -> model */
static PyObject *trainer_model(PyObject *module, PyObject *capsule) {
  (void)module;
  tio_trainer *trainer = PyCapsule_GetPointer(capsule, TRAINER);
  if (trainer == NULL) return NULL;
  tio_model *model = NULL;
  CALL(tio_trainer_model(trainer, &model, &error));
  return new_model(model);
}

/* Calls a function with a trainer and a path. */
static PyObject *call_with_path(PyObject *arguments,
                                tio_status (*function)(tio_trainer *, const char *, tio_error **)) {
  PyObject *capsule;
  const char *path;
  if (!PyArg_ParseTuple(arguments, "Os", &capsule, &path)) return NULL;
  tio_trainer *trainer = PyCapsule_GetPointer(capsule, TRAINER);
  if (trainer == NULL) return NULL;
  CALL(function(trainer, path, &error));
  Py_RETURN_NONE;
}

static PyObject *save_trainer(PyObject *module, PyObject *arguments) {
  (void)module;
  return call_with_path(arguments, tio_trainer_save);
}

static PyObject *restore_trainer(PyObject *module, PyObject *arguments) {
  (void)module;
  return call_with_path(arguments, tio_trainer_restore);
}

/* export_trainer(trainer, path, overwrite) */
static PyObject *export_trainer(PyObject *module, PyObject *arguments) {
  PyObject *capsule;
  const char *path;
  int overwriting;
  (void)module;
  if (!PyArg_ParseTuple(arguments, "Osp", &capsule, &path, &overwriting)) return NULL;
  tio_trainer *trainer = PyCapsule_GetPointer(capsule, TRAINER);
  if (trainer == NULL) return NULL;
  CALL(tio_trainer_export(trainer, path, overwriting, &error));
  Py_RETURN_NONE;
}

/* get_weights(trainer, all) -> list of names and buffers */
static PyObject *get_weights(PyObject *module, PyObject *arguments) {
  PyObject *capsule;
  int all;
  (void)module;
  if (!PyArg_ParseTuple(arguments, "Op", &capsule, &all)) return NULL;
  tio_trainer *trainer = PyCapsule_GetPointer(capsule, TRAINER);
  if (trainer == NULL) return NULL;
  tio_weights *weights = NULL;
  CALL(tio_trainer_weights(trainer, all, &weights, &error));
  return weights_list(weights);
}

/* set_weights(trainer, values, partial) */
static PyObject *set_weights(PyObject *module, PyObject *arguments) {
  PyObject *capsule, *items;
  int partial;
  (void)module;
  if (!PyArg_ParseTuple(arguments, "OO!p", &capsule, &PyTuple_Type, &items, &partial)) return NULL;
  tio_trainer *trainer = PyCapsule_GetPointer(capsule, TRAINER);
  if (trainer == NULL) return NULL;
  Py_ssize_t count = PyTuple_Size(items);
  Values values;
  PyObject *result = NULL;
  if (values_allocate(&values, count) == 0 && values_read(&values, items) == 0) {
    UNLOCKED(tio_trainer_set_weights(trainer, values.values, (size_t)values.count, partial,
             &error));
    result = status == TIO_OK ? Py_NewRef(Py_None) : fail(error);
  }
  values_free(&values);
  return result;
}

/* start_training(trainer, dataset, options, placeholders) -> training */
static PyObject *start_training(PyObject *module, PyObject *arguments) {
  PyObject *capsule, *dataset, *items;
  const char *options;
  (void)module;
  if (!PyArg_ParseTuple(arguments, "OOzO!", &capsule, &dataset, &options, &PyTuple_Type, &items))
    return NULL;
  tio_trainer *trainer = PyCapsule_GetPointer(capsule, TRAINER);
  tio_dataset *data = trainer == NULL ? NULL : PyCapsule_GetPointer(dataset, DATASET);
  FewValues storage;
  Values values = FEW(storage);
  if (data == NULL || values_read(&values, items) != 0) return NULL;
  tio_training *training = NULL;
  tio_error *error = NULL;
  tio_status status =
      tio_training_start(trainer, data, options, values.values, (size_t)values.count, &training, &error);
  values_release(&values);
  if (status != TIO_OK) return fail(error);
  PyObject *result = PyCapsule_New(training, TRAINING, training_destroy);
  if (result == NULL) tio_training_release(training);
  return result;
}

/* next_step(training) -> JSON, or None at the end */
static PyObject *next_step(PyObject *module, PyObject *capsule) {
  (void)module;
  tio_training *training = PyCapsule_GetPointer(capsule, TRAINING);
  if (training == NULL) return NULL;
  const char *json = NULL;
  CALL(tio_training_next(training, &json, &error));
  if (json == NULL) Py_RETURN_NONE;
  return PyUnicode_FromString(json);
}

static PyObject *save_training(PyObject *module, PyObject *capsule) {
  (void)module;
  tio_training *training = PyCapsule_GetPointer(capsule, TRAINING);
  if (training == NULL) return NULL;
  CALL(tio_training_save(training, &error));
  Py_RETURN_NONE;
}

/* --- Generating text ---------------------------------------------------------------------------- */

static void generation_destroy(PyObject *capsule) {
  tio_generation *generation = PyCapsule_GetPointer(capsule, GENERATION);
  Py_BEGIN_ALLOW_THREADS
  tio_generation_release(generation);
  Py_END_ALLOW_THREADS
}

static void conversation_destroy(PyObject *capsule) {
  tio_conversation *conversation = PyCapsule_GetPointer(capsule, CONVERSATION);
  Py_BEGIN_ALLOW_THREADS
  tio_conversation_release(conversation);
  Py_END_ALLOW_THREADS
}

static PyObject *new_generation(tio_generation *generation) {
  PyObject *capsule = PyCapsule_New(generation, GENERATION, generation_destroy);
  if (capsule == NULL) tio_generation_release(generation);
  return capsule;
}

/* generate(model, values, options) -> generation */
static PyObject *generate(PyObject *module, PyObject *arguments) {
  PyObject *capsule, *items;
  const char *options;
  (void)module;
  if (!PyArg_ParseTuple(arguments, "OO!z", &capsule, &PyTuple_Type, &items, &options)) return NULL;
  Model *self = PyCapsule_GetPointer(capsule, MODEL);
  if (self == NULL) return NULL;
  Values values;
  PyObject *result = NULL;
  if (values_allocate(&values, PyTuple_Size(items)) == 0 && values_read(&values, items) == 0) {
    tio_generation *generation = NULL;
    UNLOCKED(tio_model_generate(self->model, values.values, (size_t)values.count, options,
             &generation, &error));
    result = status == TIO_OK ? new_generation(generation) : fail(error);
  }
  values_free(&values);
  return result;
}

/* A piece that was generated without Python's lock. */
typedef struct {
  char *text; /* NULL if there is no piece, or no memory for it */
  size_t byte_count;
  int32_t token;
  int is_there;
} Piece;

/* Keeps a copy of a piece, and ends the call. */
static int32_t keep_piece(void *context, const char *text, size_t byte_count, int32_t token) {
  Piece *piece = context;
  piece->text = malloc(byte_count + 1);
  if (piece->text != NULL) memcpy(piece->text, text, byte_count);
  piece->byte_count = byte_count;
  piece->token = token;
  piece->is_there = 1;
  return 1;
}

/* next_piece(generation) -> text and id of the token, or None at the end */
static PyObject *next_piece(PyObject *module, PyObject *capsule) {
  (void)module;
  tio_generation *generation = PyCapsule_GetPointer(capsule, GENERATION);
  if (generation == NULL) return NULL;
  Piece piece = {NULL, 0, -1, 0};
  CALL(tio_generation_read(generation, keep_piece, &piece, &error));
  if (!piece.is_there) Py_RETURN_NONE;
  if (piece.text == NULL) return PyErr_NoMemory();
  PyObject *token = piece.token < 0 ? Py_NewRef(Py_None) : PyLong_FromLong(piece.token);
  PyObject *result = Py_BuildValue("(s#N)", piece.text, (Py_ssize_t)piece.byte_count, token);
  free(piece.text);
  return result;
}

static PyObject *cancel_generation(PyObject *module, PyObject *capsule) {
  (void)module;
  tio_generation *generation = PyCapsule_GetPointer(capsule, GENERATION);
  if (generation == NULL) return NULL;
  tio_generation_cancel(generation);
  Py_RETURN_NONE;
}

/* generation_result(generation) -> JSON; waits for a step that another thread performs */
static PyObject *generation_result(PyObject *module, PyObject *capsule) {
  (void)module;
  tio_generation *generation = PyCapsule_GetPointer(capsule, GENERATION);
  if (generation == NULL) return NULL;
  tio_string *json = NULL;
  CALL(tio_generation_result(generation, &json, &error));
  return take_string(json);
}

/* generation_sound(generation) -> samples as bytes of float32, and their number in a second */
static PyObject *generation_sound(PyObject *module, PyObject *capsule) {
  (void)module;
  tio_generation *generation = PyCapsule_GetPointer(capsule, GENERATION);
  if (generation == NULL) return NULL;
  size_t count = 0, copied = 0;
  int32_t rate = 0;
  tio_error *error = NULL;
  if (tio_generation_sound(generation, NULL, 0, &count, &rate, &error) != TIO_OK) return fail(error);
  PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(count * sizeof(float)));
  if (bytes == NULL) return NULL;
  float *samples = (float *)(void *)PyBytes_AsString(bytes);
  if (tio_generation_sound(generation, samples, count, &copied, &rate, &error) != TIO_OK || copied != count) {
    Py_DECREF(bytes);
    if (error != NULL) return fail(error);
    PyErr_SetString(PyExc_RuntimeError, "another thread has read the next sentence");
    return NULL;
  }
  return Py_BuildValue("(Ni)", bytes, (int)rate);
}

/* listen(model, options) -> transcript of sound that goes on, and the rate of its samples */
static PyObject *listen_to_sound(PyObject *module, PyObject *arguments) {
  PyObject *capsule;
  const char *options;
  (void)module;
  if (!PyArg_ParseTuple(arguments, "Oz", &capsule, &options)) return NULL;
  Model *self = PyCapsule_GetPointer(capsule, MODEL);
  if (self == NULL) return NULL;
  tio_generation *generation = NULL;
  tio_error *error = NULL;
  tio_status status;
  int32_t rate = 0;
  Py_BEGIN_ALLOW_THREADS
  status = tio_model_listen(self->model, options, &generation, &rate, &error);
  Py_END_ALLOW_THREADS
  if (status != TIO_OK) return fail(error);
  PyObject *result = new_generation(generation);
  return result == NULL ? NULL : Py_BuildValue("(Ni)", result, (int)rate);
}

/* append_sound(generation, samples as float32, number of channels, rate) */
static PyObject *append_sound(PyObject *module, PyObject *arguments) {
  PyObject *capsule;
  Py_buffer samples;
  int channels, rate;
  (void)module;
  if (!PyArg_ParseTuple(arguments, "Oy*ii", &capsule, &samples, &channels, &rate)) return NULL;
  PyObject *result = NULL;
  tio_generation *generation = PyCapsule_GetPointer(capsule, GENERATION);
  if (generation != NULL) {
    UNLOCKED(tio_generation_append_sound(generation, samples.buf,
             (size_t)samples.len / sizeof(float), channels, rate, &error));
    result = status == TIO_OK ? Py_NewRef(Py_None) : fail(error);
  }
  PyBuffer_Release(&samples);
  return result;
}

/* update_transcript(generation, partial, is_last) -> JSON, or None if nothing is new */
static PyObject *update_transcript(PyObject *module, PyObject *arguments) {
  PyObject *capsule;
  int partial, is_last;
  (void)module;
  if (!PyArg_ParseTuple(arguments, "Opp", &capsule, &partial, &is_last)) return NULL;
  tio_generation *generation = PyCapsule_GetPointer(capsule, GENERATION);
  if (generation == NULL) return NULL;
  tio_string *json = NULL;
  CALL(tio_generation_update(generation, partial, is_last, &json, &error));
  if (json == NULL) Py_RETURN_NONE;
  return take_string(json);
}

/* label_speakers(generation, model, values, similarity): similarity is NaN for the default */
static PyObject *label_speakers(PyObject *module, PyObject *arguments) {
  PyObject *capsule, *voices, *items;
  double similarity;
  (void)module;
  if (!PyArg_ParseTuple(arguments, "OOO!d", &capsule, &voices, &PyTuple_Type, &items, &similarity)) return NULL;
  tio_generation *generation = PyCapsule_GetPointer(capsule, GENERATION);
  Model *self = generation == NULL ? NULL : PyCapsule_GetPointer(voices, MODEL);
  if (self == NULL) return NULL;
  Values values;
  PyObject *result = NULL;
  if (values_allocate(&values, PyTuple_Size(items)) == 0 && values_read(&values, items) == 0) {
    UNLOCKED(tio_generation_label_speakers(generation, self->model,
             values.count > 0 ? values.values : NULL, similarity, &error));
    result = status == TIO_OK ? Py_NewRef(Py_None) : fail(error);
  }
  values_free(&values);
  return result;
}

/* open_conversation(model, system, options) -> conversation */
static PyObject *open_conversation(PyObject *module, PyObject *arguments) {
  PyObject *capsule;
  const char *system, *options;
  (void)module;
  if (!PyArg_ParseTuple(arguments, "Ozz", &capsule, &system, &options)) return NULL;
  Model *self = PyCapsule_GetPointer(capsule, MODEL);
  if (self == NULL) return NULL;
  tio_conversation *conversation = NULL;
  CALL(tio_conversation_open(self->model, system, options, &conversation, &error));
  PyObject *result = PyCapsule_New(conversation, CONVERSATION, conversation_destroy);
  if (result == NULL) tio_conversation_release(conversation);
  return result;
}

/* send_message(conversation, message) -> generation; waits for a step of an earlier answer */
static PyObject *send_message(PyObject *module, PyObject *arguments) {
  PyObject *capsule;
  const char *message;
  (void)module;
  if (!PyArg_ParseTuple(arguments, "Os", &capsule, &message)) return NULL;
  tio_conversation *conversation = PyCapsule_GetPointer(capsule, CONVERSATION);
  if (conversation == NULL) return NULL;
  tio_generation *answer = NULL;
  CALL(tio_conversation_send(conversation, message, &answer, &error));
  return new_generation(answer);
}

/* conversation_messages(conversation) -> JSON */
static PyObject *conversation_messages(PyObject *module, PyObject *capsule) {
  (void)module;
  tio_conversation *conversation = PyCapsule_GetPointer(capsule, CONVERSATION);
  if (conversation == NULL) return NULL;
  tio_string *json = NULL;
  CALL(tio_conversation_messages(conversation, &json, &error));
  return take_string(json);
}

/* keep_size(object) -> a weak reference, or None */
static PyObject *keep_array_size(PyObject *module, PyObject *object) {
  (void)module;
  PyObject *reference = keep_size(object);
  return reference == NULL ? Py_NewRef(Py_None) : reference;
}

/* --- Module ------------------------------------------------------------------------------------ */

static PyObject *set_error_hook(PyObject *module, PyObject *hook) {
  (void)module;
  Py_XDECREF(raise_hook);
  raise_hook = Py_NewRef(hook);
  Py_RETURN_NONE;
}

static PyObject *version(PyObject *module, PyObject *unused) {
  (void)module;
  (void)unused;
  return PyUnicode_FromString(tio_version());
}

static PyMethodDef methods[] = {
    {"open", open_model, METH_VARARGS, NULL},
    {"describe", describe, METH_O, NULL},
    {"run", (PyCFunction)(void (*)(void))run, METH_FASTCALL, NULL},
    {"run_batch", run_batch, METH_VARARGS, NULL},
    {"run_rows", run_rows, METH_VARARGS, NULL},
    {"run_floats", (PyCFunction)(void (*)(void))run_floats, METH_FASTCALL, NULL},
    {"run_columns", run_columns, METH_VARARGS, NULL},
    {"open_stream", open_stream, METH_O, NULL},
    {"run_stream", run_stream, METH_VARARGS, NULL},
    {"reset_stream", reset_stream, METH_O, NULL},
    {"output_json", output_json, METH_VARARGS, NULL},
    {"result_columns", result_columns, METH_VARARGS, NULL},
    {"numbers", numbers, METH_VARARGS, NULL},
    {"records", records, METH_VARARGS, NULL},
    {"output_names", output_names, METH_O, NULL},
    {"output_tensor", output_tensor, METH_VARARGS, NULL},
    {"draw", draw, METH_VARARGS, NULL},
    {"enroll", enroll, METH_VARARGS, NULL},
    {"enrolled", enrolled, METH_O, NULL},
    {"remove_enrolled", remove_enrolled, METH_VARARGS, NULL},
    {"open_teacher", open_teacher, METH_VARARGS, NULL},
    {"add_example", add_example, METH_VARARGS, NULL},
    {"add_examples", add_examples, METH_VARARGS, NULL},
    {"add_gallery", add_gallery, METH_VARARGS, NULL},
    {"remove_examples", remove_examples, METH_VARARGS, NULL},
    {"teacher_classes", teacher_classes, METH_O, NULL},
    {"refine_teacher", refine_teacher, METH_VARARGS, NULL},
    {"fit_teacher", fit_teacher, METH_VARARGS, NULL},
    {"teacher_weights", teacher_weights, METH_O, NULL},
    {"set_teacher_weights", set_teacher_weights, METH_VARARGS, NULL},
    {"train_teacher", train_teacher, METH_VARARGS, NULL},
    {"evaluate_teacher", evaluate_teacher, METH_O, NULL},
    {"calibrate_teacher", calibrate_teacher, METH_O, NULL},
    {"export_teacher", export_teacher, METH_VARARGS, NULL},
    {"open_trainer", open_trainer, METH_VARARGS, NULL},
    {"describe_trainer", describe_trainer, METH_O, NULL},
    {"open_dataset", open_dataset, METH_VARARGS, NULL},
    {"create_dataset", create_dataset, METH_O, NULL},
    {"count_dataset", count_dataset, METH_O, NULL},
    {"step", step, METH_VARARGS, NULL},
    {"evaluate", evaluate, METH_VARARGS, NULL},
    {"trainer_model", trainer_model, METH_O, NULL},
    {"save_trainer", save_trainer, METH_VARARGS, NULL},
    {"restore_trainer", restore_trainer, METH_VARARGS, NULL},
    {"export_trainer", export_trainer, METH_VARARGS, NULL},
    {"get_weights", get_weights, METH_VARARGS, NULL},
    {"set_weights", set_weights, METH_VARARGS, NULL},
    {"start_training", start_training, METH_VARARGS, NULL},
    {"next_step", next_step, METH_O, NULL},
    {"save_training", save_training, METH_O, NULL},
    {"set_error_hook", set_error_hook, METH_O, NULL},
    {"set_result_type", set_result_type, METH_O, NULL},
    {"set_input_name", set_input_name, METH_VARARGS, NULL},
    {"generate", generate, METH_VARARGS, NULL},
    {"listen", listen_to_sound, METH_VARARGS, NULL},
    {"append_sound", append_sound, METH_VARARGS, NULL},
    {"update_transcript", update_transcript, METH_VARARGS, NULL},
    {"label_speakers", label_speakers, METH_VARARGS, NULL},
    {"next_piece", next_piece, METH_O, NULL},
    {"cancel_generation", cancel_generation, METH_O, NULL},
    {"generation_result", generation_result, METH_O, NULL},
    {"generation_sound", generation_sound, METH_O, NULL},
    {"open_conversation", open_conversation, METH_VARARGS, NULL},
    {"send_message", send_message, METH_VARARGS, NULL},
    {"conversation_messages", conversation_messages, METH_O, NULL},
    {"keep_size", keep_array_size, METH_O, NULL},
    {"version", version, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

/* Adds a type to the module. */
static int add_type(PyObject *module, const char *name, PyType_Spec *spec) {
  PyObject *type = PyType_FromSpec(spec);
  int failed = type == NULL || PyModule_AddObjectRef(module, name, type) != 0;
  Py_XDECREF(type);
  return failed ? -1 : 0;
}

static int execute(PyObject *module) {
  /* The exceptions of one interpreter cannot be raised in another, and numpy can be imported only once. */
  if (PyInterpreterState_GetID(PyInterpreterState_Get()) != 0) {
    PyErr_SetString(PyExc_ImportError, "tensorio does not support subinterpreters");
    return -1;
  }
  buffer_type = (PyTypeObject *)PyType_FromSpec(&buffer_spec);
  input_text = PyUnicode_InternFromString("input");
  call_text = PyUnicode_InternFromString("_call");
  live_text = PyUnicode_InternFromString("_live");
  only_array_text = PyUnicode_InternFromString("_only_array");
  if (buffer_type == NULL || input_text == NULL || call_text == NULL || live_text == NULL ||
      only_array_text == NULL)
    return -1;
  return add_type(module, "Runner", &runner_spec) || add_type(module, "Outputs", &outputs_spec) ? -1 : 0;
}

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, execute},
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "tensorio._core", NULL, 0, methods, slots, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__core(void) { return PyModuleDef_Init(&definition); }
