/* Loaded before the C library: the call named by REFUSED_CALL fails with EIO when it is made for the REFUSED_NTH time. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

static int refused(const char *call) {
  static atomic_int seen;
  const char *which = getenv("REFUSED_CALL");
  const char *nth = getenv("REFUSED_NTH");
  if (!which || !nth || strcmp(which, call) != 0 || atomic_fetch_add(&seen, 1) + 1 != atoi(nth)) return 0;
  errno = EIO;
  return 1;
}

int fsync(int file) {
  static int (*real)(int);
  if (refused("fsync")) return -1;
  if (!real) real = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  return real(file);
}

int fdatasync(int file) {
  static int (*real)(int);
  if (refused("fsync")) return -1;
  if (!real) real = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
  return real(file);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t at) {
  static ssize_t (*real)(int, const void *, size_t, off64_t);
  if (refused("pwrite")) return -1;
  if (!real) real = (ssize_t (*)(int, const void *, size_t, off64_t))dlsym(RTLD_NEXT, "pwrite64");
  return real(file, bytes, count, at);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t at) {
  static ssize_t (*real)(int, const void *, size_t, off_t);
  if (refused("pwrite")) return -1;
  if (!real) real = (ssize_t (*)(int, const void *, size_t, off_t))dlsym(RTLD_NEXT, "pwrite");
  return real(file, bytes, count, at);
}
