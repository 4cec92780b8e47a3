/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The module: its types, its exceptions, and the program `lamella` as a function.
 *
 *     dataset(sources, keys)             Dataset: streams, rows, metadata, check
 *     writer(target, schema, options)    Writer
 *     logger(path, schema, options)      Logger
 *     main(arguments)                    the program, for `python -m lamella`
 */
#include "binding.h"

#include <stdlib.h>
#include <string.h>

#include "capsules.h"
#include "dataset.h"
#include "infer.h"
#include "logger.h"
#include "rows.h"
#include "writer.h"

/* tools/main.c */
int lampy_main(int argc, char **argv);

static PyModuleDef lampy_module;

lampy_state *lampy_state_of(PyObject *object) {
    return PyType_GetModuleState(Py_TYPE(object));
}

lampy_state *lampy_state_of_module(PyObject *module) {
    return PyModule_GetState(module);
}

/* --- Classes of the standard library ---------------------------------------------------------- */

/* An attribute of a module, unless it is there already. Borrowed. */
static PyObject *take_class(const char *module_name, const char *name, PyObject **class) {
    if (*class == NULL) {
        PyObject *module = PyImport_ImportModule(module_name);
        *class = module == NULL ? NULL : PyObject_GetAttrString(module, name);
        Py_XDECREF(module);
    }
    return *class;
}

PyObject *lampy_uuid(lampy_state *state) {
    return take_class("uuid", "UUID", &state->uuid);
}

PyObject *lampy_decimal(lampy_state *state) {
    return take_class("decimal", "Decimal", &state->decimal);
}

/* The last object that is made says that all are there. */
int lampy_times(lampy_state *state) {
    PyObject *zone = NULL;
    if (state->epoch_utc != NULL)
        return 0;
    if (take_class("datetime", "date", &state->date) == NULL ||
        take_class("datetime", "time", &state->time) == NULL ||
        take_class("datetime", "datetime", &state->datetime) == NULL ||
        take_class("datetime", "timedelta", &state->timedelta) == NULL ||
        take_class("datetime", "timezone", &zone) == NULL)
        return -1;
    if (state->utc == NULL)
        state->utc = PyObject_GetAttrString(zone, "utc");
    Py_DECREF(zone);
    if (state->utc != NULL && state->epoch == NULL)
        state->epoch = PyObject_CallFunction(state->datetime, "iii", 1970, 1, 1);
    if (state->epoch != NULL)
        state->epoch_utc =
            PyObject_CallFunction(state->datetime, "iiiiiiiO", 1970, 1, 1, 0, 0, 0, 0, state->utc);
    return state->epoch_utc == NULL ? -1 : 0;
}

/* --- The program ------------------------------------------------------------------------------ */

/*
 * Runs in place of the interpreter: what it does with signals and descriptors is for a whole
 * process.
 */
static PyObject *module_main(PyObject *module, PyObject *arguments) {
    Py_ssize_t count = PyList_Check(arguments) ? PyList_Size(arguments) : -1;
    char **words = count < 0 ? NULL : calloc((size_t)count + 1, sizeof *words);
    PyObject *kept = words == NULL ? NULL : PyList_New(0);
    (void)module;
    for (Py_ssize_t i = 0; kept != NULL && i < count; i++) {
        PyObject *bytes = NULL;
        if (!PyUnicode_FSConverter(PyList_GetItem(arguments, i), &bytes) ||
            PyList_Append(kept, bytes) < 0)
            Py_CLEAR(kept);
        else
            words[i] = PyBytes_AsString(bytes);
        Py_XDECREF(bytes);
    }
    if (kept == NULL) {
        free(words);
        if (PyErr_Occurred() == NULL)
            PyErr_SetString(PyExc_TypeError, "main() takes a list of str");
        return NULL;
    }
    int status;
    Py_BEGIN_ALLOW_THREADS;
    status = lampy_main((int)count, words);
    Py_END_ALLOW_THREADS;
    free(words);
    Py_DECREF(kept);
    return PyLong_FromLong(status);
}

/* --- The module ------------------------------------------------------------------------------- */

static int add_type(PyObject *module, PyType_Spec *spec, PyObject **ret_type) {
    *ret_type = PyType_FromModuleAndSpec(module, spec, NULL);
    return *ret_type == NULL ? -1 : PyModule_AddType(module, (PyTypeObject *)*ret_type);
}

static int module_fill(PyObject *module) {
    lampy_state *state = lampy_state_of_module(module);
    return lampy_add_exceptions(module, state) < 0 ||
                   add_type(module, &lampy_dataset_spec, &state->dataset_type) < 0 ||
                   add_type(module, &lampy_rows_spec, &state->rows_type) < 0 ||
                   add_type(module, &lampy_writer_spec, &state->writer_type) < 0 ||
                   add_type(module, &lampy_logger_spec, &state->logger_type) < 0 ||
                   PyModule_AddStringConstant(module, "version", lam_version()) < 0
               ? -1
               : 0;
}

/* The objects of the state, for the collector of cycles and for the end. */
static PyObject **objects_of(lampy_state *state) {
    return (PyObject **)state;
}

enum { OBJECT_COUNT = sizeof(lampy_state) / sizeof(PyObject *) };

static int module_traverse(PyObject *module, visitproc visit, void *arg) {
    lampy_state *state = lampy_state_of_module(module);
    for (size_t i = 0; state != NULL && i < OBJECT_COUNT; i++)
        Py_VISIT(objects_of(state)[i]);
    return 0;
}

static int module_clear(PyObject *module) {
    lampy_state *state = lampy_state_of_module(module);
    for (size_t i = 0; state != NULL && i < OBJECT_COUNT; i++)
        Py_CLEAR(objects_of(state)[i]);
    return 0;
}

static void module_free(void *module) {
    module_clear(module);
}

static PyMethodDef module_functions[] = {
    {"dataset", lampy_dataset_make, METH_VARARGS, "Files to be read."},
    {"writer", lampy_writer_make, METH_VARARGS, "A file to be written."},
    {"logger", lampy_logger_make, METH_VARARGS, "A log."},
    {"infer", lampy_infer, METH_VARARGS, "The schema of JSON text."},
    {"stream_schema", lampy_stream_schema_of, METH_O,
     "The schema of a capsule arrow_array_stream."},
    {"message", lampy_message_make, METH_O, "The message text of a capsule arrow_schema."},
    {"main", module_main, METH_O, "The program lamella, in place of the interpreter."},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, module_fill},
    {0, NULL},
};

static PyModuleDef lampy_module = {
    PyModuleDef_HEAD_INIT,         .m_name = "lamella._lamella",  .m_doc = "The C part of lamella.",
    .m_size = sizeof(lampy_state), .m_methods = module_functions, .m_slots = module_slots,
    .m_traverse = module_traverse, .m_clear = module_clear,       .m_free = module_free,
};

PyMODINIT_FUNC PyInit__lamella(void);

PyMODINIT_FUNC PyInit__lamella(void) {
    return PyModuleDef_Init(&lampy_module);
}
