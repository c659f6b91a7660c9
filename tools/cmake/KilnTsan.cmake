# Under ThreadSanitizer every program goes through tsan_absl_mutex.cc for Abseil's locks, which says why.

add_library(kiln_tsan STATIC ${CMAKE_CURRENT_LIST_DIR}/tsan_absl_mutex.cc)
target_link_libraries(kiln_tsan PUBLIC absl::synchronization)
# The functions to go through are those that the file defines.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/tsan_absl_mutex.cc)
file(READ ${CMAKE_CURRENT_LIST_DIR}/tsan_absl_mutex.cc kiln_tsan_source)
string(REGEX MATCHALL "_ZNK?4absl[A-Za-z0-9_]+" kiln_tsan_symbols "${kiln_tsan_source}")
foreach(symbol ${kiln_tsan_symbols})
  target_link_options(kiln_tsan INTERFACE LINKER:--wrap=${symbol})
endforeach()
link_libraries(kiln_tsan)
