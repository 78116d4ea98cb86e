/* Loaded before the C library: writes down what every write to a file below FORGET_BELOW replaces, and every sync, into
   FORGET_LOG. Who reads it can take back what was written since a file was synced last, as a power loss does.

   A record: 'W', path, place, size before, bytes that were there; or 'S', path. Lengths and numbers are 64 bits, as they
   lie in memory. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
static ssize_t (*real_write)(int, const void *, size_t);
static int log_file = -1;

/* The path of a regular file below the folder; nothing of all others. */
static int told(int file, char *path) {
  const char *below = getenv("FORGET_BELOW"), *log = getenv("FORGET_LOG");
  char link[64];
  struct stat what;
  if (!below || !log || fstat(file, &what) != 0 || !S_ISREG(what.st_mode)) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  if (length <= 0) return 0;
  path[length] = 0;
  if (strncmp(path, below, strlen(below)) != 0) return 0;
  if (!real_write) real_write = (ssize_t (*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
  if (log_file < 0) log_file = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  return log_file >= 0;
}

static void record(char kind, const char *path, int64_t place, int64_t size, const void *bytes, int64_t count) {
  int64_t length = (int64_t)strlen(path);
  char *text = malloc((size_t)(1 + 4 * 8 + length + count)), *at = text;
  if (!text) abort();
  *at++ = kind;
  memcpy(at, &length, 8), at += 8;
  memcpy(at, path, (size_t)length), at += length;
  memcpy(at, &place, 8), at += 8;
  memcpy(at, &size, 8), at += 8;
  memcpy(at, &count, 8), at += 8;
  memcpy(at, bytes, (size_t)count), at += count;
  if (real_write(log_file, text, (size_t)(at - text)) != at - text) abort();
  free(text);
}

/* What stands from a place on is about to change. */
static void before(int file, off_t place, size_t count) {
  char path[PATH_MAX];
  pthread_mutex_lock(&one);
  if (told(file, path)) {
    struct stat what;
    char *bytes = malloc(count ? count : 1);
    if (!bytes || fstat(file, &what) != 0) abort();
    ssize_t there = pread(file, bytes, count, place);
    if (there < 0) {
      /* Open for writing only. */
      int other = open(path, O_RDONLY | O_CLOEXEC);
      there = other < 0 ? 0 : pread(other, bytes, count, place);
      if (other >= 0) close(other);
    }
    record('W', path, place, what.st_size, bytes, there < 0 ? 0 : there);
    free(bytes);
  }
  pthread_mutex_unlock(&one);
}

static void synced(int file) {
  char path[PATH_MAX];
  pthread_mutex_lock(&one);
  if (told(file, path)) record('S', path, 0, 0, "", 0);
  pthread_mutex_unlock(&one);
}

#define REAL(type, name, ...) static type (*real)(__VA_ARGS__); if (!real) real = (type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t at) {
  REAL(ssize_t, "pwrite64", int, const void *, size_t, off64_t);
  before(file, at, count);
  return real(file, bytes, count, at);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t at) {
  REAL(ssize_t, "pwrite", int, const void *, size_t, off_t);
  before(file, at, count);
  return real(file, bytes, count, at);
}

ssize_t write(int file, const void *bytes, size_t count) {
  REAL(ssize_t, "write", int, const void *, size_t);
  off_t at = lseek(file, 0, SEEK_CUR);
  if (at >= 0) before(file, at, count);
  return real(file, bytes, count);
}

int ftruncate64(int file, off64_t size) {
  REAL(int, "ftruncate64", int, off64_t);
  struct stat what;
  if (fstat(file, &what) == 0) before(file, size, what.st_size > size ? (size_t)(what.st_size - size) : 0);
  return real(file, size);
}

int ftruncate(int file, off_t size) {
  REAL(int, "ftruncate", int, off_t);
  struct stat what;
  if (fstat(file, &what) == 0) before(file, size, what.st_size > size ? (size_t)(what.st_size - size) : 0);
  return real(file, size);
}

int fsync(int file) {
  REAL(int, "fsync", int);
  int done = real(file);
  if (done == 0) synced(file);
  return done;
}

int fdatasync(int file) {
  REAL(int, "fdatasync", int);
  int done = real(file);
  if (done == 0) synced(file);
  return done;
}
