/* Launches from Python, in the stable ABI: ctypes would take several microseconds to fill three tensors.
 *
 * Borrows every argument through DLPack for the call alone. Opens nothing: setup() is told where libkiln's functions
 * are. */
#define Py_LIMITED_API 0x030A0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <string.h>

#include "kiln/c_api.h"

#define MAX_ARGS 32

typedef kiln_code (*launch_fn)(const void* handle, void* stream, const kiln_arg* args, size_t count, kiln_error* error);
typedef kiln_code (*prepare_fn)(const void* handle, const kiln_arg* args, size_t count, kiln_future** future,
                                kiln_error* error);

static kiln_error* (*error_create)(void);
static void (*error_destroy)(kiln_error*);
static const char* (*error_stage)(const kiln_error*);
static const char* (*error_message)(const kiln_error*);
static launch_fn op_launch;
static launch_fn executable_launch;
static prepare_fn op_prepare;

static PyObject* error_type;   /* kiln.Error */
static PyObject* dlpack_name;  /* "__dlpack__" */
static PyObject* no_arguments; /* () */
static PyObject* new_version;  /* {"max_version": (1, 0)} */
static PyObject* no_sync;      /* {"stream": -1} */

/* The arguments of one call: what the C ABI takes, and the capsules that keep it. */
typedef struct {
  kiln_arg args[MAX_ARGS];
  PyObject* capsules[MAX_ARGS];
  Py_ssize_t count;
} call_arguments;

static void release(call_arguments* call) {
  for (Py_ssize_t i = 0; i < call->count; ++i) Py_XDECREF(call->capsules[i]);
}

/* Tensors of a GPU are handed over on the stream that the caller named: -1 tells the exporter not to wait for another.
 */
static int wants_no_sync(PyObject* object) {
  static PyTypeObject* last = NULL; /* Borrowed, compared alone. Under the GIL. */
  static int last_answer = 0;
  PyTypeObject* type = Py_TYPE(object);
  if (type == last) return last_answer;
  int answer = 0;
  PyObject* device = PyObject_CallMethod(object, "__dlpack_device__", NULL);
  if (device == NULL) {
    PyErr_Clear();
  } else {
    Py_DECREF(device);
    PyObject* module = PyObject_GetAttrString((PyObject*)type, "__module__");
    if (module == NULL) {
      PyErr_Clear();
    } else {
      const char* name = PyUnicode_Check(module) ? PyUnicode_AsUTF8AndSize(module, NULL) : NULL;
      /* numpy takes no stream at all; everyone else follows the protocol. */
      answer = name != NULL && strncmp(name, "numpy", 5) != 0;
      if (name == NULL) PyErr_Clear();
      Py_DECREF(module);
    }
  }
  last = type;
  last_answer = answer;
  return answer;
}

static PyObject* export_tensor(PyObject* object) {
  PyObject* method = PyObject_GetAttr(object, dlpack_name);
  if (method == NULL) {
    if (PyErr_ExceptionMatches(PyExc_AttributeError)) {
      PyErr_Clear();
      PyErr_Format(PyExc_TypeError, "kiln: expected a number or a tensor with __dlpack__, got %R",
                   (PyObject*)Py_TYPE(object));
    }
    return NULL;
  }
  PyObject* capsule = PyObject_Call(method, no_arguments, wants_no_sync(object) ? no_sync : NULL);
  if (capsule == NULL && PyErr_ExceptionMatches(PyExc_BufferError)) {
    /* Only the versioned form can say that a tensor is read-only. */
    PyErr_Clear();
    capsule = PyObject_Call(method, no_arguments, new_version);
  }
  Py_DECREF(method);
  return capsule;
}

static int add_tensor(call_arguments* call, PyObject* object) {
  PyObject* capsule = export_tensor(object);
  if (capsule == NULL) return -1;
  kiln_arg* arg = &call->args[call->count];
  call->capsules[call->count++] = capsule;
  if (PyCapsule_IsValid(capsule, "dltensor")) {
    arg->kind = KILN_ARG_MANAGED;
    arg->as.managed = PyCapsule_GetPointer(capsule, "dltensor");
    return 0;
  }
  if (PyCapsule_IsValid(capsule, "dltensor_versioned")) {
    arg->kind = KILN_ARG_MANAGED_VERSIONED;
    arg->as.versioned = PyCapsule_GetPointer(capsule, "dltensor_versioned");
    return 0;
  }
  PyErr_SetString(PyExc_TypeError, "kiln: __dlpack__ gave no capsule of a tensor");
  return -1;
}

static int add(call_arguments* call, PyObject* object) {
  if (PyFloat_Check(object)) {
    kiln_arg* arg = &call->args[call->count];
    call->capsules[call->count++] = NULL;
    arg->kind = KILN_ARG_FLOAT;
    arg->as.number = PyFloat_AsDouble(object);
    return 0;
  }
  if (PyLong_Check(object)) {
    kiln_arg* arg = &call->args[call->count];
    call->capsules[call->count++] = NULL;
    arg->kind = KILN_ARG_INT;
    arg->as.integer = PyLong_AsLongLong(object);
    return arg->as.integer == -1 && PyErr_Occurred() ? -1 : 0;
  }
  return add_tensor(call, object);
}

static int collect(call_arguments* call, PyObject* const* objects, Py_ssize_t count) {
  call->count = 0;
  if (count > MAX_ARGS) {
    PyErr_Format(PyExc_TypeError, "kiln: expected at most %d arguments, got %zd", MAX_ARGS, count);
    return -1;
  }
  for (Py_ssize_t i = 0; i < count; ++i) {
    call->args[i].reserved = 0;
    if (add(call, objects[i]) != 0) {
      release(call);
      return -1;
    }
  }
  return 0;
}

static void raise_error(kiln_code code, const kiln_error* error) {
  PyObject* exception =
      error == NULL ? PyErr_NoMemory()
                    : PyObject_CallFunction(error_type, "iss", (int)code, error_stage(error), error_message(error));
  if (exception == NULL) return;
  PyErr_SetObject(error_type, exception);
  Py_DECREF(exception);
}

static void* pointer(PyObject* integer) { return PyLong_AsVoidPtr(integer); }

static PyObject* launch(launch_fn function, PyObject* const* objects, Py_ssize_t count) {
  if (function == NULL || count < 2) {
    PyErr_SetString(PyExc_TypeError, "kiln: expected a handle, a stream and arguments");
    return NULL;
  }
  void* handle = pointer(objects[0]);
  void* stream = pointer(objects[1]);
  if (PyErr_Occurred()) return NULL;
  call_arguments call;
  if (collect(&call, objects + 2, count - 2) != 0) return NULL;
  kiln_error* error = error_create();
  kiln_code code;
  Py_BEGIN_ALLOW_THREADS code = function(handle, stream, call.args, (size_t)call.count, error);
  Py_END_ALLOW_THREADS release(&call);
  if (code != KILN_OK) raise_error(code, error);
  error_destroy(error);
  if (code != KILN_OK) return NULL;
  Py_RETURN_NONE;
}

static PyObject* launch_op(PyObject* self, PyObject* const* objects, Py_ssize_t count) {
  (void)self;
  return launch(op_launch, objects, count);
}

static PyObject* launch_executable(PyObject* self, PyObject* const* objects, Py_ssize_t count) {
  (void)self;
  return launch(executable_launch, objects, count);
}

static PyObject* prepare_op(PyObject* self, PyObject* const* objects, Py_ssize_t count) {
  (void)self;
  if (op_prepare == NULL || count < 1) {
    PyErr_SetString(PyExc_TypeError, "kiln: expected a handle and arguments");
    return NULL;
  }
  void* handle = pointer(objects[0]);
  if (PyErr_Occurred()) return NULL;
  call_arguments call;
  if (collect(&call, objects + 1, count - 1) != 0) return NULL;
  kiln_error* error = error_create();
  kiln_future* future = NULL;
  const kiln_code code = op_prepare(handle, call.args, (size_t)call.count, &future, error);
  release(&call);
  if (code != KILN_OK) raise_error(code, error);
  error_destroy(error);
  return code != KILN_OK ? NULL : PyLong_FromVoidPtr(future);
}

static void* address(PyObject* addresses, const char* name) {
  PyObject* found = PyDict_GetItemString(addresses, name);
  if (found == NULL) {
    PyErr_Format(PyExc_KeyError, "kiln: no address for %s", name);
    return NULL;
  }
  return PyLong_AsVoidPtr(found);
}

static PyObject* setup(PyObject* self, PyObject* arguments) {
  (void)self;
  PyObject *addresses, *type;
  if (!PyArg_ParseTuple(arguments, "O!O", &PyDict_Type, &addresses, &type)) return NULL;
  *(void**)&error_create = address(addresses, "kiln_error_create");
  *(void**)&error_destroy = address(addresses, "kiln_error_destroy");
  *(void**)&error_stage = address(addresses, "kiln_error_stage");
  *(void**)&error_message = address(addresses, "kiln_error_message");
  *(void**)&op_launch = address(addresses, "kiln_op_launch");
  *(void**)&op_prepare = address(addresses, "kiln_op_prepare");
  *(void**)&executable_launch = address(addresses, "kiln_executable_launch");
  if (PyErr_Occurred()) return NULL;
  Py_INCREF(type);
  Py_XDECREF(error_type);
  error_type = type;
  Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"setup", setup, METH_VARARGS, "setup(addresses, error_type): where libkiln's functions are."},
    {"launch_op", (PyCFunction)(void (*)(void))launch_op, METH_FASTCALL, "launch_op(handle, stream, *arguments)"},
    {"launch_executable", (PyCFunction)(void (*)(void))launch_executable, METH_FASTCALL,
     "launch_executable(handle, stream, *arguments)"},
    {"prepare_op", (PyCFunction)(void (*)(void))prepare_op, METH_FASTCALL,
     "prepare_op(handle, *arguments): the handle of a future"},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "kiln._launch", "Launches through libkiln's C ABI.", -1, methods, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__launch(void) {
  dlpack_name = PyUnicode_InternFromString("__dlpack__");
  no_arguments = PyTuple_New(0);
  new_version = Py_BuildValue("{s:(ii)}", "max_version", 1, 0);
  no_sync = Py_BuildValue("{s:i}", "stream", -1);
  if (dlpack_name == NULL || no_arguments == NULL || new_version == NULL || no_sync == NULL) return NULL;
  return PyModule_Create(&module);
}
