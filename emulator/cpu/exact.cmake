# The exact engine.
target_sources(avrlan_cpu PRIVATE
  core_traits.cpp
  data_space.cpp
  decoder.cpp
  exact_engine.cpp
  external_memory.cpp
  fault.cpp
  wake_up.cpp)
set_source_files_properties(exact_engine.cpp PROPERTIES COMPILE_OPTIONS "${avrlan_interpreter_options}")
