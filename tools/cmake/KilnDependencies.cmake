# Abseil and protobuf, as targets absl::* and protobuf::*. Where tools/dependencies has laid down their sources, they are
# compiled here, with this configuration's flags, as archives that go into libkiln.so and stay hidden. Elsewhere they are
# the distribution's shared libraries, which libkiln.so then needs at run time. KILN_STATIC_DEPENDENCIES says which.

set(kiln_dependencies ${PROJECT_SOURCE_DIR}/build-dependencies)
find_package(Threads REQUIRED)
find_program(KILN_PROTOC protoc REQUIRED)

if(NOT EXISTS ${kiln_dependencies}/versions)
  set(KILN_STATIC_DEPENDENCIES OFF)
  message(STATUS "Abseil and protobuf: the distribution's shared libraries, which libkiln.so will need at run time; "
                 "tools/dependencies fetches the sources that make it need neither")
  find_package(absl REQUIRED)
  find_package(Protobuf REQUIRED)
  return()
endif()

set(KILN_STATIC_DEPENDENCIES ON)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${kiln_dependencies}/versions)
file(STRINGS ${kiln_dependencies}/versions kiln_dependency_versions)
list(JOIN kiln_dependency_versions ", " kiln_dependency_versions)
message(STATUS "Abseil and protobuf: static, from ${kiln_dependency_versions}")

# A function, so that what these projects are told stays out of ours.
function(kiln_add_dependencies)
  set(CMAKE_POLICY_DEFAULT_CMP0077 NEW)  # Their options heed the variables below.
  set(CMAKE_MESSAGE_LOG_LEVEL WARNING)
  set(BUILD_SHARED_LIBS OFF)
  set(BUILD_TESTING OFF)
  set(ABSL_PROPAGATE_CXX_STD ON)
  set(protobuf_BUILD_TESTS OFF)
  set(protobuf_BUILD_PROTOC_BINARIES OFF)
  set(protobuf_INSTALL OFF)
  set(protobuf_WITH_ZLIB OFF)
  # Only what Kiln links is built.
  add_subdirectory(${kiln_dependencies}/abseil ${PROJECT_BINARY_DIR}/dependencies/abseil EXCLUDE_FROM_ALL)
  add_subdirectory(${kiln_dependencies}/protobuf ${PROJECT_BINARY_DIR}/dependencies/protobuf EXCLUDE_FROM_ALL)
endfunction()
kiln_add_dependencies()

# kiln_targets_below(OUT FOLDER): every target that FOLDER and the folders in it make.
function(kiln_targets_below out folder)
  get_property(found DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  get_property(children DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(child ${children})
    kiln_targets_below(below ${child})
    list(APPEND found ${below})
  endforeach()
  set(${out} ${found} PARENT_SCOPE)
endfunction()

# Our code is compiled with the installed headers, which tools/dependencies has found to be the same: our objects do not
# depend on which form they are linked to.
kiln_targets_below(kiln_abseil_targets ${kiln_dependencies}/abseil)
set_target_properties(${kiln_abseil_targets} libprotobuf PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "")
set_target_properties(libprotobuf PROPERTIES CXX_STANDARD ${CMAKE_CXX_STANDARD})
target_compile_options(libprotobuf PRIVATE -w)

# Under ThreadSanitizer Abseil says itself what its locks order, but for one spot: a thread's semaphore, which another
# thread wakes it by, is made and used without an order that was told. Nothing of ours is seen through that file.
if(KILN_SANITIZE MATCHES "thread")
  set_source_files_properties(${kiln_dependencies}/abseil/absl/synchronization/internal/waiter.cc
                              TARGET_DIRECTORY absl_synchronization PROPERTIES COMPILE_OPTIONS -fno-sanitize=thread)
endif()

# The generator is the distribution's, of the same version: generated headers refuse any other.
if(NOT TARGET protobuf::protoc)
  add_executable(protobuf::protoc IMPORTED)
  set_target_properties(protobuf::protoc PROPERTIES IMPORTED_LOCATION ${KILN_PROTOC})
endif()
