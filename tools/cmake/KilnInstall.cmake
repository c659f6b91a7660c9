# What `cmake --install` lays down: the library, the public headers, the program, the kernels, and the package file that
# makes `find_package(Kiln)` give `kiln::kiln`.

include(CMakePackageConfigHelpers)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/kiln
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h"
        PATTERN "internal" EXCLUDE)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/api/kernels
        DESTINATION ${CMAKE_INSTALL_DATADIR}/kiln
        FILES_MATCHING PATTERN "*.kiln")
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

# The library, its LLVM half, which it opens on demand from its own folder, and the program; as far as this
# configuration builds them.
foreach(target kiln_shared kiln_llvm_object kiln)
  if(TARGET ${target})
    install(TARGETS ${target}
            RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
            LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  endif()
endforeach()

set(kiln_package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Kiln)
configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/tools/cmake/KilnConfig.cmake.in ${PROJECT_BINARY_DIR}/KilnConfig.cmake
  INSTALL_DESTINATION ${kiln_package_folder}
  PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/KilnConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/KilnConfig.cmake ${PROJECT_BINARY_DIR}/KilnConfigVersion.cmake
        DESTINATION ${kiln_package_folder})
