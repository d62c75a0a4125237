#include <stdlib.h>

int main(void) {
  volatile char* p = malloc(100);
  p[99] = 1;
  free((void*)p);
  return 0;
}
