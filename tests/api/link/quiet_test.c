/* A full run of the library writes 0 bytes to the file descriptors 1 and 2, errors included. In C, so that nothing else
 * in the process could be the one that writes. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kiln/c_api.h"

static const char kText[] =
    "kernel twice(x: tensor<f32>[N], y: out tensor<f32>[N])\n"
    "  where N: dynamic\n"
    "  launch grid(ceildiv(N, 128)) block(128)\n"
    "{\n"
    "  let i = cta_id.x * 128\n"
    "  cta.copy(y[i +: 128], x[i +: 128] * 2)\n"
    "}\n";

static int report;
static void expect(int holds, const char* what, kiln_error* error) {
  if (holds) return;
  dprintf(report, "failed: %s: %s\n0 passed, 1 failed\n", what, kiln_error_message(error));
  _exit(1);
}

static void run(void) {
  kiln_error* error = kiln_error_create();
  kiln_options options;
  kiln_options_init(&options, sizeof(options));
  kiln_runtime* runtime = NULL;
  expect(kiln_runtime_create(&options, &runtime, error) == KILN_OK, "create", error);
  size_t devices = 0;
  expect(kiln_runtime_device_count(runtime, &devices, error) == KILN_OK && devices > 0, "devices", error);
  kiln_module* module = NULL;
  expect(kiln_runtime_load_text(runtime, "kernel {", 8, "bad", &module, error) != KILN_OK, "a bad text", error);
  expect(kiln_runtime_load(runtime, kText, sizeof(kText), "bad", &module, error) != KILN_OK, "bad bytes", error);
  expect(kiln_runtime_load_text(runtime, kText, sizeof(kText) - 1, "twice", &module, error) == KILN_OK, "load", error);
  kiln_op* op = NULL;
  expect(kiln_module_find(module, "twice", NULL, &op, error) == KILN_OK, "find", error);
  _Alignas(64) static float x[300], y[300];
  for (int i = 0; i < 300; ++i) x[i] = (float)i;
  int64_t shape[1] = {300};
  kiln_dl_tensor tensors[2] = {{x, {KILN_DEVICE_CPU, 0}, 1, {KILN_DL_FLOAT, 32, 1}, shape, NULL, 0},
                               {y, {KILN_DEVICE_CPU, 0}, 1, {KILN_DL_FLOAT, 32, 1}, shape, NULL, 0}};
  kiln_arg args[2] = {{KILN_ARG_TENSOR, 0, {.tensor = &tensors[0]}}, {KILN_ARG_TENSOR, 0, {.tensor = &tensors[1]}}};
  expect(kiln_op_launch(op, NULL, args, 1, error) == KILN_INVALID_ARGUMENT, "one argument", error);
  expect(kiln_op_launch(op, NULL, args, 2, error) == KILN_OK, "launch", error);
  expect(y[299] == 598.0f, "the result", error);
  tensors[0].device.device_type = KILN_DEVICE_CUDA;
  tensors[0].device.device_id = 77;
  tensors[1].device = tensors[0].device;
  expect(kiln_op_launch(op, NULL, args, 2, error) != KILN_OK, "no such device", error);
  kiln_op_destroy(op);
  kiln_module_destroy(module);
  kiln_runtime_destroy(runtime);
  kiln_error_destroy(error);
}

int main(void) {
  report = dup(1);
  const int quiet = memfd_create("quiet", 0);
  if (report < 0 || quiet < 0 || dup2(quiet, 1) < 0 || dup2(quiet, 2) < 0) return 1;
  run();
  struct stat written;
  if (fstat(quiet, &written) != 0) return 1;
  char text[4096];
  const ssize_t size = pread(quiet, text, sizeof(text) - 1, 0);
  text[size > 0 ? size : 0] = 0;
  dprintf(report, "%s%s\n", written.st_size == 0 ? "1 passed, 0 failed" : "0 passed, 1 failed: ", text);
  return written.st_size == 0 ? 0 : 1;
}
