# Under ThreadSanitizer every program goes through tsan_absl_mutex.cc for Abseil's locks, which says why.

add_library(kiln_tsan STATIC ${CMAKE_CURRENT_LIST_DIR}/tsan_absl_mutex.cc)
target_link_libraries(kiln_tsan PUBLIC absl::synchronization)
# The functions to go through are those that the file defines.
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/tsan_absl_mutex.cc kiln_tsan_lines REGEX "^KILN_SYNCHRONIZE")
foreach(line ${kiln_tsan_lines})
  string(REGEX MATCH "_ZNK?4absl[A-Za-z0-9_]+" symbol "${line}")
  target_link_options(kiln_tsan INTERFACE LINKER:--wrap=${symbol})
endforeach()
link_libraries(kiln_tsan)
