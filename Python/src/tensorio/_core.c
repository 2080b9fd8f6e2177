/* The extension module of the package: a thin layer over tensorio.h.
 *
 * Objects of the library are held by capsules. The module uses the limited API of Python 3.11, so one
 * build works with all later versions. */
#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>
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
static const char STREAM[] = "tensorio.stream";

typedef struct {
  tio_model *model;
  /* The duration of the last run. Only a hint, so races between threads are harmless. */
  long long last_nanoseconds;
} Model;

static PyObject *raise_hook; /* called with the JSON of an error; returns an exception */

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (long long)time.tv_sec * 1000000000LL + time.tv_nsec;
}

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

/* --- Values: from Python to C ------------------------------------------------------------------ */

/* What a value borrows. */
typedef struct {
  Py_buffer view;
  int64_t shape[MAX_RANK];
  int64_t strides[MAX_RANK];
} Loan;

/* Values of a call, with the buffers that they borrow. */
typedef struct {
  tio_value *values;
  Loan *loans;
  Py_ssize_t count, capacity;
} Values;

/* Values of a single run, without memory from the heap. */
typedef struct {
  tio_value values[MAX_VALUES];
  Loan loans[MAX_VALUES];
} FewValues;

#define FEW(storage) {(storage).values, (storage).loans, 0, MAX_VALUES}

static void values_release(Values *self) {
  for (Py_ssize_t index = 0; index < self->count; index++)
    if (self->loans[index].view.obj != NULL) PyBuffer_Release(&self->loans[index].view);
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

/* Adds the value of a tuple (name, kind, object, pixel_format). */
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
  view->obj = NULL;
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
  int flags = kind == TIO_VALUE_BYTES ? PyBUF_SIMPLE : PyBUF_STRIDED_RO | PyBUF_FORMAT;
  if (PyObject_GetBuffer(object, view, flags) != 0) {
    view->obj = NULL;
    return -1;
  }
  self->count++;
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

/* --- Models ------------------------------------------------------------------------------------ */

static void model_destroy(PyObject *capsule) {
  Model *model = PyCapsule_GetPointer(capsule, MODEL);
  if (model == NULL) return;
  Py_BEGIN_ALLOW_THREADS
  tio_model_release(model->model);
  Py_END_ALLOW_THREADS
  PyMem_Free(model);
}

static void output_destroy(PyObject *capsule) {
  tio_output_release(PyCapsule_GetPointer(capsule, OUTPUT));
}

static void stream_destroy(PyObject *capsule) {
  PyObject *model = PyCapsule_GetContext(capsule);
  tio_stream_release(PyCapsule_GetPointer(capsule, STREAM));
  Py_XDECREF(model);
}

static PyObject *open_model(PyObject *module, PyObject *arguments) {
  const char *path, *options;
  (void)module;
  if (!PyArg_ParseTuple(arguments, "sz", &path, &options)) return NULL;
  Model *self = PyMem_Calloc(1, sizeof *self);
  if (self == NULL) return PyErr_NoMemory();
  self->last_nanoseconds = SHORT_RUN_NANOSECONDS;
  tio_error *error = NULL;
  tio_status status;
  Py_BEGIN_ALLOW_THREADS
  status = tio_model_open(path, options, &self->model, &error);
  Py_END_ALLOW_THREADS
  if (status != TIO_OK) {
    PyMem_Free(self);
    return fail(error);
  }
  PyObject *capsule = PyCapsule_New(self, MODEL, model_destroy);
  if (capsule == NULL) {
    tio_model_release(self->model);
    PyMem_Free(self);
  }
  return capsule;
}

static PyObject *describe(PyObject *module, PyObject *capsule) {
  (void)module;
  Model *self = PyCapsule_GetPointer(capsule, MODEL);
  return self == NULL ? NULL : PyUnicode_FromString(tio_model_description(self->model));
}

static PyObject *new_output(tio_output *output) {
  PyObject *capsule = PyCapsule_New(output, OUTPUT, output_destroy);
  if (capsule == NULL) tio_output_release(output);
  return capsule;
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
  Py_ssize_t item_count = PyList_Size(items);
  if (item_count == 0) return PyList_New(0);
  PyObject *first = PyList_GetItem(items, 0);
  Py_ssize_t value_count = PyTuple_Size(first);
  if (value_count <= 0) {
    if (value_count == 0) PyErr_SetString(PyExc_ValueError, "an item without values");
    return NULL;
  }
  size_t total = (size_t)item_count * (size_t)value_count;
  Values values = {PyMem_Calloc(total, sizeof(tio_value)), PyMem_Calloc(total, sizeof(Loan)), 0, 0};
  tio_output **outputs = PyMem_Calloc((size_t)item_count, sizeof *outputs);
  tio_error **errors = PyMem_Calloc((size_t)item_count, sizeof *errors);
  PyObject *result = NULL;
  if (values.values == NULL || values.loans == NULL || outputs == NULL || errors == NULL) {
    PyErr_NoMemory();
    goto done;
  }
  for (Py_ssize_t index = 0; index < item_count; index++) {
    values.capacity = (index + 1) * value_count;
    if (values_read(&values, PyList_GetItem(items, index)) != 0) goto done;
    if (values.count != values.capacity) {
      PyErr_SetString(PyExc_ValueError, "items with different numbers of values");
      goto done;
    }
  }
  Py_BEGIN_ALLOW_THREADS
  tio_model_run_batch(self->model, values.values, (size_t)value_count, (size_t)item_count, outputs, errors);
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
  values_release(&values);
  PyMem_Free(values.values);
  PyMem_Free(values.loans);
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
  Py_buffer input, output;
  if (self == NULL || float_buffer(arguments[1], &input, PyBUF_CONTIG_RO) != 0) return NULL;
  if (float_buffer(arguments[2], &output, PyBUF_CONTIG) != 0) {
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
    Py_BEGIN_ALLOW_THREADS
    status = tio_model_run_floats(self->model, input.buf, (size_t)(input.len / 4 / rows), output.buf,
                                  (size_t)(output.len / 4 / rows), (size_t)rows, &error);
    Py_END_ALLOW_THREADS
  }
  self->last_nanoseconds = (now() - start) / rows;
  PyBuffer_Release(&input);
  PyBuffer_Release(&output);
  if (status != TIO_OK) return fail(error);
  Py_RETURN_NONE;
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
  tio_error *error = NULL;
  tio_status status;
  Py_BEGIN_ALLOW_THREADS
  status = tio_stream_run(stream, values.values, (size_t)values.count, &output, &error);
  Py_END_ALLOW_THREADS
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
  static const char formats[] = {0, '?', 'B', 'b', 'h', 'i', 'q', 'e', 'f', 'd'};
  static const char sizes[] = {0, 1, 1, 1, 2, 4, 8, 2, 4, 8};
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
  if (tensor.rank > MAX_RANK) {
    PyErr_Format(PyExc_ValueError, "an output with more than %d dimensions", MAX_RANK);
    return NULL;
  }
  allocfunc allocate = (allocfunc)PyType_GetSlot(buffer_type, Py_tp_alloc);
  Buffer *buffer = (Buffer *)allocate(buffer_type, 0);
  if (buffer == NULL) return NULL;
  buffer->owner = Py_NewRef(capsule);
  buffer->data = (void *)tensor.data;
  buffer->byte_count = (Py_ssize_t)tensor.byte_count;
  buffer->item_size = sizes[tensor.dtype];
  buffer->format[0] = formats[tensor.dtype];
  buffer->rank = tensor.rank;
  Py_ssize_t stride = buffer->item_size;
  for (int axis = tensor.rank - 1; axis >= 0; axis--) {
    buffer->shape[axis] = (Py_ssize_t)tensor.shape[axis];
    buffer->strides[axis] = stride;
    stride *= buffer->shape[axis];
  }
  return (PyObject *)buffer;
}

/* draw(output, image value) -> PNG */
static PyObject *draw(PyObject *module, PyObject *arguments) {
  PyObject *capsule, *items;
  (void)module;
  if (!PyArg_ParseTuple(arguments, "OO!", &capsule, &PyTuple_Type, &items)) return NULL;
  tio_output *output = PyCapsule_GetPointer(capsule, OUTPUT);
  FewValues storage;
  Values values = FEW(storage);
  if (output == NULL || values_read(&values, items) != 0) return NULL;
  const void *png = NULL;
  size_t size = 0;
  tio_error *error = NULL;
  tio_status status;
  Py_BEGIN_ALLOW_THREADS
  status = tio_output_draw(output, values.values, &png, &size, &error);
  Py_END_ALLOW_THREADS
  values_release(&values);
  return status == TIO_OK ? PyBytes_FromStringAndSize(png, (Py_ssize_t)size) : fail(error);
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
    {"run_floats", (PyCFunction)(void (*)(void))run_floats, METH_FASTCALL, NULL},
    {"open_stream", open_stream, METH_O, NULL},
    {"run_stream", run_stream, METH_VARARGS, NULL},
    {"reset_stream", reset_stream, METH_O, NULL},
    {"output_json", output_json, METH_VARARGS, NULL},
    {"output_names", output_names, METH_O, NULL},
    {"output_tensor", output_tensor, METH_VARARGS, NULL},
    {"draw", draw, METH_VARARGS, NULL},
    {"set_error_hook", set_error_hook, METH_O, NULL},
    {"version", version, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static int execute(PyObject *module) {
  (void)module;
  buffer_type = (PyTypeObject *)PyType_FromSpec(&buffer_spec);
  return buffer_type == NULL ? -1 : 0;
}

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, execute},
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "tensorio._core", NULL, 0, methods, slots, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__core(void) { return PyModuleDef_Init(&definition); }
