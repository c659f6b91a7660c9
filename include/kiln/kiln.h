// Kiln for C++: serialized tile kernels to running machine code. docs/embedding.md shows it at work.
#ifndef KILN_KILN_H_
#define KILN_KILN_H_

#include "kiln/options.h"  // IWYU pragma: export
#include "kiln/runtime.h"  // IWYU pragma: export
#include "kiln/status.h"   // IWYU pragma: export
#include "kiln/tensor.h"   // IWYU pragma: export

#endif  // KILN_KILN_H_
