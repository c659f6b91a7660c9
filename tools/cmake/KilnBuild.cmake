# What every folder's CMakeLists.txt uses: flags, and the functions that make its one target.

include(GNUInstallDirs)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug or RelWithDebInfo" FORCE)
endif()
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)

# -O3 takes up to 40% longer than -O2 and doubles our code; what must be fast is the code that Kiln emits.
foreach(language C CXX)
  set(CMAKE_${language}_FLAGS_RELEASE "-O2 -DNDEBUG")
endforeach()

# Found beside each other in the build tree and once installed, wherever either is moved.
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)
set(CMAKE_INSTALL_RPATH "$ORIGIN;$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")

# LLVM's archives take GNU ld half a minute a link. A linker that was asked for by flag stays.
if(NOT "${CMAKE_EXE_LINKER_FLAGS} ${CMAKE_SHARED_LINKER_FLAGS}" MATCHES "-fuse-ld=")
  find_program(KILN_LLD ld.lld HINTS /usr/lib/llvm-19/bin)
  if(KILN_LLD)
    # g++ knows the name "lld" alone and looks for it on its own path.
    get_filename_component(kiln_lld_folder ${KILN_LLD} DIRECTORY)
    add_link_options(-fuse-ld=lld $<$<CXX_COMPILER_ID:GNU>:-B${kiln_lld_folder}>)
  endif()
endif()

find_program(KILN_CCACHE ccache)
if(KILN_CCACHE)
  # Paths below the root of the tree count as relative, so that one checkout finds what another one compiled.
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${KILN_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
endif()

set(KILN_WARNINGS -Wall -Wextra -Wpedantic -Wno-missing-field-initializers)
if(KILN_WERROR)
  list(APPEND KILN_WARNINGS -Werror)
endif()
if(KILN_SANITIZE)
  # LLVM comes without the type information that the vptr check reads.
  add_compile_options(-fsanitize=${KILN_SANITIZE} -fno-sanitize=vptr -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${KILN_SANITIZE})
endif()
if(KILN_SANITIZE OR KILN_FUZZ)
  add_compile_definitions(KILN_SANITIZED)  # Tests of speed skip themselves by it.
endif()
include(KilnDependencies)
if(KILN_SANITIZE MATCHES "thread" AND NOT KILN_STATIC_DEPENDENCIES)
  include(KilnTsan)
endif()
if(KILN_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# kiln_library(NAME SOURCES a.cc ... DEPS t ...): a static library `kiln_NAME`, one a folder.
function(kiln_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS;PRIVATE_DEPS" ${ARGN})
  add_library(kiln_${name} STATIC ${ARG_SOURCES})
  target_compile_options(kiln_${name} PRIVATE ${KILN_WARNINGS})
  target_include_directories(kiln_${name} PUBLIC ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
  target_include_directories(kiln_${name} SYSTEM PUBLIC ${PROJECT_BINARY_DIR}/generated)
  target_link_libraries(kiln_${name} PUBLIC ${ARG_DEPS} PRIVATE ${ARG_PRIVATE_DEPS})
endfunction()

# What test code costs is compiling it: -O1 is a quarter quicker than -O2 there.
set(KILN_TEST_OPTIONS $<$<CONFIG:Release>:-O1>)

# kiln_test(NAME SOURCES a_test.cc ... DEPS t ...): a GoogleTest program `bin/NAME`, run from the source root.
function(kiln_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_compile_options(${name} PRIVATE ${KILN_WARNINGS} ${KILN_TEST_OPTIONS})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} GTest::gmock GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  # tools/test counts the cases in these reports.
  set_tests_properties(${name} PROPERTIES ENVIRONMENT "GTEST_OUTPUT=xml:${PROJECT_BINARY_DIR}/test-results/${name}.xml")
endfunction()

# kiln_skipped_test(NAME REASON): a test that this configuration cannot have; tools/test gives the reason.
function(kiln_skipped_test name reason)
  add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -E echo "skipped: ${reason}")
  set_tests_properties(${name} PROPERTIES SKIP_REGULAR_EXPRESSION "^skipped: ")
endfunction()

# kiln_fuzz(NAME SOURCES a_fuzz.cc ... DEPS t ...): a program `bin/NAME` around LLVMFuzzerTestOneInput. In a KILN_FUZZ
# build it is a fuzzer, which `tools/check --fuzz` runs; elsewhere it is a test that replays tests/fuzz/corpus/NAME.
function(kiln_fuzz name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_compile_options(${name} PRIVATE ${KILN_WARNINGS} ${KILN_TEST_OPTIONS})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(${name} PRIVATE ${ARG_DEPS})
  if(KILN_FUZZ)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin/fuzz)
    if(NOT TARGET fuzzers)
      add_custom_target(fuzzers)
    endif()
    add_dependencies(fuzzers ${name})
  else()
    target_sources(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests/fuzz/replay_main.cc)
    add_test(NAME ${name} COMMAND ${name} ${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/${name})
  endif()
endfunction()
