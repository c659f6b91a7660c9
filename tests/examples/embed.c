/* The C embedding that docs/c_abi.md shows, run as a test. */
#include <stdio.h>
#include <stdlib.h>

#include "kiln/c_api.h"

/* [embed] */
/* y[i, :] = rmsnorm(x[i, :]) * w on the CPU. */
int rmsnorm(const void* bytes, size_t size, float* x, float* w, float* y, int64_t m, int64_t n) {
  kiln_error* error = kiln_error_create();
  kiln_options options;
  kiln_runtime* runtime = NULL;
  kiln_module* module = NULL;
  kiln_op* op = NULL;
  kiln_code code = kiln_options_from_environment(&options, sizeof(options), error);
  if (code == KILN_OK) code = kiln_runtime_create(&options, &runtime, error);
  if (code == KILN_OK) code = kiln_runtime_load(runtime, bytes, size, "rmsnorm.kir", &module, error);
  if (code == KILN_OK) code = kiln_module_find(module, "rmsnorm", NULL, &op, error);
  if (code == KILN_OK) {
    int64_t matrix[2] = {m, n};
    kiln_dl_device cpu = {KILN_DEVICE_CPU, 0};
    kiln_dl_type f32 = {KILN_DL_FLOAT, 32, 1};
    kiln_dl_tensor tensors[3] = {
        {x, cpu, 2, f32, matrix, NULL, 0}, {w, cpu, 1, f32, &matrix[1], NULL, 0}, {y, cpu, 2, f32, matrix, NULL, 0}};
    kiln_arg args[4] = {{KILN_ARG_TENSOR, 0, {.tensor = &tensors[0]}},
                        {KILN_ARG_TENSOR, 0, {.tensor = &tensors[1]}},
                        {KILN_ARG_TENSOR, 0, {.tensor = &tensors[2]}},
                        {KILN_ARG_FLOAT, 0, {.number = 1e-6}}};
    code = kiln_op_launch(op, NULL, args, 4, error);
  }
  if (code != KILN_OK) fprintf(stderr, "%s\n", kiln_error_message(error));
  kiln_op_destroy(op);
  kiln_module_destroy(module);
  kiln_runtime_destroy(runtime);
  kiln_error_destroy(error);
  return code == KILN_OK ? 0 : 1;
}
/* [embed] */

int main(int argc, char** argv) {
  static char bytes[1 << 20];
  static float x[4 * 64], w[64], y[4 * 64];
  FILE* file = argc == 2 ? fopen(argv[1], "rb") : NULL;
  if (file == NULL) return 2;
  const size_t size = fread(bytes, 1, sizeof(bytes), file);
  fclose(file);
  for (int i = 0; i < 4 * 64; ++i) x[i] = 3;
  for (int i = 0; i < 64; ++i) w[i] = 0.5f;
  if (rmsnorm(bytes, size, x, w, y, 4, 64) != 0) return 1;
  const float error = y[255] - 0.5f;
  if (error > 1e-5f || error < -1e-5f) return 1;
  puts("1 passed, 0 failed");
  return 0;
}
