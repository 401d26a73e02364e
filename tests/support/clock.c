#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t clock, struct timespec *now) {
  long done = syscall(SYS_clock_gettime, clock, now);
  int file = clock == CLOCK_REALTIME ? open(getenv("CLOCK_AHEAD"), O_RDONLY) : -1;
  if (file >= 0) {
    char text[32] = {0};
    if (read(file, text, sizeof text - 1) > 0) now->tv_sec += atol(text);
    close(file);
  }
  return (int)done;
}
