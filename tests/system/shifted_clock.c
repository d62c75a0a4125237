// For LD_PRELOAD: time passes at once. The monotonic clock of a process is ahead by 100 s while the first octet of the file $SHIFTED_CLOCK
// is '1'.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec* now) {
  static int (*real)(clockid_t, struct timespec*);
  static const volatile char* shifted;
  if (real == NULL) {
    *(void**)&real = dlsym(RTLD_NEXT, "clock_gettime");
    const char* const path = getenv("SHIFTED_CLOCK");
    const int fd = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
      void* const page = mmap(NULL, 1, PROT_READ, MAP_SHARED, fd, 0);
      if (page != MAP_FAILED) shifted = page;
      close(fd);
    }
  }
  const int result = real(clock, now);
  if (result == 0 && clock == CLOCK_MONOTONIC && shifted != NULL && *shifted == '1') now->tv_sec += 100;
  return result;
}
